package simulation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Irreversible actions cannot be undone: charges, closing a campaign, deleting a card, and
// mails about an outcome. S15 and S16 are their preconditions.

// leaseTerm is a period in which a piece of work holds a campaign's lease.
type leaseTerm struct {
	slug      string
	lease     state.Lease
	importing time.Time // creation time from which the payment list that is being read starts
	from      time.Time // creation time from which the last complete list starts
	listed    time.Time // when that list was complete; zero if there is none
}

// listValidity is how long a process may rely on the payment list that it read
// under its last lease.
const listValidity = 11 * time.Hour

// recordLease records the new holder of a campaign's lease. If the previous holder was the
// same process, its payment list stays valid for listValidity.
func (a *checker) recordLease(op memkv.Op) {
	t := &leaseTerm{slug: op.Object.Name}
	if json.Unmarshal(op.Reply.Body, &t.lease) != nil || a.w.current == nil {
		return
	}
	last := a.leaseTerms[t.slug]
	if last != nil && t.lease.After == last.lease.Owner && t.lease.Node == last.lease.Node &&
		t.lease.Incarnation == last.lease.Incarnation &&
		a.w.now.Sub(last.listed) < listValidity {
		t.listed, t.from = last.listed, last.from
	}
	a.leaseTerms[t.slug], a.termOf[a.w.current] = t, t
}

// endLease ends the holder's term when its lease is released.
func (a *checker) endLease(op memkv.Op) {
	if t := a.termOf[a.w.current]; t != nil && t.slug == op.Object.Name {
		delete(a.termOf, a.w.current)
	}
}

// recordImport records that a lease holder has read a page of the processor's payments.
func (a *checker) recordImport(r *http.Request, res *http.Response) {
	t := a.termOf[a.w.current]
	query := r.URL.Query()
	from, err := strconv.ParseInt(query.Get("created[gte]"), 10, 64)
	if t == nil || err != nil || r.Method != http.MethodGet || r.URL.Path != "/v1/payment_intents" ||
		query.Has("customer") {
		return
	}
	page := struct {
		HasMore *bool `json:"has_more"`
	}{}
	body, broken := peekBody(res)
	if !query.Has("starting_after") {
		t.importing = time.Unix(from, 0)
	}
	if broken != nil || res.StatusCode != http.StatusOK || json.Unmarshal(body, &page) != nil ||
		page.HasMore == nil || *page.HasMore {
		return
	}
	t.listed, t.from = a.w.now, t.importing
}

// checkIrreversibleAction checks S15 and S16 for an irreversible action.
func (a *checker) checkIrreversibleAction(slug, act string) {
	p := a.w.current
	if p == nil || p.server == nil {
		return
	}
	if err := a.checkImported(slug); err != nil {
		a.reportViolation("S15", "%s: %s of %s: %v", p.name, act, slug, err)
	}
	off, was := p.server.skewAt(a.w.now), p.server.skewAt(p.created)
	if off.Abs() > state.MaxClockError && was.Abs() > state.MaxClockError {
		a.reportViolation("S16", "%s: %s of %s while its clock is %s off", p.name, act, slug, off)
	}
}

// checkImported returns an error unless this piece of work has read all of a campaign's payments
// under its lease or, within listValidity, under its process's previous lease.
func (a *checker) checkImported(slug string) error {
	t := a.termOf[a.w.current]
	switch {
	case t == nil || t.slug != slug:
		return fmt.Errorf("no lease held")
	case t.listed.IsZero():
		return fmt.Errorf("the processor's payments were not read under lease %s", t.lease.Owner)
	}
	for _, e := range a.w.sim.Entries() {
		if of, _, _ := splitKey(e.Group); of == slug && e.At.Before(t.from) {
			return fmt.Errorf("payments were read since %s, but %s was created at %s", t.from, e.PaymentID, e.At)
		}
	}
	return nil
}

// checkClosing checks the closing of a campaign: S13, S15 and S16.
func (a *checker) checkClosing(op memkv.Op) {
	var closed bool
	slug := op.Object.Name
	if op.Reply.Refused != nil || json.Unmarshal(op.Reply.Body, &closed) != nil || !closed || !a.closed[slug].IsZero() {
		return
	}
	a.closed[slug] = a.w.now
	a.checkIrreversibleAction(slug, "the closing")
	for _, e := range a.w.sim.Entries() {
		if of, _, _ := splitKey(e.Group); of == slug && e.Refunded < e.Amount {
			a.reportViolation("S13", "%s is closed, but %s was paid", slug, e.PaymentID)
		}
	}
}

// checkDetach checks S15 and S16 when a card is deleted that a pledge uses, unless the pledge is
// cancelled.
func (a *checker) checkDetach(r *http.Request) {
	card := deletedCard(r)
	if card == "" {
		return
	}
	for _, id := range a.cards[card].pledges {
		if p := a.pledge(id); p != nil && p.Status != pledge.Cancelled && p.PaymentMethodID == card {
			slug := p.CampaignSlug
			if t := a.termOf[a.w.current]; t != nil {
				slug = t.slug // one of the order's campaigns is leased; payments of the others are read one by one
			}
			a.checkIrreversibleAction(slug, "the deletion of the card of "+id)
			return
		}
	}
}

// checkAnnouncement checks S15 and S16 when a mail about an outcome is first queued.
func (a *checker) checkAnnouncement(op memkv.Op) {
	var queued struct{ Mail notify.Mail }
	if json.Unmarshal(op.Write.Value, &queued) != nil || !slices.Contains(outcomes, queued.Mail.Kind) {
		return
	}
	key := strings.TrimPrefix(op.Key, "email-outbox:v1:")
	if a.announced[key] {
		return // rewritten by the sender
	}
	a.announced[key] = true
	if queued.Mail.Campaign != "" {
		a.checkIrreversibleAction(queued.Mail.Campaign, "the mail "+string(queued.Mail.Kind))
	}
}

// checkOneGroup checks S17: a payment settles at most one group.
func (a *checker) checkOneGroup(g state.Group) {
	if g.Status != state.Succeeded || g.PaymentIntentID == "" {
		return
	}
	of := g.CampaignSlug + " " + g.Hash
	if first, known := a.settles[g.PaymentIntentID]; known && first != of {
		a.reportViolation("S17", "the payment %s settles %s and %s", g.PaymentIntentID, first, of)
	}
	a.settles[g.PaymentIntentID] = of
}
