package reconcile

import (
	"cmp"
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Service reconciles campaigns. All fields except PageSize are required. It is safe for
// concurrent use by any number of processes.
type Service struct {
	Store       kv.Store // primary namespace
	Coordinator kv.Coordinator
	Orders      order.Client
	Inventory   inventory.Client
	Settlement  *settlement.Service
	Processor   psp.Processor
	Catalogue   func() *campaign.Catalogue
	Zone        *time.Location // the platform's time zone
	Now         func() time.Time
	// PageSize is how many pledges, or payments in the processor's list, are read at once. 0
	// means 25 and 100.
	PageSize int
}

func (s *Service) pledgePage() int { return cmp.Or(s.PageSize, 25) }

func (s *Service) paymentPage() int { return cmp.Or(s.PageSize, 100) }

// MaxRetrievals is the maximum number of payments that one run reads one by one. A run also lists
// at most as many payments.
const MaxRetrievals = 500

// Report is the state of a campaign's reconciliation.
type Report struct {
	CampaignSlug string `json:"campaignSlug"`
	Currency     string `json:"currency"`
	// Attempted reports whether this call ran a part, and Truncated whether the pass is
	// incomplete: the next run continues it.
	Attempted bool `json:"attempted"`
	Truncated bool `json:"truncated"`
	Pass      int  `json:"pass"`
	Sums
	// Funds are the current totals of the campaign's pledges.
	Funds      inventory.Funds `json:"funds"`
	Difference money.Cents     `json:"difference"` // cents: the processor's total minus ours, of a complete pass
	OpenBreaks int             `json:"openBreaks"`
	Critical   int             `json:"criticalBreaks"`
	Breaks     []Break         `json:"breaks"` // open ones, the first 200
	// OldestBreak is when the oldest of Breaks was first found.
	OldestBreak *time.Time `json:"oldestBreak,omitempty"`
	// ReconciledAt is when the last complete pass ended.
	ReconciledAt *time.Time `json:"reconciledAt,omitempty"`
	// Compared is the result of the last complete pass, nil before the first one: then no
	// differences are known.
	Compared *Compared `json:"compared,omitempty"`
}

// Compared is the result of a complete pass, with amounts in cents.
type Compared struct {
	At         time.Time   `json:"at"`
	Pledges    int         `json:"pledges"`  // compared pledges
	Payments   int         `json:"payments"` // the campaign's payments on the processor's list
	Booked     money.Cents `json:"booked"`   // charged, by our records
	Processor  money.Cents `json:"processor"`
	Difference money.Cents `json:"difference"` // the processor's amount minus ours
}

// Run runs the next part of a campaign's pass, or of a new pass, and reads at most the given number
// of payments one by one; a number that is not from 1 to MaxRetrievals means MaxRetrievals.
//
// It fails with code NotFound for an unknown campaign, and with Unavailable if the processor does
// not answer. After an error the run is not counted, and no break is resolved.
func (s *Service) Run(ctx context.Context, slug string, retrievals int) (Report, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return Report{}, err
	}
	round, err := s.Round(ctx, c)
	if err != nil {
		return Report{}, err
	}
	return round.run(ctx, c, retrievals)
}

// Report returns the state of a campaign's reconciliation without running a part.
func (s *Service) Report(ctx context.Context, slug string) (Report, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return Report{}, err
	}
	st, err := kv.Ask[progress](ctx, s.Coordinator, objectOf(slug), getProgress{})
	if err != nil {
		return Report{}, err
	}
	snap, err := s.Inventory.Snapshot(ctx, slug)
	if err != nil {
		return Report{}, err
	}
	r := Report{CampaignSlug: slug, Currency: money.USD, Funds: snap.Totals.Funds,
		Pass: st.Pass.Number, Sums: st.Pass.Sums,
		Truncated: st.Pass.Number > 0 &&
			st.Pass.EndedAt == nil, OpenBreaks: st.Open, Critical: st.Critical, Breaks: st.Breaks}
	if last := st.Last; last != nil {
		r.ReconciledAt, r.Difference = last.EndedAt, last.Processor-last.Booked
		r.Compared = &Compared{At: *last.EndedAt, Pledges: last.Checked, Payments: last.Listed,
			Booked: last.Booked, Processor: last.Processor, Difference: r.Difference}
	}
	for _, b := range st.Breaks {
		if r.OldestBreak == nil || b.FirstSeenAt.Before(*r.OldestBreak) {
			r.OldestBreak = &b.FirstSeenAt
		}
	}
	return r, nil
}

// copyBreaks writes the Store's copies of changed breaks. If it crashes, the next run writes
// the missing ones.
func (s *Service) copyBreaks(ctx context.Context, slug string) error {
	for {
		changed, err := kv.Ask[[]Break](ctx, s.Coordinator, objectOf(slug), listDirty{})
		if err != nil || len(changed) == 0 {
			return err
		}
		changed = changed[:min(len(changed), copiesAtOnce)]
		var writes []kv.Write
		for _, b := range changed {
			w, err := kv.Rewrite(ctx, s.Store, b.Key(), b, b.LastSeenAt.Add(psp.EvidenceLife))
			if err != nil {
				return err
			}
			writes = append(writes, w)
		}
		if err := s.Store.Apply(ctx, writes); err != nil {
			return err
		}
		done := markCopied{Breaks: changed}
		if _, err := kv.Send[none](ctx, s.Coordinator, objectOf(slug), "reconcile-copied", done); err != nil {
			return err
		}
	}
}

// copiesAtOnce is the number of breaks that are written in one batch.
const copiesAtOnce = 50

func objectOf(slug string) kv.Object { return kv.Object{Class: state.ClassName, Name: slug} }
