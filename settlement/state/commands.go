package state

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Every command that writes carries the fence of its lease, except recordResult and
// requestVisit: results and visit requests are accepted from any caller.

// LeaseRequest is the command that acquires the campaign's lease.
type LeaseRequest struct {
	Owner string `json:"owner"`
	Holder
	// Closed also acquires the lease of a closed campaign, to delete its cards.
	Closed bool `json:"closed,omitempty"`
}

// Kind implements kv.Command.
func (LeaseRequest) Kind() string { return "acquire" }

type renew struct {
	fence
}

func (renew) Kind() string { return "renew" }

type release struct {
	fence
	// ImportedAfter is the time of the last restore if all payments were imported under the
	// lease, else nil.
	ImportedAfter *time.Time `json:"importedAfter,omitempty"`
}

func (release) Kind() string { return "release" }

// submit freezes a group.
type submit struct {
	fence
	Group Group `json:"group"`
}

func (submit) Kind() string { return "submit" }

// adopt creates the group of an attempt of which only the payment is known.
type adopt struct {
	fence
	Group Group  `json:"group"`
	Fact  Result `json:"fact"`
}

func (adopt) Kind() string { return "adopt" }

// attempt counts a charge request before it is sent.
type attempt struct {
	fence
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
	Number     int    `json:"number"`
}

func (attempt) Kind() string { return "attempt" }

// recordResult records a result, with the number of requests and lookups before it.
type recordResult struct {
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
	Fact       Result `json:"fact"`
	Attempts   int    `json:"attempts"`
	Asks       int    `json:"asks"`
}

func (recordResult) Kind() string { return "tell" }

// markUnanswered stops the requests of a submitted group whose idempotency key is too old.
type markUnanswered struct {
	fence
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
}

func (markUnanswered) Kind() string { return "alarm" }

// withdraw ends an attempt whose request was never sent, without a charge.
type withdraw struct {
	fence
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
}

func (withdraw) Kind() string { return "withdraw" }

// markBooked closes a group whose outcome was recorded in its pledges and emailed to its supporter.
type markBooked struct {
	fence
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
	Outcome    string `json:"outcome"`
}

func (markBooked) Kind() string { return "booked" }

// drop drops a failed group.
type drop struct {
	fence
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
}

func (drop) Kind() string { return "drop" }

// requestVisit requests a visit to a supporter because of a new card.
type requestVisit struct {
	Hash      string `json:"hash"`
	Supporter string `json:"supporter"`
	Nonce     string `json:"nonce"`
}

func (requestVisit) Kind() string { return "want" }

// clearVisit removes a visit request unless it was renewed in the meantime.
type clearVisit struct {
	fence
	Hash  string `json:"hash"`
	Nonce string `json:"nonce"`
}

func (clearVisit) Kind() string { return "met" }

// start starts a batch: of the running job, or of a new one if Fresh is set.
type start struct {
	fence
	Fresh bool   `json:"fresh"`
	Slug  string `json:"slug"`
	Total int    `json:"total"`
}

func (start) Kind() string { return "start" }

// Checkpoint ends a batch.
type Checkpoint struct {
	fence
	Batch int `json:"batch"`

	Swept          bool      `json:"swept,omitempty"`
	SweptTo        int       `json:"sweptTo,omitempty"`
	Stage          Stage     `json:"stage"`
	Cursor         string    `json:"cursor"`
	Processed      int       `json:"processed"`
	Skipped        int       `json:"skipped"`
	NeedsAttention int       `json:"needsAttention"`
	Status         JobStatus `json:"status"`
}

// Kind implements kv.Command.
func (Checkpoint) Kind() string { return "checkpoint" }

// complete records that nothing is left to settle.
type complete struct {
	fence
}

func (complete) Kind() string { return "complete" }

// getOverview requests the state of the settlement without its groups.
type getOverview struct{}

func (getOverview) Kind() string { return "overview" }

type getGroup struct {
	Hash string `json:"hash"`
}

func (getGroup) Kind() string { return "get-group" }

// getGroups requests some groups, their visit requests, and the state of the circuit breaker.
type getGroups struct {
	Hashes []string `json:"hashes"`
}

func (getGroups) Kind() string { return "get-groups" }

// failures requests a page of the failed groups that can still be retried.
type failures struct {
	After string `json:"after"`
	Limit int    `json:"limit"`
}

func (failures) Kind() string { return "failures" }

// missing requests the payments that their groups do not record completely.
type missing struct {
	Payments []ListedPayment `json:"payments"`
}

func (missing) Kind() string { return "missing" }

// unbooked requests a page of the successes without fees.
type unbooked struct {
	After string `json:"after"`
	Limit int    `json:"limit"`
}

func (unbooked) Kind() string { return "unbooked" }

// unfinished requests a page of the supporters with open groups or visit requests.
type unfinished struct {
	After string `json:"after"`
	Limit int    `json:"limit"`
}

func (unfinished) Kind() string { return "unfinished" }

// ListedPayment is a payment of the campaign in the processor's list.
type ListedPayment struct {
	Hash       string     `json:"hash"`
	Generation int        `json:"generation"`
	PaymentID  string     `json:"paymentId"`
	Status     psp.Status `json:"status"`
	Refunded   bool       `json:"refunded,omitempty"` // in full
	Pledges    int        `json:"pledges,omitempty"`  // number of pledges in its metadata
}
