package simulation

import "slices"

// A feature is a part of the world that can be switched off.
type feature string

const (
	restAdapter feature = "rest adapter" // half of the histories use checkout/psp/rest
	longSpan    feature = "long span"    // some histories last six weeks
	wrongClocks feature = "wrong clocks" // clocks are up to sixty days wrong for a while
	// Operators stop and resume charging, cancel pledges, and end lost orders.
	incidentHandling feature = "incidents"
	earlyBackups     feature = "early backups"  // databases go back to before the deadline
	movedAndLost     feature = "moved and lost" // what was charged before a deadline moved is lost
	movedFiles       feature = "moved files"    // deadlines and goals move, files are gone or renamed, and changes are accepted
)

// What the processor and the bank do: see banking.
const (
	falseAnswersGiven feature = "false answers"
	partialCapturing  feature = "partial captures"
	permanentRefusals feature = "refusals"
	reversalsMade     feature = "reversals"
)

// Invariants that are checked in all histories, or in none.
const (
	imports feature = "imports" // S15: no final act without a list of the processor's payments
	clocked feature = "clocked" // S16: no final act by a clock that is wrong, and clocks that are ahead
	// L4 holds for mails whose next attempt was put off by a server whose clock was ahead.
	mailsPutOff feature = "mails put off"
	noExcuses   feature = "no excuses" // S3, S7, S13 and L3 hold after a restore too
	agreed      feature = "agreements" // S18
	trueMails   feature = "true mails" // L7
)

// awaiting lists the features that the core does not survive yet. They are played only if
// Plan.With names them. Remove each one with the change to the core that it waits for; when
// the list is empty, delete it and Plan.With.
var awaiting = []feature{imports, clocked, noExcuses, agreed, trueMails, falseAnswersGiven, partialCapturing, permanentRefusals, movedAndLost, mailsPutOff}

// plays reports whether a history may use a feature.
func (p Plan) plays(f feature) bool {
	return !slices.Contains(awaiting, f) || slices.Contains(p.With, string(f))
}
