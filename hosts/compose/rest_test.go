package compose_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/settlement"
)

const songFile = `---
title: Song %[1]d
slug: song-%[1]d
published: true
start_date: 2026-10-01
goal_deadline: 2026-11-21
goal_amount: 10
tiers:
  - {id: copy, name: Copy, price: 20}
---
`

// songs is a host with the given number of campaigns. Each campaign has one supporter if card is
// not empty.
type songs struct {
	*memory.Host
	t     testing.TB
	count struct{ commands, processor int }
}

func newSongs(t testing.TB, many int, card, reconcile string) *songs {
	t.Helper()
	s := &songs{t: t}
	files := fstest.MapFS{}
	for _, name := range []string{"site.yml", "add-ons.yml"} {
		b, err := os.ReadFile("../../examples/site/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: bytes.TrimSpace(b)}
	}
	for i := range many {
		files[fmt.Sprintf("campaigns/song-%d.md", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, songFile, i)}
	}
	var err error
	s.Host,
		err = memory.New(memory.Options{Campaigns: files, Env: map[string]string{"PAYMENT_RECONCILIATION_ENABLED": reconcile},
		Fail: func(op memkv.Op) error {
			if (op.Kind == memkv.OpDo || op.Kind == memkv.OpQuery) && !op.After {
				s.count.commands++
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range many {
		if card != "" {
			s.pledge(i, fmt.Sprintf("fan%d@example.org", i), card)
		}
	}
	return s
}

func (s *songs) cart(i int, email string) checkout.StartRequest {
	one := 1
	return checkout.StartRequest{Email: email, Cart: checkout.Cart{CampaignSlug: fmt.Sprintf("song-%d", i),
		Items: []checkout.Item{{ID: fmt.Sprintf("song-%d__copy", i), Quantity: &one}}}}
}

func (s *songs) pledge(i int, email, card string) {
	s.t.Helper()
	if _, err := s.Host.Pledge(context.Background(), s.cart(i, email), card); err != nil {
		s.t.Fatal(err)
	}
}

func (s *songs) pass(d time.Duration) {
	s.t.Helper()
	if err := s.Pass(context.Background(), d); err != nil {
		s.t.Fatal(err)
	}
}

// days advances the clock by n days with two runs per day.
func (s *songs) days(n int) {
	s.t.Helper()
	for range 2 * n {
		s.Advance(11 * time.Hour)
		s.pass(time.Hour)
	}
}

// hour runs one more hour with its minutes, and returns the number of commands and requests to the
// processor.
func (s *songs) hour() (commands, processor int) {
	s.t.Helper()
	s.count.commands = 0
	asked := s.countAsked()
	s.pass(time.Hour)
	if err := s.Services.Minute(context.Background()); err != nil {
		s.t.Fatal(err)
	}
	return s.count.commands, s.countAsked() - asked
}

func (s *songs) countAsked() (n int) {
	for _, op := range []sim.Op{sim.ListIntents, sim.RetrieveIntent, sim.CreateIntent} {
		n += s.Sim.Received(op)
	}
	return n
}

// The cost of an hour depends on the number of changes, not on the number of ended campaigns: it is
// the same for fifty campaigns as for ten.
func TestCron_CostOfRestingCampaigns(t *testing.T) {
	var commands []int
	for _, many := range []int{10, 50} {
		s := newSongs(t, many, sim.CardOK, "true")
		s.days(17)
		n, asked := s.hour()
		if books := len(s.Sim.Entries()); books != many || asked != 0 {
			t.Errorf("%d of %d pledges charged, %d requests to the processor in an hour", books, many, asked)
		}
		commands = append(commands, n)
	}
	if t.Logf("%v commands", commands); commands[0] != commands[1] || commands[1] > 26 {
		t.Errorf("an hour costs %d commands with 10 campaigns and %d with 50", commands[0], commands[1])
	}
}

// Any change makes an idle campaign active: a late completion of a checkout, and resuming charges
// after a restore.
func TestRest_ChangesWakeCampaign(t *testing.T) {
	ctx := context.Background()
	s := newSongs(t, 1, sim.CardOK, "true")
	c := s.Services.Campaigns().Campaigns()[0]
	s.Advance(c.EndsAt(s.Config.Site.Timezone.Location()).Add(-10 * time.Minute).Sub(s.Now()))
	late, err := s.Services.Checkout.Start(ctx, s.cart(0, "late@example.org"))
	if err != nil {
		t.Fatal(err)
	}
	s.Advance(40 * time.Minute)
	if err := s.Sim.Complete(late.SessionID, sim.CardOK); err != nil {
		t.Fatal(err)
	}
	s.Advance(settlement.Margin)
	awake := func() int {
		t.Helper()
		all, err := s.Services.Settlement.ActiveCampaigns(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	rest := func() {
		t.Helper()
		known, err := s.Services.Settlement.IdleStates(ctx)
		if err != nil {
			t.Fatal(err)
		}
		was := known[c.Slug]
		was.Slug = c.Slug
		ok, err := s.Services.Settlement.SetIdle(ctx, was, s.Now().Add(1000*time.Hour))
		if err != nil || !ok || awake() != 0 {
			t.Fatalf("campaign is not idle: %t, %v", ok, err)
		}
	}
	rest()
	before, err := s.Services.Settlement.IdleStates(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Services.Checkout.Complete(ctx,
		checkout.CompleteRequest{OrderID: late.OrderID, SessionID: late.SessionID}); err != nil {
		t.Fatal(err)
	}
	if ok, err := s.Services.Settlement.SetIdle(ctx, before[c.Slug], s.Now().Add(time.Hour)); ok || err != nil {
		t.Errorf("an outdated run set the campaign idle: %t, %v", ok, err)
	}
	s.pass(time.Hour)
	if n := len(s.Sim.Entries()); n != 2 {
		t.Errorf("%d charges, want 2, including the late pledge's", n)
	}
	rest()
	if _, err := s.Services.Settlement.Switch().Stop(ctx, "A restore"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Services.Settlement.Switch().Resume(ctx); err != nil || awake() != 1 {
		t.Errorf("%d campaigns active after charging was resumed, %v", awake(), err)
	}
}

// A campaign stays active while failed charges may be recovered. Then it is idle and is checked
// once a week.
func TestRest_AwakeWhileChargesAreRecoverable(t *testing.T) {
	ctx := context.Background()
	s := newSongs(t, 1, sim.CardChargeDeclined, "true")
	awake := func() bool {
		t.Helper()
		all, err := s.Services.Settlement.ActiveCampaigns(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return len(all) == 1
	}
	without := newSongs(t, 1, sim.CardChargeDeclined, "false")
	for day := range 18 { // the grace period of fourteen days starts on the second day
		without.days(1)
		if all, err := without.Services.Settlement.ActiveCampaigns(ctx); err != nil ||
			day < 15 && len(all) == 0 || day == 17 && len(all) == 1 {
			t.Fatalf("without reconciliation, on day %d: %d campaigns active, %v", day, len(all), err)
		}
	}
	for day := range 34 { // the grace period of fourteen days starts on the second day, then a fortnight
		if s.days(1); day < 29 && !awake() {
			t.Fatalf("campaign is idle on day %d", day)
		}
	}
	if awake() {
		t.Fatal("the campaign is not idle")
	}
	r, err := s.Services.Reconcile.Report(ctx, "song-0")
	if err != nil {
		t.Fatal(err)
	}
	s.days(8)
	if again, err := s.Services.Reconcile.Report(ctx, "song-0"); err != nil || awake() || again.Pass != r.Pass+1 {
		t.Errorf("a week later: active %t, pass %d after %d, %v", awake(), again.Pass, r.Pass, err)
	}
}

// The account's payments are listed once for all campaigns that are reconciled. In addition,
// deleting a campaign's cards lists its payments once.
func TestReconcile_SharesPaymentList(t *testing.T) {
	var lists []int
	for _, many := range []int{1, 12} {
		s := newSongs(t, many, sim.CardOK, "true")
		s.pass(60 * time.Hour)
		asked, passes := s.Sim.Received(sim.ListIntents), s.reports(many)
		s.pass(24 * time.Hour)
		for slug, after := range s.reports(many) {
			if after != passes[slug]+1 {
				t.Errorf("%s was reconciled %d times in a day", slug, after-passes[slug])
			}
		}
		lists = append(lists, s.Sim.Received(sim.ListIntents)-asked)
	}
	if lists[0] != lists[1] || lists[0] == 0 {
		t.Errorf("a day lists %d pages for one campaign and %d for twelve", lists[0], lists[1])
	}
}

// reports returns the number of reconciliation passes of each campaign.
func (s *songs) reports(many int) map[string]int {
	s.t.Helper()
	passes := map[string]int{}
	for i := range many {
		slug := fmt.Sprintf("song-%d", i)
		r, err := s.Services.Reconcile.Report(context.Background(), slug)
		if err != nil {
			s.t.Fatal(err)
		}
		passes[slug] = r.Pass
	}
	return passes
}

// A pass that an hourly run leaves unfinished is continued every minute.
func TestMinute_ContinuesReconciliation(t *testing.T) {
	const many = 510
	ctx := context.Background()
	s := newSongs(t, 1, sim.CardOK, "true")
	for i := range many {
		s.pledge(0, fmt.Sprintf("another%d@example.org", i), sim.CardOK)
	}
	s.pass(32 * time.Hour) // all pledges are charged, and a first pass covers some of it
	s.days(1)
	r, err := s.Services.Reconcile.Report(ctx, "song-0")
	if err != nil || !r.Truncated {
		t.Fatalf("after the hour: %+v, %v", r, err)
	}
	for range 3 {
		if err := s.Services.Minute(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if r, err = s.Services.Reconcile.Report(ctx, "song-0"); err != nil || r.Truncated ||
		r.Checked != many+1 || r.OpenBreaks != 0 {
		t.Errorf("after three minutes: %+v, %v", r, err)
	}
	s.count.commands = 0
	if err := s.Services.Minute(ctx); err != nil || s.count.commands > 12 {
		t.Errorf("a minute after the pass costs %d commands, %v", s.count.commands, err)
	}
}
