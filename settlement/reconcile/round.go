package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Round runs the next part of the passes of several campaigns. They share the list of the
// account's payments, so that each page is read once.
type Round struct {
	service  *Service
	from, to time.Time // of the passes that begin in it
	left     int       // payments that may still be read one by one
	pages    map[psp.PaymentQuery]psp.PaymentPage
	disputes map[string]psp.Dispute // of the account, by ID; nil until they are listed
}

// Round starts a round for some campaigns. Its list starts at the earliest of their windows (see
// settlement.Service.PaymentsSince).
func (s *Service) Round(ctx context.Context, campaigns ...*campaign.Campaign) (*Round, error) {
	now := s.Now().UTC()
	r := &Round{service: s, from: now, to: now.Add(time.Second), left: MaxRetrievals,
		pages: map[psp.PaymentQuery]psp.PaymentPage{}}
	for _, c := range campaigns {
		from, err := s.Settlement.PaymentsSince(ctx, c)
		if err != nil {
			return nil, err
		}
		if from.Before(r.from) {
			r.from = from
		}
	}
	return r, nil
}

// Run runs the next part of a campaign's pass, as Service.Run does. The campaigns of a round share
// MaxRetrievals reads of single payments. If no reads are left, Run does nothing and ok is false.
func (r *Round) Run(ctx context.Context, c *campaign.Campaign) (report Report, ok bool, err error) {
	if r.left < 1 {
		return Report{}, false, nil
	}
	report, err = r.run(ctx, c, r.left)
	return report, true, err
}

func (r *Round) run(ctx context.Context, c *campaign.Campaign, retrievals int) (Report, error) {
	if retrievals < 1 || retrievals > MaxRetrievals {
		retrievals = MaxRetrievals
	}
	s := r.service
	p, err := kv.Send[Pass](ctx, s.Coordinator, objectOf(c.Slug), "reconcile-open", openPass{From: r.from, To: r.to})
	if err != nil {
		return Report{}, err
	}
	l := comparison{Service: s, campaign: c, round: r, pass: p, left: retrievals,
		payments: map[string]psp.Payment{}, seen: map[string]bool{}}
	if err := l.run(ctx); err != nil {
		return Report{}, err
	}
	r.left -= retrievals - l.left
	l.pass.Step++
	id := fmt.Sprintf("reconcile-note:%d:%d", l.pass.Number, l.pass.Step)
	if _, err := kv.Send[Pass](ctx, s.Coordinator, objectOf(c.Slug), id,
		recordFindings{Slug: c.Slug, Pass: l.pass, Findings: l.found}); err != nil {
		return Report{}, err
	}
	if err := s.copyBreaks(ctx, c.Slug); err != nil {
		return Report{}, err
	}
	report, err := s.Report(ctx, c.Slug)
	report.Attempted = true
	return report, err
}

// page returns a page of the processor's payments, from the cache if another campaign of the
// round has read it.
func (r *Round) page(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	if page, known := r.pages[q]; known {
		return page, nil
	}
	page, err := r.service.Processor.Payments(ctx, q)
	if err == nil {
		r.pages[q] = page
	}
	return page, err
}

// listDisputes returns the account's disputes since the start of the round's passes, by ID. They are listed
// once for all campaigns of the round.
func (r *Round) listDisputes(ctx context.Context, from time.Time) (map[string]psp.Dispute, error) {
	if r.disputes != nil && !from.Before(r.from) {
		return r.disputes, nil
	}
	if from.Before(r.from) { // a pass of an earlier round
		r.from = from
	}
	all := map[string]psp.Dispute{}
	q := psp.DisputeQuery{From: r.from, Limit: r.service.paymentPage()}
	for {
		page, err := r.service.Processor.Disputes(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Disputes {
			all[d.ID] = d
		}
		if q.After = page.Next; q.After == "" {
			r.disputes = all
			return all, nil
		}
	}
}
