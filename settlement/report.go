package settlement

import (
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Report is the answer to Settle: a Preview after a dry run, else a Result.
type Report struct {
	DryRun       bool   `json:"dryRun"`
	CampaignSlug string `json:"campaignSlug"`
	// Funds are what the campaign's pledges come to now.
	Funds inventory.Funds `json:"funds"`
	// SkippedNoCustomer counts the pledges without a card that can be charged.
	SkippedNoCustomer int `json:"skippedNoCustomer"`
	// Skipped lists the supporters that were, or would be, passed over.
	Skipped []Detail `json:"skipped"`
	*Preview
	*Result
}

// Preview is what a settlement would charge.
type Preview struct {
	SupporterCount int         `json:"supporterCount"`
	PledgeCount    int         `json:"pledgeCount"`
	TotalAmount    money.Cents `json:"totalAmount"` // cents
	Supporters     []Supporter `json:"supporters"`
}

// Supporter is one charge of a Preview.
type Supporter struct {
	Email       string      `json:"email"`
	TotalAmount money.Cents `json:"totalAmount"` // cents
	PledgeCount int         `json:"pledgeCount"`
	OrderIDs    []string    `json:"orderIds"`
	CardOrderID string      `json:"cardOrderId"` // of the pledge whose card pays
}

// Result is what a settlement has done. Success says that nothing went wrong
// on the way; declined cards are no error.
type Result struct {
	Success           bool        `json:"success"`
	SupportersCharged int         `json:"supportersCharged"`
	SupportersFailed  int         `json:"supportersFailed"`
	SupportersDropped int         `json:"supportersDropped"` // failed before, and given up now
	NeedsAttention    int         `json:"needsAttention"`    // supporters that somebody has to look at
	Pending           int         `json:"pending"`           // supporters whose charge has no known outcome yet
	PledgesCharged    int         `json:"pledgesCharged"`
	Errors            []Detail    `json:"errors"`
	TotalCharged      money.Cents `json:"totalCharged"` // cents
	// CompletedAt is set when nothing is left to settle.
	CompletedAt *time.Time `json:"completedAt"`
}

// DetailStatus says what became of a supporter in a run.
type DetailStatus string

// The values.
const (
	DetailCharged   DetailStatus = "charged"
	DetailFailed    DetailStatus = "failed"
	DetailDropped   DetailStatus = "dropped" // failed, and given up after the campaign's grace
	DetailSkipped   DetailStatus = "skipped"
	DetailPending   DetailStatus = "pending"
	DetailAttention DetailStatus = "needs_attention"
	DetailError     DetailStatus = "error"
)

// Detail is one supporter of a run.
type Detail struct {
	Email    string       `json:"email,omitempty"`
	OrderIDs []string     `json:"orderIds"`
	Amount   money.Cents  `json:"amount"` // cents
	Status   DetailStatus `json:"status"`
	Reason   string       `json:"reason,omitempty"`
}

// tally is what a run puts down as it goes.
type tally struct {
	mu       sync.Mutex // over all that follows: supporters may be looked at side by side
	brief    bool       // leave out the details of what went well
	quiet    bool       // put down only what went well, since everybody is looked at again
	pledges  int        // looked at
	details  []Detail
	failed   error                // the last that was passed over
	counts   map[DetailStatus]int // supporters
	byStatus map[DetailStatus]int // pledges
	charged  money.Cents
	noCards  int // pledges
}

func (t *tally) put(d Detail) {
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

// looked counts pledges.
func (t *tally) looked(pledges int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pledges += pledges
}

// passedOver keeps the last error of a supporter for whom nothing could be done.
func (t *tally) passedOver(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = err
}

// settled puts down a group that was closed in this run.
func (t *tally) settled(g Group, email string) {
	d := Detail{Email: email, OrderIDs: g.orderIDs(), Amount: g.Amount, Status: DetailCharged}
	switch {
	case g.DroppedAt != nil:
		d.Status, d.Reason = DetailDropped, g.Code
	case g.Status == Failed:
		d.Status, d.Reason = DetailFailed, g.Code
	}
	t.put(d)
}

// stuck puts down a group that can't go on now.
func (t *tally) stuck(g Group) {
	d := Detail{OrderIDs: g.orderIDs(), Amount: g.Amount, Status: DetailPending}
	switch g.Status {
	case NeedsAttention:
		d.Status, d.Reason = DetailAttention, g.Reason
	case Submitted:
		d.Reason = string(g.ProcessorStatus)
	case Failed:
		if g.Booked {
			return
		}
		d.Reason = g.Code
	case Succeeded:
		return
	}
	t.put(d)
}

// leave puts down a supporter for whom nothing is begun.
func (t *tally) leave(p plan) {
	if d, ok := p.detail(); ok {
		t.put(d)
	}
}

// detail tells why a plan charges nothing; ok is false where that is in order.
func (p *plan) detail() (d Detail, ok bool) {
	d = Detail{Email: p.email, OrderIDs: p.ids(), Amount: p.amount, Status: DetailSkipped, Reason: string(p.verdict)}
	switch p.verdict {
	case toCharge, nothingOwed, toDrop:
		return d, false
	case latePledge, tooLarge, foreign, disagreed:
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

func (r *run) report(completed *time.Time) Report {
	return Report{
		CampaignSlug:      r.campaign.Slug,
		SkippedNoCustomer: r.noCards,
		Skipped:           r.pick(DetailSkipped, DetailPending, DetailAttention),
		Result: &Result{
			Success:           r.counts[DetailError] == 0,
			SupportersCharged: r.counts[DetailCharged],
			SupportersFailed:  r.counts[DetailFailed],
			SupportersDropped: r.counts[DetailDropped],
			NeedsAttention:    r.counts[DetailAttention],
			Pending:           r.counts[DetailPending],
			PledgesCharged:    r.byStatus[DetailCharged],
			Errors:            r.pick(DetailError),
			TotalCharged:      r.charged,
			CompletedAt:       completed,
		},
	}
}

// messageOf is what a report says about an error.
func messageOf(err error) string {
	if f := fault.Of(err); f != nil {
		return f.Message
	}
	return "Internal error"
}
