package settlement

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// A database that was restored may have forgotten that a supporter cancelled or reduced a
// pledge. The processor has the terms that were agreed last (package agreement). Before a run
// charges, it compares them with the pledges and records each difference in the campaign's
// object. A pledge with a difference is not charged until its supporter changes it again, it is
// given up, or two operators decide that it may be charged as it is.

const disagreementPrefix = "disagreement/" // hash of the pledge's own group → Disagreement

func disagreementKey(hash string) string { return disagreementPrefix + hash }

// Disagreement is a pledge whose terms at the processor do not permit its charge.
type Disagreement struct {
	PledgeID string          `json:"orderId" kv:"id"`
	Amount   money.Cents     `json:"amount"`   // cents, of the pledge in our records
	Recorded agreement.Terms `json:"recorded"` // at the processor
	FoundAt  time.Time       `json:"foundAt"`
	SeenAt   time.Time       `json:"seenAt"` // by the last import
	// Two operators decide that the pledge may be charged its Amount.
	StatedBy    string     `json:"statedBy,omitempty"`
	Reason      string     `json:"reason,omitempty"`
	ConfirmedBy string     `json:"confirmedBy,omitempty"`
	ConfirmedAt *time.Time `json:"confirmedAt,omitempty"`
}

// Accepted reports whether two operators decided that the pledge may be charged.
func (d *Disagreement) Accepted() bool { return d != nil && d.ConfirmedBy != "" }

// sessionAge is how long before its pledges an order's customer may have been created.
const sessionAge = 25 * time.Hour

// importAgreements reads the terms that the processor has for the pledges of the campaign, and
// records those that do not permit a charge.
func (a *admission) importAgreements(ctx context.Context) error {
	if a.vouched || a.purpose != purposeCharge {
		return nil
	}
	from, err := a.PaymentsSince(ctx, a.campaign)
	if err != nil {
		return err
	}
	began := a.Now()
	q := psp.CustomerQuery{From: from.Add(-sessionAge), To: began.Add(day), Limit: 100}
	for {
		if err := a.ensureLease(ctx); err != nil {
			return err
		}
		page, err := a.Processor.Customers(ctx, q)
		if err != nil {
			return err
		}
		if err := a.importTerms(ctx, page.Customers); err != nil {
			return err
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	l := a.currentLease()
	_, err = kv.Send[none](ctx, a.Coordinator, a.object.object(), "prune-disagreements:"+l.Owner, pruneDisagreements{l.fence(), began})
	return err
}

// importTerms compares the terms in the metadata of some customers.
func (a *admission) importTerms(ctx context.Context, customers []psp.Customer) error {
	for _, c := range customers {
		if !hasTerms(c) {
			continue
		}
		pledges, err := a.pledgesOf(ctx, c)
		if err != nil {
			return err
		}
		for _, p := range pledges {
			terms, recorded := agreement.Parse(c.Metadata[agreement.Key(p.OrderID)])
			if !recorded || terms.Permits(p) || !p.Unpaid() {
				continue
			}
			a.Log.WarnContext(ctx, "settlement: a pledge is held, its terms differ from those recorded at the processor",
				"campaign", a.campaign.Slug, "order", p.OrderID, "amount", p.Amount, "recorded", terms.String())
			l := a.currentLease()
			cmd := noteDisagreement{l.fence(), hashOf(a.campaign.Slug, p.OrderID), Disagreement{PledgeID: p.OrderID, Amount: p.Amount, Recorded: terms}}
			if _, err := kv.Send[none](ctx, a.Coordinator, a.object.object(), "disagreement:"+l.Owner+":"+p.OrderID, cmd); err != nil {
				return err
			}
		}
	}
	return nil
}

func hasTerms(c psp.Customer) bool {
	for key := range c.Metadata {
		if agreement.IsKey(key) {
			return true
		}
	}
	return false
}

// pledgesOf reads the pledges to this campaign of the order that a customer was created for.
func (a *admission) pledgesOf(ctx context.Context, c psp.Customer) ([]*pledge.Pledge, error) {
	orderID, err := pledge.OrderOf(c.Metadata["orderId"])
	if err != nil {
		return nil, nil //nolint:nilerr // a customer of another program
	}
	o, err := a.Orders.Get(ctx, orderID)
	if fault.Is(err, fault.NotFound) {
		return nil, nil // a lost order is not charged
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(o.Pledges, func(p *pledge.Pledge) bool { return p.CampaignSlug != a.campaign.Slug }), nil
}

type noteDisagreement struct {
	fence
	Hash         string       `json:"hash"` // of the pledge's own group
	Disagreement Disagreement `json:"disagreement"`
}

func (noteDisagreement) Kind() string { return "disagreement" }

// runNoteDisagreement keeps what operators decided as long as the difference is the same.
func runNoteDisagreement(tx kv.Tx, now time.Time, cmd noteDisagreement) (none, error) {
	if _, err := underLease(tx, now, cmd.fence); err != nil {
		return none{}, err
	}
	d := cmd.Disagreement
	last, known, err := kv.Load[Disagreement](tx, disagreementKey(cmd.Hash))
	if err != nil {
		return none{}, err
	}
	if known && last.Amount == d.Amount && last.Recorded == d.Recorded {
		d = last
	} else {
		d.FoundAt = now
	}
	d.SeenAt = now
	return none{}, kv.Keep(tx, disagreementKey(cmd.Hash), d)
}

// pruneDisagreements removes those that an import, which began at a time, did not find again.
type pruneDisagreements struct {
	fence
	Before time.Time `json:"before"`
}

func (pruneDisagreements) Kind() string { return "prune-disagreements" }

func runPruneDisagreements(tx kv.Tx, now time.Time, cmd pruneDisagreements) (none, error) {
	if _, err := underLease(tx, now, cmd.fence); err != nil {
		return none{}, err
	}
	return none{}, eachDisagreement(tx, func(key string, d Disagreement) error {
		if d.SeenAt.Before(cmd.Before) {
			return tx.Delete(key)
		}
		return nil
	})
}

// listDisagreements asks for all of them.
type listDisagreements struct{}

func (listDisagreements) Kind() string { return "disagreements" }

func runListDisagreements(tx kv.Tx, _ time.Time, _ listDisagreements) ([]Disagreement, error) {
	all := []Disagreement{}
	err := eachDisagreement(tx, func(_ string, d Disagreement) error {
		all = append(all, d)
		return nil
	})
	return all, err
}

func eachDisagreement(tx kv.Tx, do func(key string, d Disagreement) error) error {
	for after := ""; ; {
		entries, err := tx.List(disagreementPrefix, after, kv.MaxPage)
		if err != nil {
			return err
		}
		for _, e := range entries {
			after = e.Key
			d, err := kv.Decode[Disagreement](e.Key, e.Value)
			if err != nil {
				return err
			}
			if err := do(e.Key, d); err != nil {
				return err
			}
		}
		if len(entries) < kv.MaxPage {
			return nil
		}
	}
}

// Disagreements lists the pledges of a campaign that are not charged because the processor has
// other terms for them, as the last import found them. It fails with code NotFound for an
// unknown campaign.
func (s *Service) Disagreements(ctx context.Context, slug string) ([]Disagreement, error) {
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return nil, err
	}
	return kv.Ask[[]Disagreement](ctx, s.Coordinator, client{s.Coordinator, slug}.object(), listDisagreements{})
}

// AcceptTerms takes an operator's decision that a pledge with a disagreement may be charged its
// present amount. It holds once a second operator decides the same. It fails with code NotFound
// if the pledge has no disagreement, and with Invalid without a reason in plain words.
func (s *Service) AcceptTerms(ctx context.Context, slug, operator, pledgeID, reason string) (Disagreement, error) {
	if err := CheckReason(reason); err != nil {
		return Disagreement{}, err
	}
	if _, err := s.Catalogue().Campaign(slug); err != nil {
		return Disagreement{}, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return Disagreement{}, err
	}
	w, err := evidence.Decision{Operator: operator, CampaignSlug: slug, Subject: pledgeID, Decision: "charge_as_is", Reason: reason, At: s.Now()}.Write(nonce)
	if err != nil {
		return Disagreement{}, err
	}
	if err := s.Store.Apply(ctx, []kv.Write{w}); err != nil {
		return Disagreement{}, err
	}
	cmd := acceptTerms{Hash: hashOf(slug, pledgeID), Operator: operator, Reason: reason}
	d, err := kv.Send[Disagreement](ctx, s.Coordinator, client{s.Coordinator, slug}.object(), "accept-terms:"+nonce, cmd)
	if err != nil || !d.Accepted() {
		return d, err
	}
	return d, s.Wake(ctx, slug)
}

type acceptTerms struct {
	Hash     string `json:"hash"`
	Operator string `json:"operator"`
	Reason   string `json:"reason"`
}

func (acceptTerms) Kind() string { return "accept-terms" }

func runAcceptTerms(tx kv.Tx, now time.Time, cmd acceptTerms) (Disagreement, error) {
	d, known, err := kv.Load[Disagreement](tx, disagreementKey(cmd.Hash))
	if err != nil {
		return d, err
	}
	if !known {
		return d, fault.New(fault.NotFound, "The pledge has no disagreement with the processor").In("orderId")
	}
	switch {
	case d.Accepted(), d.StatedBy == cmd.Operator:
		return d, nil
	case d.StatedBy == "":
		d.StatedBy, d.Reason = cmd.Operator, cmd.Reason
	default:
		d.ConfirmedBy, d.ConfirmedAt = cmd.Operator, &now
	}
	return d, kv.Keep(tx, disagreementKey(cmd.Hash), d)
}
