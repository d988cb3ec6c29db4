package state

import (
	"github.com/pledgeworks/pledgeworks/kv"
)

// ClassName is the class of settlement objects, bound as SETTLEMENT_COORDINATOR. There is one
// object per campaign, named by its slug.
const ClassName = "settlement"

// The keys of a settlement object's state.
const (
	leaseKey       = "term"      // → Lease
	jobKey         = "job"       // → Job
	completeKey    = "complete"  // → time
	groupPrefix    = "group/"    // hash → Group
	openPrefix     = "open/"     // hash → supporter, for groups that are not done
	wantPrefix     = "want/"     // hash → VisitRequest
	failedPrefix   = "failed/"   // hash → supporter, for failed groups that can still be retried
	unbookedPrefix = "unbooked/" // hash → supporter, for successes without fees
)

// NewClass returns the class of settlement objects.
func NewClass() *kv.Class {
	c := kv.NewClass(ClassName)
	kv.On(c, runAcquire)
	kv.OnRepeatable(c, runRenew)
	kv.OnRepeatable(c, runRelease)
	kv.OnRepeatable(c, runSubmit)
	kv.On(c, runAdopt)
	kv.OnRepeatable(c, runAttempt)
	kv.OnRepeatable(c, runRecordResult)
	kv.OnRepeatable(c, runMarkUnanswered)
	kv.OnRepeatable(c, runWithdraw)
	kv.OnRepeatable(c, runMarkBooked)
	kv.OnRepeatable(c, runDrop)
	kv.OnRepeatable(c, runResolve)
	kv.On(c, runResetBreaker)
	kv.On(c, runPauseCharges)
	kv.OnRepeatable(c, runAccept)
	kv.OnRepeatable(c, runBind)
	kv.OnQuery(c, runAccount)
	kv.OnRepeatable(c, runStop)
	kv.OnRepeatable(c, runResume)
	kv.OnQuery(c, runStopped)
	kv.OnQuery(c, runRestored)
	kv.OnRepeatable(c, runNoteUnclosed)
	kv.OnRepeatable(c, runWake)
	kv.OnRepeatable(c, runSetIdle)
	kv.OnQuery(c, runListIdle)
	kv.On(c, runRequestVisit)
	kv.OnRepeatable(c, runClearVisit)
	kv.OnRepeatable(c, runStart)
	kv.OnRepeatable(c, runCheckpoint)
	kv.OnRepeatable(c, runComplete)
	kv.OnRepeatable(c, runClose)
	kv.OnRepeatable(c, runReopen)
	kv.OnRepeatable(c, runStartDetaching)
	kv.OnRepeatable(c, runNoteDisagreement)
	kv.OnRepeatable(c, runPruneDisagreements)
	kv.OnRepeatable(c, runAcceptTerms)
	kv.OnQuery(c, runListDisagreements)
	kv.OnQuery(c, runListProblems)
	kv.OnQuery(c, runOverview)
	kv.OnQuery(c, runGetGroup)
	kv.OnQuery(c, runGetGroups)
	kv.OnQuery(c, runUnfinished)
	kv.OnQuery(c, runFailures)
	kv.OnQuery(c, runUnbooked)
	kv.OnQuery(c, runMissing)
	kv.OnRepeatable(c, runSetComponents)
	kv.OnQuery(c, runListUnrecorded)
	kv.OnQuery(c, runReadLedger)
	return c
}

type none struct{}
