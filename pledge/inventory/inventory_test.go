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

// stand is a client of campaign objects with a clock.
type stand struct {
	inventory.Client
	now  time.Time
	fail func(memkv.Op) error
}

func newStand() *stand {
	s := &stand{now: start}
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

// forget lets so much happen two days later that no answer from before is remembered.
func (s *stand) forget(t *testing.T) {
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

func disc(quantity, limit int) []inventory.Want {
	return []inventory.Want{{Item: "tier/disc", Quantity: quantity, Limit: limit, Name: "Disc", Field: "items[0].quantity"}}
}

func account(id string, revision, discs int) inventory.Account {
	return inventory.Account{
		Pledge: id, Revision: revision, Email: id + "@example.org", Status: pledge.Active,
		Counted: money.Cents(1000 * discs), Units: map[string]int{"tier/disc": discs},
	}
}

func (s *stand) snapshot(t *testing.T, object string) inventory.Snapshot {
	t.Helper()
	got, err := s.Snapshot(ctx, object)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (s *stand) want(t *testing.T, item string, committed, held int) {
	t.Helper()
	if diff := cmp.Diff(inventory.Stock{Committed: committed, Held: held}, s.snapshot(t, "film").Stock[item]); diff != "" {
		t.Errorf("%s: %s", item, diff)
	}
}

func (s *stand) book(t *testing.T, a inventory.Account, holdID string) inventory.Booked {
	t.Helper()
	b, err := s.Book(ctx, "film", a, holdID)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Proves INV-01, INV-02, INV-03, INV-07: what is held and committed is in the
// campaign's own object, and booking turns held units into committed ones.
func TestHoldBookRelease(t *testing.T) {
	s := newStand()
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
	if f := fault.Of(s.Hold(ctx, "film", hold("c"), disc(4, 5))); f == nil || f.Code != fault.SoldOut || *f.Remaining != 3 {
		t.Errorf("four more of five, of which two are committed: %+v", f)
	}
	if other := s.snapshot(t, "comic"); len(other.Stock) != 0 || other.Totals.Listed != 0 {
		t.Errorf("another campaign's object: %+v", other)
	}
}

// Proves INV-13: a hundred supporters want the last unit, one gets it, and the
// others are told that it is gone.
func TestLastUnit(t *testing.T) {
	s := newStand()
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
		if f == nil || f.Code != fault.SoldOut || f.Message != "Disc is sold out" || *f.Remaining != 0 || f.Field != "items[0].quantity" {
			t.Errorf("refused with %+v", f)
		}
	}
	if got != 1 {
		t.Errorf("%d got the last unit", got)
	}
	s.want(t, "tier/disc", 0, 1)
}

// A hold takes all that is wanted or nothing, and says what is left.
func TestHoldIsAllOrNothing(t *testing.T) {
	s := newStand()
	wants := append(disc(1, 5), inventory.Want{Item: "add-on/shirt/m", Quantity: 3, Limit: 2, Name: "T-shirt", Field: "items[1].quantity"})
	f := fault.Of(s.Hold(ctx, "film", hold("a"), wants))
	if f == nil || f.Code != fault.SoldOut || f.Message != "Only 2 of T-shirt remaining" || *f.Remaining != 2 || f.Field != "items[1].quantity" {
		t.Errorf("refused with %+v", f)
	}
	if got := s.snapshot(t, "film").Stock; len(got) != 0 {
		t.Errorf("held %v", got)
	}
}

func TestLimits(t *testing.T) {
	for _, tc := range []struct {
		limit, quantity int
		refused         bool
	}{{0, 1_000_000, false}, {3, 3, false}, {3, 4, true}, {-1, 1, true}} {
		s := newStand()
		if err := s.Hold(ctx, "film", hold("a"), disc(tc.quantity, tc.limit)); fault.Is(err, fault.SoldOut) != tc.refused {
			t.Errorf("%d of %d: %v", tc.quantity, tc.limit, err)
		}
	}
}

// Proves INV-09: what a pledge has already need not be held again, so one can
// be changed when everything else is sold out; the difference is booked.
func TestModifyHoldsTheDifference(t *testing.T) {
	s := newStand()
	s.book(t, account("a", 1, 2), "")
	h := hold("a")
	if err := s.Hold(ctx, "film", h, disc(3, 3)); err != nil {
		t.Fatal(err)
	}
	s.want(t, "tier/disc", 2, 1)
	if err := s.Hold(ctx, "film", hold("b"), disc(1, 3)); !fault.Is(err, fault.SoldOut) {
		t.Errorf("a fourth: %v", err)
	}
	s.book(t, account("a", 2, 3), h.ID)
	s.want(t, "tier/disc", 3, 0)
	h.ID = "hold-fewer"
	if err := s.Hold(ctx, "film", h, disc(3, 2)); err != nil {
		t.Errorf("keeping what it has of a tier that was made smaller: %v", err)
	}
	s.book(t, account("a", 3, 1), h.ID)
	s.want(t, "tier/disc", 1, 0)
}

// Two wants of one item share what the pledge has, and come and go together.
func TestWantsOfOneItem(t *testing.T) {
	s := newStand()
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

// Proves INV-08, PLG-57, PLG-58: a cancelled pledge leaves the sums and gives
// its units back; its place in the list remains.
func TestCancelledPledge(t *testing.T) {
	s := newStand()
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
	if p.Totals, err = pledge.Add(p.Lines, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	own, platform := inventory.AccountsOf(p)
	s.book(t, own, "")
	got := s.snapshot(t, "film")
	want := inventory.Snapshot{
		Totals:  inventory.Totals{Version: 1, Counted: 3260, Custom: 60, Funds: inventory.Funds{Pledged: 4160}, Statuses: map[pledge.Status]int{pledge.Active: 1}, Listed: 1, Indexed: 1, People: 1, Standing: 1},
		Stock:   map[string]inventory.Stock{"tier/disc": {Committed: 2}, "add-on/shirt/m": {Committed: 1}},
		Support: map[string]money.Cents{"sound": 700},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"add-on/mug": 2, "add-on/pin": 1}, platform.Units); diff != "" || platform.Counted != 900 {
		t.Error(diff, platform.Counted)
	}
	p.Status, p.Revision = pledge.Cancelled, 2
	own, _ = inventory.AccountsOf(p)
	s.book(t, own, "")
	got = s.snapshot(t, "film")
	if got.Totals.Counted != 0 || got.Totals.Custom != 0 || got.Totals.Pledges() != 0 || got.Totals.Listed != 1 ||
		got.Stock["tier/disc"].Committed != 0 || got.Stock["add-on/shirt/m"].Committed != 0 || got.Support["sound"] != 0 {
		t.Errorf("after it was cancelled: %+v", got)
	}
	if ids, err := s.Listed(ctx, "film", 0, 10); err != nil || !cmp.Equal(ids, []string{"a"}) {
		t.Errorf("listed: %v, %v", ids, err)
	}
}

// Proves INV-12: each add-on and each variant of one has its own units.
func TestVariantsAreApart(t *testing.T) {
	s := newStand()
	want := func(id, variant string) []inventory.Want {
		l := pledge.Line{Kind: pledge.CampaignAddOnLine, ID: id, Variant: variant}
		return []inventory.Want{{Item: l.Item(), Quantity: 1, Limit: 1, Name: id}}
	}
	for _, one := range [][2]string{{"shirt", "m"}, {"shirt", "l"}, {"hat", "m"}, {"mug", ""}, {"m", ""}} {
		if err := s.Hold(ctx, "film", hold(one[0]+one[1]), want(one[0], one[1])); err != nil {
			t.Errorf("%s: %v", one, err)
		}
	}
	if err := s.Hold(ctx, "film", hold("late"), want("shirt", "m")); !fault.Is(err, fault.SoldOut) {
		t.Errorf("a second medium shirt: %v", err)
	}
}

// Booking a revision again, or an old one, moves nothing, also when the first
// answer is long forgotten; the hold goes all the same.
func TestBookAgain(t *testing.T) {
	s := newStand()
	s.book(t, account("a", 2, 3), "")
	before := s.snapshot(t, "film")
	for _, a := range []inventory.Account{account("a", 2, 3), account("a", 2, 9), account("a", 1, 7)} {
		if b := s.book(t, a, ""); b.Number != 0 {
			t.Errorf("number %d", b.Number)
		}
		s.forget(t)
	}
	if err := s.Hold(ctx, "film", hold("a"), disc(5, 0)); err != nil {
		t.Fatal(err)
	}
	s.book(t, account("a", 2, 3), "hold-a")
	if diff := cmp.Diff(before, s.snapshot(t, "film")); diff != "" {
		t.Error(diff)
	}
}

// A hold that is delivered again takes nothing twice, also when its answer is
// long forgotten.
func TestHoldAgain(t *testing.T) {
	s := newStand()
	for range 2 {
		if err := s.Hold(ctx, "film", hold("a"), disc(2, 5)); err != nil {
			t.Fatal(err)
		}
		s.want(t, "tier/disc", 0, 2)
		s.forget(t)
	}
	for range 2 {
		if err := s.Release(ctx, "film", "hold-a"); err != nil {
			t.Fatal(err)
		}
		s.want(t, "tier/disc", 0, 0)
	}
	if err := s.Release(ctx, "film", "never"); err != nil {
		t.Errorf("releasing nothing: %v", err)
	}
}

// A lost answer is asked for again, and the units are counted once.
func TestLostAnswers(t *testing.T) {
	s := newStand()
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
			t.Fatalf("%v, want the answer lost", err)
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

// The platform's object has accounts only of pledges with platform add-ons.
func TestPlatformObject(t *testing.T) {
	s := newStand()
	bare := account("a", 1, 0)
	bare.Units = nil
	for range 2 {
		if _, err := s.BookIfKnown(ctx, inventory.Platform, bare, ""); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.snapshot(t, inventory.Platform); got.Totals.Listed != 0 {
		t.Errorf("an account was opened: %+v", got)
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
		t.Errorf("after the mugs were given back: %+v", got)
	}
}

// Whoever counts alone under an address is told so when it is booked first; what is taken
// back does not count, and what is booked again is not looked at.
func TestBookedAlone(t *testing.T) {
	s := newStand()
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
		if b := s.book(t, tt.account, ""); b.Alone != tt.alone {
			t.Errorf("booking %d: alone is %t", i, b.Alone)
		}
		s.forget(t)
	}
}
