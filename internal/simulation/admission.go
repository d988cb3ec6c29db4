package simulation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// A final act cannot be undone: a charge, the closing of a campaign, the deletion of a card,
// and a mail that tells an outcome. S15 and S16 say under what conditions one may happen.

// tenure is one hold of a campaign's lease by a piece of work.
type tenure struct {
	slug  string
	lease settlement.Lease
	// importing is the earliest time of the list that is being read; listed is when a list
	// was read to its end that began then or earlier.
	importing time.Time
	from      time.Time
	listed    time.Time
}

// vouched is for how long a process may rely on the list of its own last lease.
const vouched = 11 * time.Hour

// noteTenure remembers who holds a campaign's lease, and whether its last holder was the
// same process, which had read the processor's payments.
func (a *watch) noteTenure(op memkv.Op) {
	t := &tenure{slug: op.Object.Name}
	if json.Unmarshal(op.Reply.Body, &t.lease) != nil || a.w.current == nil {
		return
	}
	last := a.tenures[t.slug]
	if last != nil && t.lease.After == last.lease.Owner && t.lease.Node == last.lease.Node && t.lease.Incarnation == last.lease.Incarnation &&
		a.w.now.Sub(last.listed) < vouched {
		t.listed, t.from = last.listed, last.from
	}
	a.tenures[t.slug], a.tenureOf[a.w.current] = t, t
}

// endTenure forgets who held a lease that was given back.
func (a *watch) endTenure(op memkv.Op) {
	if t := a.tenureOf[a.w.current]; t != nil && t.slug == op.Object.Name {
		delete(a.tenureOf, a.w.current)
	}
}

// imports notes a page of the processor's payments that the holder of a lease has read.
func (a *watch) imports(r *http.Request, res *http.Response) {
	t := a.tenureOf[a.w.current]
	query := r.URL.Query()
	from, err := strconv.ParseInt(query.Get("created[gte]"), 10, 64)
	if t == nil || err != nil || r.Method != http.MethodGet || r.URL.Path != "/v1/payment_intents" || query.Has("customer") {
		return
	}
	page := struct {
		HasMore *bool `json:"has_more"`
	}{}
	body, broken := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{broken}))
	if !query.Has("starting_after") {
		t.importing = time.Unix(from, 0)
	}
	if broken != nil || res.StatusCode != http.StatusOK || json.Unmarshal(body, &page) != nil || page.HasMore == nil || *page.HasMore {
		return
	}
	t.listed, t.from = a.w.now, t.importing
}

// failing ends a body as it ended before.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// finally holds a final act about a campaign against S15, if it is to be admitted by a list
// of payments, and S16.
func (a *watch) finally(slug, act string, admitted bool) {
	p := a.w.current
	if p == nil || p.server == nil {
		return
	}
	if err := a.imported(slug); admitted && err != nil {
		a.violated("S15", "%s: %s of %s: %v", p.name, act, slug, err)
	}
	off, was := p.server.skewAt(a.w.now), p.server.skewAt(p.born)
	if a.w.scenario.clocked && off.Abs() > settlement.MaxClockError && was.Abs() > settlement.MaxClockError {
		a.violated("S16", "%s: %s of %s while its clock is %s off", p.name, act, slug, off)
	}
}

// imported fails if this piece of work has not read all of the processor's payments of a
// campaign under its lease.
func (a *watch) imported(slug string) error {
	t := a.tenureOf[a.w.current]
	switch {
	case t == nil || t.slug != slug:
		return fmt.Errorf("without a lease")
	case t.listed.IsZero():
		return fmt.Errorf("the processor's payments were not read under the lease %s", t.lease.Owner)
	}
	for _, e := range a.w.sim.Books() {
		if of, _, _ := splitKey(e.Group); of == slug && e.At.Before(t.from) {
			return fmt.Errorf("the payments were read from %s on, and %s is of %s", t.from, e.PaymentID, e.At)
		}
	}
	return nil
}

// closes is told of a campaign that is closed.
func (a *watch) closes(op memkv.Op) {
	var closed bool
	slug := op.Object.Name
	if op.Reply.Refused != nil || json.Unmarshal(op.Reply.Body, &closed) != nil || !closed || a.closed[slug] {
		return
	}
	a.closed[slug] = true
	a.finally(slug, "the closing", a.w.scenario.imports)
	if !a.w.scenario.strict {
		return
	}
	for _, e := range a.w.sim.Books() {
		if of, _, _ := splitKey(e.Group); of == slug {
			a.violated("S13", "%s is closed, and %s was paid", slug, e.PaymentID)
		}
	}
}

// detaches is told of a card that is deleted: at a cancellation, or when its campaigns are
// over.
func (a *watch) detaches(r *http.Request) {
	card := deletes(r)
	if card == "" {
		return
	}
	for _, id := range a.cards[card].pledges {
		if p := a.pledge(id); p != nil && p.Status != pledge.Cancelled && p.PaymentMethodID == card {
			a.finally(p.CampaignSlug, "the deletion of the card of "+id, a.w.scenario.imports)
			return
		}
	}
}

// announces is told of a mail that is queued.
func (a *watch) announces(op memkv.Op) {
	var queued struct{ Mail notify.Mail }
	if json.Unmarshal(op.Write.Value, &queued) != nil || !slices.Contains(outcomes, queued.Mail.Kind) {
		return
	}
	key := strings.TrimPrefix(op.Key, "email-outbox:v1:")
	if a.announced[key] {
		return // the sender writes it again
	}
	a.announced[key] = true
	if queued.Mail.Campaign != "" {
		a.finally(queued.Mail.Campaign, "the mail "+string(queued.Mail.Kind), a.w.scenario.imports || queued.Mail.Kind != notify.Missed)
	}
}

// settlesOne: S17, a payment settles at most one group.
func (a *watch) settlesOne(g settlement.Group) {
	if g.Status != settlement.Succeeded || g.PaymentIntentID == "" {
		return
	}
	of := g.CampaignSlug + " " + g.Hash
	if first, known := a.settles[g.PaymentIntentID]; known && first != of {
		a.violated("S17", "the payment %s settles %s and %s", g.PaymentIntentID, first, of)
	}
	a.settles[g.PaymentIntentID] = of
}
