package settlement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

const (
	// disputePage and disputePages limit what one run reads of a list, because every new dispute needs
	// another request. The next run continues.
	disputePage, disputePages = 50, 4
	// followedAtOnce is how many disputed payments one run looks up.
	followedAtOnce = 100
	// observedAtOnce is how many disputes are recorded in one transaction.
	observedAtOnce = 20
	// disputeOverlap and warningOverlap are how far a pass reaches back before the start of the previous
	// one. Disputes that are open are looked up anyway; a warning changes when its payment is refunded.
	disputeOverlap, warningOverlap = 3 * day, 30 * day
)

// ImportedDisputes is the result of ImportDisputes.
type ImportedDisputes struct {
	Disputes int `json:"disputes"` // observed, whether changed or not
	Warnings int `json:"warnings"` // early fraud warnings, the same
	// Foreign counts new disputes and warnings about payments of other services of the account.
	Foreign int `json:"foreign"`
	// Awaiting are the observed disputes that await an answer, each once. Every open dispute is looked up
	// once an hour.
	Awaiting []dispute.Dispute `json:"awaiting,omitempty"`
	// Suspected are the observed warnings that await a decision.
	Suspected []dispute.Warning `json:"suspected,omitempty"`
}

func (r *ImportedDisputes) add(more ImportedDisputes) {
	r.Disputes += more.Disputes
	r.Warnings += more.Warnings
	r.Foreign += more.Foreign
	r.Suspected = append(r.Suspected, more.Suspected...)
	for _, d := range more.Awaiting {
		same := func(known dispute.Dispute) bool { return known.ID == d.ID }
		r.Awaiting = append(slices.DeleteFunc(r.Awaiting, same), d) // the newest observation
	}
}

// ImportDisputes lists the processor's new disputes and early fraud warnings, looks up the disputes that
// may have changed, and records them in the objects of their campaigns, with the ledger entries of what
// they moved. A run reads a part of a long list, and the next one continues. Runs may overlap.
func (s *Service) ImportDisputes(ctx context.Context) (ImportedDisputes, error) {
	var all ImportedDisputes
	known, err := s.disputePlatform().Import(ctx, followedAtOnce)
	if err != nil {
		return all, err
	}
	var errs []error
	for _, list := range []dispute.List{dispute.Disputes, dispute.Warnings} {
		r, err := s.importReported(ctx, list, known.Progress[list])
		all.add(r)
		if err != nil {
			errs = append(errs, fmt.Errorf("listing %s: %w", list, err))
		}
	}
	r, err := s.followDisputes(ctx, known.Due)
	all.add(r)
	return all, errors.Join(append(errs, err)...)
}

// ImportPaymentDisputes looks up the disputes of a payment, because of a webhook. It does nothing if the
// payment is not one of this service.
func (s *Service) ImportPaymentDisputes(ctx context.Context, paymentID string) error {
	_, err := s.importOfPayment(ctx, paymentID)
	return err
}

// ImportWarnings lists the processor's new early fraud warnings, because of a webhook.
func (s *Service) ImportWarnings(ctx context.Context) error {
	known, err := s.disputePlatform().Import(ctx, 0)
	if err != nil {
		return err
	}
	_, err = s.importReported(ctx, dispute.Warnings, known.Progress[dispute.Warnings])
	return err
}

// reported is a dispute or an early fraud warning in a list.
type reported struct {
	id, paymentID string
	dispute       *psp.Dispute
	warning       *psp.FraudWarning
}

// importReported reads the next pages of a list's pass, or of a new pass.
func (s *Service) importReported(ctx context.Context, list dispute.List, last dispute.Progress) (all ImportedDisputes,
	err error) {
	now, p := s.Now().UTC(), last
	switch {
	case p.StartedAt.IsZero(), p.StartedAt.After(now): // the first pass, or a clock was wrong
		p = dispute.Progress{StartedAt: now, From: now.Add(-psp.EvidenceLife), Foreign: p.Foreign}
	case p.Done:
		p = dispute.Progress{StartedAt: now, From: p.StartedAt.Add(-overlapOf(list)), Foreign: p.Foreign}
	}
	for range disputePages {
		askedAt := s.Now().UTC()
		page, next, err := s.readReported(ctx, list, p)
		if p.After != "" && (fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound)) {
			p.After = "" // the last object read was removed from the list
			page, next, err = s.readReported(ctx, list, p)
		}
		if err != nil {
			return all, err
		}
		r, err := s.record(ctx, page, askedAt)
		all.add(r)
		if err != nil {
			return all, err // the page is read again
		}
		p.After, p.Done, p.Foreign = next, next == "", p.Foreign+r.Foreign
		if len(page) == 0 && last.Done && now.Sub(last.StartedAt) < day {
			return all, nil // the next pass reads the same range, which saves a write per hour
		}
		if err := s.disputePlatform().SetProgress(ctx, list, p); err != nil || p.Done {
			return all, err
		}
	}
	return all, nil
}

func overlapOf(list dispute.List) time.Duration {
	if list == dispute.Warnings {
		return warningOverlap
	}
	return disputeOverlap
}

func (s *Service) readReported(ctx context.Context, list dispute.List, p dispute.Progress) ([]reported, string, error) {
	var out []reported
	if list == dispute.Warnings {
		page, err := s.Processor.FraudWarnings(ctx, psp.FraudWarningQuery{From: p.From, After: p.After, Limit: disputePage})
		for _, w := range page.Warnings {
			out = append(out, reported{id: w.ID, paymentID: w.PaymentID, warning: &w})
		}
		return out, page.Next, err
	}
	page, err := s.Processor.Disputes(ctx, psp.DisputeQuery{From: p.From, After: p.After, Limit: disputePage})
	return reportedDisputes(page.Disputes), page.Next, err
}

func reportedDisputes(all []psp.Dispute) (out []reported) {
	for _, d := range all {
		out = append(out, reported{id: d.ID, paymentID: d.PaymentID, dispute: &d})
	}
	return out
}

// followDisputes looks up the payments of disputes that may have changed.
func (s *Service) followDisputes(ctx context.Context, due []dispute.Place) (all ImportedDisputes, err error) {
	var errs []error
	seen := map[string]bool{}
	for _, p := range due {
		if seen[p.PaymentID] {
			continue
		}
		seen[p.PaymentID] = true
		r, err := s.importOfPayment(ctx, p.PaymentID)
		all.add(r)
		if err != nil {
			errs = append(errs, fmt.Errorf("looking up the dispute %s: %w", p.ID, err))
		}
	}
	return all, errors.Join(errs...)
}

func (s *Service) importOfPayment(ctx context.Context, paymentID string) (ImportedDisputes, error) {
	askedAt := s.Now().UTC()
	r, err := s.Processor.Reversals(ctx, paymentID)
	if fault.Is(err, fault.NotFound) {
		return ImportedDisputes{}, nil
	}
	if err != nil {
		return ImportedDisputes{}, err
	}
	return s.record(ctx, reportedDisputes(r.Disputes), askedAt)
}

// record records what the processor reported to a request that was sent at askedAt. The place of a new
// dispute is recorded first, as due for a lookup, so that a crash cannot lose it.
func (s *Service) record(ctx context.Context, all []reported, askedAt time.Time) (r ImportedDisputes, err error) {
	places, foreign, err := s.placesOf(ctx, all)
	if r.Foreign = foreign; err != nil {
		return r, err
	}
	bySlug := map[string][]reported{}
	var slugs []string
	for _, one := range all {
		slug := places[one.id].Slug
		if slug == "" {
			continue
		}
		if bySlug[slug] == nil {
			slugs = append(slugs, slug)
		}
		bySlug[slug] = append(bySlug[slug], one)
	}
	slices.Sort(slugs)
	var errs []error
	for _, slug := range slugs {
		for part := range slices.Chunk(bySlug[slug], observedAtOnce) {
			seen, err := s.observe(ctx, slug, part, places, askedAt)
			r.add(seen)
			errs = append(errs, err)
		}
	}
	return r, errors.Join(errs...)
}

// observe records disputes and warnings of one campaign.
func (s *Service) observe(ctx context.Context, slug string, part []reported, places map[string]dispute.Place,
	askedAt time.Time) (r ImportedDisputes, err error) {
	var disputes []dispute.Dispute
	var warnings []dispute.Warning
	for _, one := range part {
		group := places[one.id].Group
		if one.warning != nil {
			warnings = append(warnings, dispute.ObservedWarning(*one.warning, slug, group, askedAt))
		} else {
			disputes = append(disputes, dispute.Observed(*one.dispute, slug, group, askedAt))
		}
	}
	recorded, err := s.disputesOf(slug).Observe(ctx, disputes, warnings)
	if err != nil {
		return r, err
	}
	r.Suspected = recorded.Warnings
	next := make([]dispute.Place, 0, len(recorded.Disputes))
	for _, d := range recorded.Disputes {
		p := places[d.ID]
		p.NextAt = nil
		if at, ok := d.NextLookup(); ok {
			p.NextAt = &at
		}
		if _, due := d.AnswerDue(); due {
			r.Awaiting = append(r.Awaiting, d)
		}
		if err := s.showDispute(ctx, d); err != nil {
			return r, err // the place stays due
		}
		next = append(next, p)
	}
	r.Disputes, r.Warnings = len(disputes), len(warnings)
	return r, s.disputePlatform().SetPlaces(ctx, next)
}

// disputeStatuses maps the phases of disputes to the statuses that pledges show.
var disputeStatuses = map[dispute.Phase]pledge.DisputeStatus{
	dispute.Inquiry: pledge.DisputeOpen, dispute.Chargeback: pledge.DisputeOpen, dispute.Unknown: pledge.DisputeOpen,
	dispute.Won: pledge.DisputeWon, dispute.Lost: pledge.DisputeLost, dispute.Closed: pledge.DisputeClosed,
}

// showDispute shows a dispute in the pledges of its payment, with the campaign's choice to hold their
// parcels. Every lookup repeats it, so that another choice takes effect for disputes that are looked up.
func (s *Service) showDispute(ctx context.Context, d dispute.Dispute) error {
	c, err := s.Catalogue().Campaign(d.CampaignSlug)
	if err != nil {
		return err
	}
	g, err := s.Group(ctx, d.CampaignSlug, d.Group)
	if err != nil || g == nil || g.PaymentIntentID != d.PaymentID {
		return err // reconciliation reports a payment that no group has
	}
	shown := pledge.Dispute{ID: d.ID, Status: disputeStatuses[d.Phase()], At: d.UpdatedAt,
		HoldsParcels: !c.Shipping.ShipDisputed}
	for _, id := range g.OrderIDs() {
		p, err := s.noteDispute(ctx, *g, id, shown)
		if fault.Is(err, fault.NotFound) {
			continue // a restore lost the order
		}
		if err != nil {
			return err
		}
		if err := s.Projector.BookIfStale(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// noteDispute shows a dispute in a pledge. If a restore removed the pledge's charge, that is recorded first.
func (s *Service) noteDispute(ctx context.Context, g state.Group, id string, shown pledge.Dispute) (*pledge.Pledge, error) {
	p, err := s.Orders.NoteDispute(ctx, id, shown)
	if !fault.Is(err, fault.Conflict) || g.Status != state.Succeeded {
		return p, err
	}
	if _, err := s.markCharged(ctx, g); err != nil {
		return nil, err
	}
	return s.Orders.NoteDispute(ctx, id, shown)
}

// placesOf returns the places of disputes and warnings by ID, and how many new ones are about payments that
// are not of this service. Their payments are not read again.
func (s *Service) placesOf(ctx context.Context, all []reported) (map[string]dispute.Place, int, error) {
	if len(all) == 0 {
		return nil, 0, nil
	}
	ids := make([]string, 0, len(all))
	for _, one := range all {
		ids = append(ids, one.id)
	}
	platform := s.disputePlatform()
	places, err := platform.Places(ctx, ids)
	if err != nil {
		return nil, 0, err
	}
	var added []dispute.Place
	foreign := 0
	for _, one := range all {
		if _, known := places[one.id]; known {
			continue
		}
		p := dispute.Place{ID: one.id, PaymentID: one.paymentID}
		if p.Slug, p.Group, err = s.chargeOf(ctx, one.paymentID); err != nil {
			return nil, 0, err
		}
		switch now := s.Now().UTC(); {
		case p.Slug == "":
			foreign++
		case one.dispute != nil:
			p.NextAt = &now
		}
		places[one.id], added = p, append(added, p)
	}
	return places, foreign, platform.SetPlaces(ctx, added)
}

// chargeOf returns the campaign and the charge group of a payment, "" if it is not one of this service.
func (s *Service) chargeOf(ctx context.Context, paymentID string) (slug, group string, err error) {
	slug, group, err = s.namedBy(ctx, paymentID)
	if _, unknown := s.Catalogue().Campaign(slug); unknown != nil {
		return "", "", err // a payment of another service
	}
	return slug, group, err
}

// namedBy returns the campaign and the charge group that a payment's metadata names, "" if it names none. The
// campaign may not be in the catalogue.
func (s *Service) namedBy(ctx context.Context, paymentID string) (slug, group string, err error) {
	if paymentID == "" {
		return "", "", nil
	}
	p, err := s.Processor.Payment(ctx, paymentID)
	if fault.Is(err, fault.NotFound) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	hash, ours := state.GroupOf(p.Group, p.Campaign)
	if !ours {
		return "", "", nil
	}
	return p.Campaign, hash, nil
}

// Disputes returns at most limit of a campaign's disputes after an ID, or of the open ones only.
func (s *Service) Disputes(ctx context.Context, slug string, open bool, after string, limit int) (dispute.Page, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return dispute.Page{}, err
	}
	return s.disputesOf(slug).List(ctx, open, after, limit)
}

// Dispute returns one of a campaign's disputes. It fails with code NotFound if there is none.
func (s *Service) Dispute(ctx context.Context, slug, id string) (dispute.Dispute, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return dispute.Dispute{}, err
	}
	return s.disputesOf(slug).Get(ctx, id)
}

// DisputesOfPayment returns the disputes and early fraud warnings of a campaign's payment.
func (s *Service) DisputesOfPayment(ctx context.Context, slug, paymentID string) (dispute.OfPayment, error) {
	return s.disputesOf(slug).OfPayment(ctx, paymentID)
}

// AwaitedWarnings returns a campaign's early fraud warnings that await a decision: to refund the payment, or to
// leave it.
func (s *Service) AwaitedWarnings(ctx context.Context, slug string) ([]dispute.Warning, error) {
	return s.disputesOf(slug).AwaitedWarnings(ctx)
}

// AcknowledgeWarning records that an operator leaves the payment of a warning as it is. It fails with code
// NotFound if the campaign has no such warning.
func (s *Service) AcknowledgeWarning(ctx context.Context, slug, id, operator string) (dispute.Warning, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return dispute.Warning{}, err
	}
	return s.disputesOf(slug).Acknowledge(ctx, id, operator)
}

// DisputeSums compares the accounts of disputes in a campaign's ledger with its recorded disputes.
func (s *Service) DisputeSums(ctx context.Context, slug string) (dispute.Sums, error) {
	return s.disputesOf(slug).Sums(ctx)
}

// DisputeCampaigns returns the campaigns of disputes by ID, "" for a payment of another service. A dispute that
// was never imported is missing.
func (s *Service) DisputeCampaigns(ctx context.Context, ids []string) (map[string]string, error) {
	places, err := s.disputePlatform().Places(ctx, ids)
	slugs := map[string]string{}
	for id, p := range places {
		slugs[id] = p.Slug
	}
	return slugs, err
}

func (s *Service) disputesOf(slug string) dispute.Client {
	return dispute.Client{Coordinator: s.Coordinator, Object: kv.Object{Class: state.ClassName, Name: slug}}
}

func (s *Service) disputePlatform() dispute.Platform {
	return dispute.Platform{Coordinator: s.Coordinator, Object: s.platform().Object()}
}
