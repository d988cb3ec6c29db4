package settlement

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// After a restore, the database may not know that a supporter cancelled or reduced a pledge. The
// processor has the latest terms that the supporter agreed to (package agreement). Before a run
// charges, it compares them with the pledges and records each difference in the campaign's
// object. A pledge with a difference is not charged until its supporter changes it, it is
// dropped, or two operators accept its amount.

const disagreementPrefix = "disagreement/" // hash of the pledge's own group → Disagreement

func disagreementKey(hash string) string { return disagreementPrefix + hash }

// Disagreement is a pledge whose terms at the processor do not permit its charge.
type Disagreement struct {
	PledgeID string          `json:"orderId" kv:"id"`
	Amount   money.Cents     `json:"amount"`   // cents, of the pledge in our records
	Recorded agreement.Terms `json:"recorded"` // at the processor
	FoundAt  time.Time       `json:"foundAt"`
	SeenAt   time.Time       `json:"seenAt"`           // by the last import
	SeenBy   string          `json:"seenBy,omitempty"` // the owner of that import's lease, in our records only
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
	if a.purpose != purposeCharge || !a.agreed.IsZero() {
		return nil
	}
	if err := a.ensureLease(ctx); err != nil {
		return err
	}
	began := a.Now()
	err := a.compareTerms(ctx, a.campaign, func(found []Disagreement) error {
		return errors.Join(a.noteDisagreements(ctx, found), a.ensureLease(ctx))
	})
	if err != nil {
		return err
	}
	l := a.currentLease()
	_, err = kv.Send[none](ctx, a.Coordinator, a.object.object(), "prune-disagreements:"+l.Owner, pruneDisagreements{l.fence()})
	if err == nil {
		a.agreed = began
	}
	return err
}

func (a *admission) noteDisagreements(ctx context.Context, found []Disagreement) error {
	for _, d := range found {
		a.Log.WarnContext(ctx, "settlement: a pledge is held, its terms differ from those recorded at the processor",
			"campaign", a.campaign.Slug, "order", d.PledgeID, "amount", d.Amount, "recorded", d.Recorded.String())
		l := a.currentLease()
		cmd := noteDisagreement{l.fence(), hashOf(a.campaign.Slug, d.PledgeID), d}
		if _, err := kv.Send[none](ctx, a.Coordinator, a.object.object(), "disagreement:"+l.Owner+":"+d.PledgeID, cmd); err != nil {
			return err
		}
	}
	return nil
}

// FindDisagreements compares the pledges of a campaign with the terms that the processor has for
// them now, with what operators decided about each difference so far. Unlike Disagreements it
// asks the processor, and it works before the deadline and while charging is stopped. It takes no
// lease and stores nothing.
func (s *Service) FindDisagreements(ctx context.Context, c *campaign.Campaign) ([]Disagreement, error) {
	known, err := s.Disagreements(ctx, c.Slug)
	if err != nil {
		return nil, err
	}
	now, all := s.Now(), []Disagreement{}
	err = s.compareTerms(ctx, c, func(found []Disagreement) error {
		for _, d := range found {
			d.FoundAt = now
			if i := slices.IndexFunc(known, d.isSame); i >= 0 {
				d = known[i]
			}
			d.SeenAt = now
			all = append(all, d)
		}
		return nil
	})
	return all, err
}

// isSame reports whether two disagreements are about the same amount and terms of a pledge.
func (d *Disagreement) isSame(o Disagreement) bool {
	return d.PledgeID == o.PledgeID && d.Amount == o.Amount && d.Recorded == o.Recorded
}

// compareTerms lists the customers of a campaign's orders, and calls found once for each page
// with the pledges whose terms do not permit a charge.
func (s *Service) compareTerms(ctx context.Context, c *campaign.Campaign, found func([]Disagreement) error) error {
	from, err := s.PaymentsSince(ctx, c)
	if err != nil {
		return err
	}
	q := psp.CustomerQuery{From: from.Add(-sessionAge), To: s.Now().Add(day), Limit: 100}
	for {
		page, err := s.Processor.Customers(ctx, q)
		if err != nil {
			return err
		}
		some, err := s.disagreementsOf(ctx, c.Slug, page.Customers)
		if err != nil {
			return err
		}
		if err := found(some); err != nil {
			return err
		}
		if q.After = page.Next; q.After == "" {
			return nil
		}
	}
}

// disagreementsOf compares the terms in the metadata of some customers.
func (s *Service) disagreementsOf(ctx context.Context, slug string, customers []psp.Customer) ([]Disagreement, error) {
	var all []Disagreement
	for _, c := range customers {
		if !hasTerms(c) {
			continue
		}
		pledges, err := s.pledgesOf(ctx, slug, c)
		if err != nil {
			return nil, err
		}
		for _, p := range pledges {
			terms, recorded := agreement.Parse(c.Metadata[agreement.Key(p.OrderID)])
			if recorded && !terms.Permits(p) && p.Unpaid() {
				all = append(all, Disagreement{PledgeID: p.OrderID, Amount: p.Amount, Recorded: terms})
			}
		}
	}
	return all, nil
}

func hasTerms(c psp.Customer) bool {
	for key := range c.Metadata {
		if agreement.IsKey(key) {
			return true
		}
	}
	return false
}

// pledgesOf reads the pledges to a campaign of the order that a customer was created for.
func (s *Service) pledgesOf(ctx context.Context, slug string, c psp.Customer) ([]*pledge.Pledge, error) {
	orderID, err := pledge.OrderOf(c.Metadata["orderId"])
	if err != nil {
		return nil, nil //nolint:nilerr // a customer of another program
	}
	o, err := s.Orders.Get(ctx, orderID)
	if fault.Is(err, fault.NotFound) {
		return nil, nil // a lost order is not charged
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(o.Pledges, func(p *pledge.Pledge) bool { return p.CampaignSlug != slug }), nil
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
	if known && last.isSame(d) {
		d = last
	} else {
		d.FoundAt = now
	}
	d.SeenAt, d.SeenBy = now, cmd.Owner
	return none{}, kv.Keep(tx, disagreementKey(cmd.Hash), d)
}

// pruneDisagreements removes those that the lease's own import did not find again.
type pruneDisagreements struct {
	fence
}

func (pruneDisagreements) Kind() string { return "prune-disagreements" }

func runPruneDisagreements(tx kv.Tx, now time.Time, cmd pruneDisagreements) (none, error) {
	if _, err := underLease(tx, now, cmd.fence); err != nil {
		return none{}, err
	}
	return none{}, eachDisagreement(tx, func(key string, d Disagreement) error {
		if d.SeenBy != cmd.Owner {
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
		d.SeenBy = ""
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
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return Disagreement{}, err
	}
	about, err := s.disagreementOf(ctx, c, pledgeID)
	if err != nil {
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
	cmd := acceptTerms{Hash: hashOf(slug, pledgeID), Operator: operator, Reason: reason, About: about}
	d, err := kv.Send[Disagreement](ctx, s.Coordinator, client{s.Coordinator, slug}.object(), "accept-terms:"+nonce, cmd)
	d.SeenBy = ""
	if err != nil || !d.Accepted() {
		return d, err
	}
	return d, s.Wake(ctx, slug)
}

// disagreementOf returns the disagreement of a pledge: the recorded one, or if no run has
// recorded it yet, the one that the processor has now. It fails with code NotFound if there is
// none.
func (s *Service) disagreementOf(ctx context.Context, c *campaign.Campaign, pledgeID string) (Disagreement, error) {
	hash := hashOf(c.Slug, pledgeID)
	f, err := client{s.Coordinator, c.Slug}.groups(ctx, []string{hash})
	if err != nil {
		return Disagreement{}, err
	}
	if d := f.Records[hash].Disagreement; d != nil {
		return *d, nil
	}
	p, err := s.Orders.Pledge(ctx, pledgeID)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) || err == nil && p.CampaignSlug != c.Slug {
		return Disagreement{}, noDisagreement()
	}
	if err != nil {
		return Disagreement{}, err
	}
	found, err := s.FindDisagreements(ctx, c)
	if err != nil {
		return Disagreement{}, err
	}
	for _, d := range found {
		if d.PledgeID == pledgeID {
			return d, nil
		}
	}
	return Disagreement{}, noDisagreement()
}

func noDisagreement() error {
	return fault.New(fault.NotFound, "The processor has no other terms for this pledge").In("orderId")
}

type acceptTerms struct {
	Hash     string `json:"hash"`
	Operator string `json:"operator"`
	Reason   string `json:"reason"`
	// About is the disagreement that the decision is about.
	About Disagreement `json:"about"`
}

func (acceptTerms) Kind() string { return "accept-terms" }

// runAcceptTerms also records a disagreement that no run has recorded yet.
func runAcceptTerms(tx kv.Tx, now time.Time, cmd acceptTerms) (Disagreement, error) {
	d, known, err := kv.Load[Disagreement](tx, disagreementKey(cmd.Hash))
	if err != nil {
		return d, err
	}
	if !known {
		d = cmd.About
	}
	switch {
	case !d.isSame(cmd.About):
		return d, fault.New(fault.Conflict, "The terms have changed meanwhile")
	case d.Accepted(), d.StatedBy == cmd.Operator:
		return d, nil
	case d.StatedBy == "":
		d.StatedBy, d.Reason = cmd.Operator, cmd.Reason
	default:
		d.ConfirmedBy, d.ConfirmedAt = cmd.Operator, &now
	}
	return d, kv.Keep(tx, disagreementKey(cmd.Hash), d)
}
