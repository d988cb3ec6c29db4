package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

var (
	ctx   = context.Background()
	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// fixture is a client of campaign objects with a clock.
type fixture struct {
	inventory.Client
	now  time.Time
	fail func(memkv.Op) error
}

func newFixture() *fixture {
	s := &fixture{now: start}
	db := memkv.New(memkv.Options{
		Now: func() time.Time { return s.now }, Classes: []*kv.Class{inventory.NewClass()},
		Fail: func(op memkv.Op) error {
			if s.fail == nil {
				return nil
			}
			return s.fail(op)
		},
	})
	s.Client = inventory.Client{Coordinator: db.Coordinator()}
	return s
}

// expireReplies runs commands two days later until no earlier reply is stored.
func (s *fixture) expireReplies(t *testing.T) {
	t.Helper()
	s.now = s.now.Add(49 * time.Hour)
	for i := range 20 {
		id := fmt.Sprintf("nothing-%s-%d", s.now.Format(time.DateOnly), i)
		if err := s.Hold(ctx, "film", hold(id), nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Release(ctx, "film", "hold-"+id); err != nil {
			t.Fatal(err)
		}
	}
}

func hold(id string) inventory.Hold {
	return inventory.Hold{ID: "hold-" + id, Pledge: id, Order: id, Due: start.Add(time.Hour)}
}

func disc(quantity, limit int) []inventory.Request {
	return []inventory.Request{{Item: "tier/disc", Quantity: quantity, Limit: limit,
		Name: "Disc", Field: "items[0].quantity"}}
}

func account(id string, revision, discs int) inventory.Account {
	return inventory.Account{
		Pledge: id, Revision: revision, Email: id + "@example.org", Status: pledge.Active,
		Counted: money.Cents(1000 * discs), Units: map[string]int{"tier/disc": discs},
	}
}

func (s *fixture) snapshot(t *testing.T, object string) inventory.Snapshot {
	t.Helper()
	got, err := s.Snapshot(ctx, object)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (s *fixture) want(t *testing.T, item string, committed, held int) {
	t.Helper()
	if diff := cmp.Diff(inventory.Stock{Committed: committed, Held: held}, s.snapshot(t, "film").Stock[item]); diff != "" {
		t.Errorf("%s: %s", item, diff)
	}
}

func (s *fixture) book(t *testing.T, a inventory.Account, holdID string) inventory.Booked {
	t.Helper()
	b, err := s.Book(ctx, "film", a, holdID)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Holds and commitments are stored in the campaign's own object, and booking commits
// the held units.
//
// Proves INV-01, INV-02, INV-03, INV-07.
func TestHold_BookRelease(t *testing.T) {
	s := newFixture()
	for _, id := range []string{"a", "b"} {
		if err := s.Hold(ctx, "film", hold(id), disc(2, 5)); err != nil {
			t.Fatal(err)
		}
	}
	s.want(t, "tier/disc", 0, 4)
	s.book(t, account("a", 1, 2), "hold-a")
	s.want(t, "tier/disc", 2, 2)
	if err := s.Release(ctx, "film", "hold-b"); err != nil {
		t.Fatal(err)
	}
	s.want(t, "tier/disc", 2, 0)
	if f := fault.Of(s.Hold(ctx, "film", hold("c"), disc(4, 5))); f == nil ||
		f.Code != fault.SoldOut || *f.Remaining != 3 {
		t.Errorf("four units with two of five committed: %+v", f)
	}
	if other := s.snapshot(t, "comic"); len(other.Stock) != 0 || other.Totals.Listed != 0 {
		t.Errorf("another campaign's object: %+v", other)
	}
}

// If a hundred supporters want the last unit, one gets it and the others fail with SoldOut.
//
// Proves INV-13.
func TestHold_LastUnit(t *testing.T) {
	s := newFixture()
	answers := make(chan error, 100)
	for i := range 100 {
		go func() { answers <- s.Hold(ctx, "film", hold(fmt.Sprint(i)), disc(1, 1)) }()
	}
	got := 0
	for range 100 {
		err := <-answers
		if err == nil {
			got++
			continue
		}
		f := fault.Of(err)
		if f == nil || f.Code != fault.SoldOut || f.Message != "Disc is sold out" || *f.Remaining != 0 ||
			f.Field != "items[0].quantity" {
			t.Errorf("refused with %+v", f)
		}
	}
	if got != 1 {
		t.Errorf("%d supporters got the last unit", got)
	}
	s.want(t, "tier/disc", 0, 1)
}

// Hold takes all requested units or none. Its error has the number of remaining units.
func TestHold_AllOrNothing(t *testing.T) {
	s := newFixture()
	wants := append(disc(1, 5),
		inventory.Request{Item: "add-on/shirt/m", Quantity: 3, Limit: 2, Name: "T-shirt", Field: "items[1].quantity"})
	f := fault.Of(s.Hold(ctx, "film", hold("a"), wants))
	if f == nil || f.Code != fault.SoldOut || f.Message != "Only 2 of T-shirt remaining" ||
		*f.Remaining != 2 || f.Field != "items[1].quantity" {
		t.Errorf("refused with %+v", f)
	}
	if got := s.snapshot(t, "film").Stock; len(got) != 0 {
		t.Errorf("held %v", got)
	}
}

func TestHold_Limits(t *testing.T) {
	for _, tc := range []struct {
		limit, quantity int
		refused         bool
	}{{0, 1_000_000, false}, {3, 3, false}, {3, 4, true}, {-1, 1, true}} {
		s := newFixture()
		if err := s.Hold(ctx, "film", hold("a"), disc(tc.quantity, tc.limit)); fault.Is(err, fault.SoldOut) != tc.refused {
			t.Errorf("%d of %d: %v", tc.quantity, tc.limit, err)
		}
	}
}

// A pledge's own units are not held again, so the pledge can be changed when everything else is
// sold out. The difference is booked.
//
// Proves INV-09.
func TestHold_OnlyDifferenceToAccount(t *testing.T) {
	s := newFixture()
	s.book(t, account("a", 1, 2), "")
	h := hold("a")
	if err := s.Hold(ctx, "film", h, disc(3, 3)); err != nil {
		t.Fatal(err)
	}
	s.want(t, "tier/disc", 2, 1)
	if err := s.Hold(ctx, "film", hold("b"), disc(1, 3)); !fault.Is(err, fault.SoldOut) {
		t.Errorf("fourth disc: %v", err)
	}
	s.book(t, account("a", 2, 3), h.ID)
	s.want(t, "tier/disc", 3, 0)
	h.ID = "hold-fewer"
	if err := s.Hold(ctx, "film", h, disc(3, 2)); err != nil {
		t.Errorf("hold of the pledge's own units after the limit was lowered: %v", err)
	}
	s.book(t, account("a", 3, 1), h.ID)
	s.want(t, "tier/disc", 1, 0)
}

// Two requests for one item share the pledge's units.
func TestHold_TwoWantsForOneItem(t *testing.T) {
	s := newFixture()
	s.book(t, account("a", 1, 2), "")
	for id, held := range map[string]int{"a": 2, "b": 4} {
		if err := s.Hold(ctx, "film", hold(id), append(disc(1, 10), disc(3, 10)...)); err != nil {
			t.Fatal(err)
		}
		s.want(t, "tier/disc", 2, held)
		if err := s.Release(ctx, "film", "hold-"+id); err != nil {
			t.Fatal(err)
		}
		s.want(t, "tier/disc", 2, 0)
	}
}

// A cancelled pledge is removed from the sums and its units are released; it stays in
// the list.
//
// Proves INV-08, PLG-57, PLG-58.
func TestBook_CancelledPledge(t *testing.T) {
	s := newFixture()
	p := &pledge.Pledge{OrderID: "a", Revision: 1, Email: "a@example.org", Status: pledge.Active, Lines: []pledge.Line{
		{Kind: pledge.TierLine, ID: "disc", Quantity: 2, Amount: 2000},
		{Kind: pledge.CampaignAddOnLine, ID: "shirt", Variant: "m", Quantity: 1, Amount: 500},
		{Kind: pledge.PlatformAddOnLine, ID: "mug", Quantity: 2, Amount: 600},
		{Kind: pledge.PlatformAddOnLine, ID: "pin", Quantity: 1, Amount: 300},
		{Kind: pledge.SupportLine, ID: "sound", Quantity: 1, Amount: 700},
		{Kind: pledge.CustomLine, Quantity: 1, Amount: 40},
		{Kind: pledge.CustomLine, Quantity: 1, Amount: 20},
	}}
	var err error
	if p.Totals, err = pledge.CalculateTotals(p.Lines, 0, 0, pledge.Tip{}); err != nil {
		t.Fatal(err)
	}
	own, platform := inventory.AccountsOf(p)
	s.book(t, own, "")
	got := s.snapshot(t, "film")
	want := inventory.Snapshot{
		Totals: inventory.Totals{Version: 1, Counted: 3260, Custom: 60, Funds: inventory.Funds{Pledged: 4160},
			Statuses: map[pledge.Status]int{pledge.Active: 1}, Listed: 1, Indexed: 1, People: 1,
			CountedPledges: 1, NewestAt: start},
		Stock:   map[string]inventory.Stock{"tier/disc": {Committed: 2}, "add-on/shirt/m": {Committed: 1}},
		Support: map[string]money.Cents{"sound": 700},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"add-on/mug": 2, "add-on/pin": 1}, platform.Units); diff != "" ||
		platform.Counted != 900 {
		t.Error(diff, platform.Counted)
	}
	p.Status, p.Revision = pledge.Cancelled, 2
	own, _ = inventory.AccountsOf(p)
	s.book(t, own, "")
	got = s.snapshot(t, "film")
	if got.Totals.Counted != 0 || got.Totals.Custom != 0 || got.Totals.Pledges() != 0 || got.Totals.Listed != 1 ||
		got.Stock["tier/disc"].Committed != 0 || got.Stock["add-on/shirt/m"].Committed != 0 || got.Support["sound"] != 0 {
		t.Errorf("after the cancellation: %+v", got)
	}
	if ids, err := s.Listed(ctx, "film", 0, 10); err != nil || !cmp.Equal(ids, []string{"a"}) {
		t.Errorf("listed %v, %v", ids, err)
	}
}

// Each add-on, and each variant of an add-on, has separate units.
//
// Proves INV-12.
func TestHold_VariantsHaveSeparateUnits(t *testing.T) {
	s := newFixture()
	want := func(id, variant string) []inventory.Request {
		l := pledge.Line{Kind: pledge.CampaignAddOnLine, ID: id, Variant: variant}
		return []inventory.Request{{Item: l.Item(), Quantity: 1, Limit: 1, Name: id}}
	}
	for _, one := range [][2]string{{"shirt", "m"}, {"shirt", "l"}, {"hat", "m"}, {"mug", ""}, {"m", ""}} {
		if err := s.Hold(ctx, "film", hold(one[0]+one[1]), want(one[0], one[1])); err != nil {
			t.Errorf("%s: %v", one, err)
		}
	}
	if err := s.Hold(ctx, "film", hold("late"), want("shirt", "m")); !fault.Is(err, fault.SoldOut) {
		t.Errorf("second medium shirt: %v", err)
	}
}

// Booking the same or an older revision only drops the hold, even after the first reply
// expired.
func TestBook_Repeat(t *testing.T) {
	s := newFixture()
	s.book(t, account("a", 2, 3), "")
	before := s.snapshot(t, "film")
	for _, a := range []inventory.Account{account("a", 2, 3), account("a", 2, 9), account("a", 1, 7)} {
		if b := s.book(t, a, ""); b.Number != 0 {
			t.Errorf("number %d", b.Number)
		}
		s.expireReplies(t)
	}
	if err := s.Hold(ctx, "film", hold("a"), disc(5, 0)); err != nil {
		t.Fatal(err)
	}
	s.book(t, account("a", 2, 3), "hold-a")
	if diff := cmp.Diff(before, s.snapshot(t, "film")); diff != "" {
		t.Error(diff)
	}
}

// A redelivered hold takes units once, even after its reply expired.
func TestHold_Repeat(t *testing.T) {
	s := newFixture()
	for range 2 {
		if err := s.Hold(ctx, "film", hold("a"), disc(2, 5)); err != nil {
			t.Fatal(err)
		}
		s.want(t, "tier/disc", 0, 2)
		s.expireReplies(t)
	}
	for range 2 {
		if err := s.Release(ctx, "film", "hold-a"); err != nil {
			t.Fatal(err)
		}
		s.want(t, "tier/disc", 0, 0)
	}
	if err := s.Release(ctx, "film", "never"); err != nil {
		t.Errorf("release of an absent hold: %v", err)
	}
}

// A command whose response was lost is repeated, and its units are counted once.
func TestClient_LostAnswers(t *testing.T) {
	s := newFixture()
	lost := errors.New("answer lost")
	twice := func(call func() error) {
		t.Helper()
		s.fail = func(op memkv.Op) error {
			if op.Kind == memkv.OpDo && op.After {
				return lost
			}
			return nil
		}
		if err := call(); !errors.Is(err, lost) {
			t.Fatalf("%v, want a lost response", err)
		}
		s.fail = nil
		if err := call(); err != nil {
			t.Fatal(err)
		}
	}
	twice(func() error { return s.Hold(ctx, "film", hold("a"), disc(2, 2)) })
	s.want(t, "tier/disc", 0, 2)
	twice(func() error { _, err := s.Book(ctx, "film", account("a", 1, 2), "hold-a"); return err })
	s.want(t, "tier/disc", 2, 0)
	if got := s.snapshot(t, "film").Totals; got.Listed != 1 || got.Counted != 2000 {
		t.Errorf("totals %+v", got)
	}
}

// The platform's object has accounts only for pledges with platform add-ons.
func TestBookIfKnown_Platform(t *testing.T) {
	s := newFixture()
	bare := account("a", 1, 0)
	bare.Units = nil
	for range 2 {
		if _, err := s.BookIfKnown(ctx, inventory.Platform, bare, ""); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.snapshot(t, inventory.Platform); got.Totals.Listed != 0 {
		t.Errorf("an account was created: %+v", got)
	}
	mug := account("b", 1, 0)
	mug.Units = map[string]int{"add-on/mug": 2}
	if _, err := s.BookIfKnown(ctx, inventory.Platform, mug, ""); err != nil {
		t.Fatal(err)
	}
	mug.Revision, mug.Units = 2, nil
	if _, err := s.BookIfKnown(ctx, inventory.Platform, mug, ""); err != nil {
		t.Fatal(err)
	}
	if got := s.snapshot(t, inventory.Platform); got.Totals.Listed != 1 || got.Stock["add-on/mug"].Committed != 0 {
		t.Errorf("after the mugs were removed: %+v", got)
	}
}

// Only the first booking of a supporter's only pledge sets OnlyPledge; cancellations and repeats
// do not.
func TestBook_OnlyPledge(t *testing.T) {
	s := newFixture()
	first, second, third := account("a", 1, 1), account("b", 1, 1), account("c", 1, 1)
	second.Email, third.Email = first.Email, first.Email
	gone := second
	gone.Revision, gone.Status = 2, pledge.Cancelled
	last := first
	last.Revision, last.Status = 2, pledge.Cancelled
	for i, tt := range []struct {
		account inventory.Account
		alone   bool
	}{{first, true}, {second, false}, {gone, false}, {last, true}, {third, true}, {third, false}} {
		if b := s.book(t, tt.account, ""); b.OnlyPledge != tt.alone {
			t.Errorf("booking %d: OnlyPledge is %t", i, b.OnlyPledge)
		}
		s.expireReplies(t)
	}
}
