package pledgehealth

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Result holds the totals of a check of all pledges of a campaign.
type Result struct {
	CheckedAt time.Time `json:"checkedAt"` // when the check ended
	// Charges is the number of charges that were checked, one per card, and Amount their total in
	// cents. AtRisk and AtRiskAmount cover the charges with a problem.
	Charges      int         `json:"charges"`
	Amount       money.Cents `json:"amount"`
	AtRisk       int         `json:"atRiskCharges"`
	AtRiskAmount money.Cents `json:"atRiskAmount"`
	// Causes has one entry for each kind of problem that was found. A charge with two problems is
	// counted in both.
	Causes []Cause `json:"causes"`
	// Askable is the number of reachable supporters who had not been asked for another card yet.
	Askable int `json:"askable"`
}

// Cause counts the charges with one kind of problem.
type Cause struct {
	Trouble Trouble     `json:"trouble"`
	Charges int         `json:"charges"`
	Amount  money.Cents `json:"amount"` // cents
}

// Checked is the progress of a check.
type Checked struct {
	Charges int     `json:"charges"`          // checked so far
	Next    string  `json:"next"`             // the cursor of the next page, "" after the last
	Result  *Result `json:"result,omitempty"` // after the last page
}

// checkRecord is the record pledge-health:v1:{slug}. It contains no card and no address.
type checkRecord struct {
	Last *Result `json:"last,omitempty"`
	// Running holds the totals of an unfinished check's pages, and Next the cursor of its next
	// page.
	Running *Result `json:"running,omitempty"`
	Next    string  `json:"next,omitempty"`
}

func checkKey(slug string) string { return "pledge-health:v1:" + slug }

// LastResult returns the result of the last complete check of a campaign, nil if there is
// none. It reads one record.
func LastResult(ctx context.Context, s kv.Store, slug string) (*Result, error) {
	r, _, err := kv.Read[checkRecord](ctx, s, checkKey(slug))
	return r.Last, err
}

// Check reads the cards of the supporters after a cursor, "" to begin a check, and adds them to the
// check's totals. After the last page it stores the result. It fails like Findings, and with code
// Conflict if the cursor does not continue the last check, for example because another operator
// began a new one.
func (s *Service) Check(ctx context.Context, c *campaign.Campaign, cursor string, limit int) (Checked, error) {
	r, _, err := kv.Read[checkRecord](ctx, s.Settlement.Store, checkKey(c.Slug))
	if err != nil {
		return Checked{}, err
	}
	if cursor == "" {
		r.Running = &Result{Causes: []Cause{}}
	} else if r.Running == nil || r.Next != cursor {
		return Checked{}, fault.New(fault.Conflict,
			"The cursor does not continue the last check: begin a new one").In("cursor")
	}
	page, err := s.Findings(ctx, c, cursor, limit)
	if err != nil {
		return Checked{}, err
	}
	r.Running.add(page)
	out := Checked{Charges: r.Running.Charges, Next: page.Next}
	if r.Next = page.Next; r.Next == "" {
		r.Running.CheckedAt = s.Now().UTC()
		r.Last, r.Running, out.Result = r.Running, nil, r.Running
	}
	return out, kv.Save(ctx, s.Settlement.Store, checkKey(c.Slug), r)
}

func (r *Result) add(p Page) {
	r.Charges, r.Amount = r.Charges+p.Charges, r.Amount+p.Amount
	r.AtRisk, r.AtRiskAmount = r.AtRisk+len(p.Findings), r.AtRiskAmount+p.AtRisk
	for _, f := range p.Findings {
		for _, t := range f.Troubles {
			r.count(t, f.Amount)
		}
	}
	for _, m := range mails(p.Findings) {
		if !m.asked && !m.dead {
			r.Askable++
		}
	}
}

func (r *Result) count(t Trouble, amount money.Cents) {
	n := slices.IndexFunc(r.Causes, func(c Cause) bool { return c.Trouble == t })
	if n < 0 {
		n, r.Causes = len(r.Causes), append(r.Causes, Cause{Trouble: t})
	}
	r.Causes[n].Charges++
	r.Causes[n].Amount += amount
}
