package refund

import (
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// RunStatus is the state of a run.
type RunStatus string

// The statuses of a run. Done and Ended are final.
const (
	RunWaiting RunStatus = "waiting" // needs a second operator
	RunActive  RunStatus = "active"
	RunPaused  RunStatus = "paused" // by an operator, or because too many refunds failed
	RunDone    RunStatus = "done"   // every payment was visited
	RunEnded   RunStatus = "ended"  // by an operator, before every payment was visited
)

// RunChange is an operator's decision about a run.
type RunChange string

// The changes. A waiting run is confirmed or ended, and a paused one continued or ended.
const (
	ConfirmRun  RunChange = "confirm"
	ContinueRun RunChange = "continue"
	PauseRun    RunChange = "pause"
	EndRun      RunChange = "end"
)

// runChanges maps changes to the status that they lead to.
var runChanges = map[RunChange]RunStatus{
	ConfirmRun: RunActive, ContinueRun: RunActive, PauseRun: RunPaused, EndRun: RunEnded,
}

// maxFailures is after how many refunds in a row that the processor did not accept a run pauses.
const maxFailures = 5

// Run is a decision to refund what remains of every payment of a campaign, one after the other. It needs
// two operators.
type Run struct {
	Version int    `json:"version" kv:"version"`
	ID      string `json:"id" kv:"id"` // chosen by the caller, so that a repeated request is the same run
	// Tip includes tips to the platform.
	Tip         bool       `json:"tip"`
	Reason      Reason     `json:"reason"`
	Message     string     `json:"message,omitempty"` // to the supporters; "" for none
	StartedBy   string     `json:"startedBy"`
	StartedAt   time.Time  `json:"startedAt"`
	ConfirmedBy string     `json:"confirmedBy,omitempty"`
	ConfirmedAt *time.Time `json:"confirmedAt,omitempty"`

	Status RunStatus `json:"status"`
	// After is the number of the ledger's entry of the last payment that was visited.
	After    int         `json:"after"`
	Refunded int         `json:"refunded"` // payments with a refund
	Amount   money.Cents `json:"amount"`   // cents of these refunds
	// Skipped counts the payments that cannot be refunded: nothing remains of them, they are disputed, or the
	// processor does not have them.
	Skipped int `json:"skipped"`
	// Failures counts the last refunds in a row that the processor did not accept.
	Failures  int       `json:"failures"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Open reports whether the run can continue.
func (r *Run) Open() bool { return r.Status != "" && r.Status != RunDone && r.Status != RunEnded }

// Visit is the result of the visit to one payment of a run.
type Visit struct {
	Entry    int         `json:"entry"`  // the number of the ledger's entry of its charge
	Amount   money.Cents `json:"amount"` // cents that were refunded, 0 if it was skipped
	Accepted bool        `json:"accepted"`
}

const (
	runKey       = "refund-run"
	runIDsPrefix = "refund-run-id/" // ID → nothing, for all runs
)

// startRun decides a run.
type startRun struct {
	Run Run `json:"run"`
}

func (startRun) Kind() string { return "refund-run-start" }

func runStartRun(tx kv.Tx, now time.Time, cmd startRun) (Run, error) {
	known, err := loadRun(tx)
	switch {
	case err != nil || known.ID == cmd.Run.ID:
		return known, err
	case known.Open():
		return Run{}, fault.New(fault.Conflict, "All payments are being refunded already")
	}
	used, err := tx.Get(runIDsPrefix + cmd.Run.ID)
	switch {
	case err != nil:
		return Run{}, err
	case used != nil:
		return Run{}, fault.New(fault.Conflict, "An earlier run has this ID: choose another one").In("id")
	}
	if err := tx.Put(runIDsPrefix+cmd.Run.ID, []byte("{}")); err != nil {
		return Run{}, err
	}
	r := cmd.Run
	r.Version, r.Status, r.StartedAt = Version, RunWaiting, now
	return saveRun(tx, r, now)
}

// changeRun is an operator's decision about the run.
type changeRun struct {
	ID     string    `json:"id"`
	By     string    `json:"by"`
	Change RunChange `json:"change"`
}

func (changeRun) Kind() string { return "refund-run-change" }

func runChangeRun(tx kv.Tx, now time.Time, cmd changeRun) (Run, error) {
	r, err := loadRun(tx)
	to, known := runChanges[cmd.Change]
	switch {
	case err != nil:
		return Run{}, err
	case !known:
		return Run{}, fault.New(fault.Invalid, "Choose %s, %s, %s or %s", ConfirmRun, ContinueRun, PauseRun, EndRun).In("change")
	case r.ID != cmd.ID:
		return Run{}, fault.New(fault.NotFound, "There is no such run").In("id")
	case r.Status == to:
		return r, nil
	case r.Status == RunWaiting && cmd.Change == ContinueRun:
		return Run{}, fault.New(fault.Conflict, "The run waits for a second operator, who has to confirm it")
	case !r.Open(), r.Status == RunWaiting && cmd.Change == PauseRun, r.Status == RunPaused && cmd.Change == ConfirmRun:
		return Run{}, fault.New(fault.Conflict, "The run is %s", r.Status)
	}
	if cmd.Change == ConfirmRun {
		if !areTwo(r.StartedBy, cmd.By) {
			return Run{}, fault.New(fault.Conflict, "Another operator than the one who started the run has to confirm it")
		}
		r.ConfirmedBy, r.ConfirmedAt = cmd.By, &now
	}
	r.Status, r.Failures = to, 0
	return saveRun(tx, r, now)
}

// recordVisit records the visit to the next payment of the run.
type recordVisit struct {
	ID    string `json:"id"`
	Visit Visit  `json:"visit"`
}

func (recordVisit) Kind() string { return "refund-run-visit" }

func runRecordVisit(tx kv.Tx, now time.Time, cmd recordVisit) (Run, error) {
	r, err := loadRun(tx)
	v := cmd.Visit
	if err != nil || r.ID != cmd.ID || v.Entry <= r.After {
		return r, err // it was recorded
	}
	r.After = v.Entry
	switch {
	case v.Amount == 0:
		r.Skipped++
	case v.Accepted:
		r.Refunded, r.Amount, r.Failures = r.Refunded+1, r.Amount+v.Amount, 0
	default:
		r.Refunded, r.Amount, r.Failures = r.Refunded+1, r.Amount+v.Amount, r.Failures+1
	}
	if r.Status == RunActive && r.Failures >= maxFailures {
		r.Status = RunPaused
	}
	return saveRun(tx, r, now)
}

// finishRun ends the run after its last payment.
type finishRun struct {
	ID string `json:"id"`
}

func (finishRun) Kind() string { return "refund-run-finish" }

func runFinishRun(tx kv.Tx, now time.Time, cmd finishRun) (Run, error) {
	r, err := loadRun(tx)
	if err != nil || r.ID != cmd.ID || r.Status != RunActive {
		return r, err
	}
	r.Status = RunDone
	return saveRun(tx, r, now)
}

// loadRun returns the last run, the zero Run if there was none.
func loadRun(tx kv.Tx) (Run, error) {
	r, _, err := kv.Load[Run](tx, runKey)
	return r, err
}

func saveRun(tx kv.Tx, r Run, now time.Time) (Run, error) {
	r.UpdatedAt = now
	return r, kv.PutValue(tx, runKey, r)
}

type getRun struct{}

func (getRun) Kind() string { return "refund-run" }

func runGetRun(tx kv.Tx, _ time.Time, _ getRun) (Run, error) { return loadRun(tx) }

// Payment is a payment of a campaign with what remains of it.
type Payment struct {
	Entry     int                       `json:"entry"` // the number of the ledger's entry of its charge
	ID        string                    `json:"paymentIntentId"`
	Remaining []ledger.PledgeComponents `json:"remaining"`
}

// PaymentPage is a page of payments in the ledger's order; Next is the number of the last entry that was
// read, 0 at the end of the ledger.
type PaymentPage struct {
	Payments []Payment `json:"payments"`
	Next     int       `json:"next"`
}

// listPayments reads the payments among the next entries of the ledger.
type listPayments struct {
	After int `json:"after"`
	Limit int `json:"limit"` // of entries
}

func (listPayments) Kind() string { return "refund-payments" }

func runListPayments(tx kv.Tx, _ time.Time, q listPayments) (PaymentPage, error) {
	page := PaymentPage{Payments: []Payment{}}
	entries, err := ledger.Read(tx, q.After, q.Limit)
	if err != nil {
		return PaymentPage{}, err
	}
	for _, e := range entries {
		page.Next = e.Number
		if e.Kind != ledger.Charge && e.Kind != ledger.Opening {
			continue
		}
		o, err := ledger.ReadOutstanding(tx, e.PaymentID)
		if err != nil {
			return PaymentPage{}, err
		}
		page.Payments = append(page.Payments, Payment{Entry: e.Number, ID: e.PaymentID, Remaining: o.Remaining})
	}
	return page, nil
}
