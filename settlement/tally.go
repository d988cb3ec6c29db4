package settlement

import (
	"sync"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// DetailStatus is the outcome of a charge group in a run.
type DetailStatus string

// The outcomes.
const (
	DetailCharged   DetailStatus = "charged"
	DetailFailed    DetailStatus = "failed"
	DetailDropped   DetailStatus = "dropped" // failed, then dropped at the end of the recovery period
	DetailSkipped   DetailStatus = "skipped"
	DetailPending   DetailStatus = "pending"
	DetailAttention DetailStatus = "needs_attention"
	DetailError     DetailStatus = "error"
)

// Detail is the outcome of one charge group in a run.
type Detail struct {
	Email    string       `json:"email,omitempty"`
	OrderIDs []string     `json:"orderIds"`
	Amount   money.Cents  `json:"amount"` // cents
	Status   DetailStatus `json:"status"`
	Reason   string       `json:"reason,omitempty"`
}

// tally counts the outcomes of a run.
type tally struct {
	mu       sync.Mutex // guards the following; supporters may be settled concurrently
	brief    bool       // leave out the details of charged, failed and dropped groups
	quiet    bool       // count only charged, failed and dropped groups; a second pass counts the rest
	pledges  int        // visited
	details  []Detail
	failed   error                // the last skipped group's
	counts   map[DetailStatus]int // charge groups
	byStatus map[DetailStatus]int // pledges
	charged  money.Cents
	noCards  int // pledges
}

func (t *tally) add(d Detail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ended := d.Status == DetailCharged || d.Status == DetailFailed || d.Status == DetailDropped
	if t.quiet && !ended {
		return
	}
	if t.counts == nil {
		t.counts, t.byStatus = map[DetailStatus]int{}, map[DetailStatus]int{}
	}
	t.counts[d.Status]++
	t.byStatus[d.Status] += len(d.OrderIDs)
	if d.Status == DetailCharged {
		t.charged += d.Amount
	}
	if d.Reason == string(noCustomer) {
		t.noCards += len(d.OrderIDs)
	}
	if !t.brief || !ended {
		t.details = append(t.details, d)
	}
}

// addPledges counts visited pledges.
func (t *tally) addPledges(pledges int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pledges += pledges
}

// addSkipped keeps the error of the last skipped group.
func (t *tally) addSkipped(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = err
}

// addClosed counts a group that was closed in this run.
func (t *tally) addClosed(g state.Group, email string) {
	d := Detail{Email: email, OrderIDs: g.OrderIDs(), Amount: g.Amount, Status: DetailCharged}
	switch {
	case g.DroppedAt != nil:
		d.Status, d.Reason = DetailDropped, g.Code
	case g.Status == state.Failed:
		d.Status, d.Reason = DetailFailed, g.Code
	}
	t.add(d)
}

// addWaiting counts a group that has to wait.
func (t *tally) addWaiting(g state.Group) {
	d := Detail{OrderIDs: g.OrderIDs(), Amount: g.Amount, Status: DetailPending}
	switch g.Status {
	case state.NeedsAttention:
		d.Status, d.Reason = DetailAttention, g.Reason
	case state.Submitted:
		d.Reason = string(g.ProcessorStatus)
	case state.Failed:
		if g.Booked {
			return
		}
		d.Reason = g.Code
	case state.Succeeded:
		return
	}
	t.add(d)
}

// addUncharged counts a group for which no charge was started.
func (t *tally) addUncharged(p plan) {
	if d, ok := p.detail(); ok {
		t.add(d)
	}
}

// detail returns the reason why a plan makes no charge; ok is false if there is nothing to
// report.
func (p *plan) detail() (d Detail, ok bool) {
	d = Detail{Email: p.email, OrderIDs: p.ids(), Amount: p.amount, Status: DetailSkipped, Reason: string(p.verdict)}
	switch p.verdict {
	case toCharge, nothingOwed, toDrop:
		return d, false
	case latePledge, tooLarge, otherCurrency, disagreed:
		d.Status = DetailAttention
	case underWay:
		d.Status = DetailPending
	case noCustomer, noNewCard, tooSmall:
	}
	return d, true
}

func (t *tally) pick(statuses ...DetailStatus) []Detail {
	out := []Detail{}
	for _, d := range t.details {
		for _, s := range statuses {
			if d.Status == s {
				out = append(out, d)
			}
		}
	}
	return out
}
