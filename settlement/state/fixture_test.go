package state

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// fixture is a database with settlement objects and a clock.
type fixture struct {
	t     *testing.T
	ctx   context.Context
	now   time.Time
	db    *memkv.DB
	watch func(op memkv.Op) error // called for every operation on the database
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{t: t, ctx: t.Context(), now: noon}
	f.db = memkv.New(memkv.Options{
		Now: func() time.Time { return f.now }, Classes: []*kv.Class{NewClass()},
		Fail: func(op memkv.Op) error {
			if f.watch == nil {
				return nil
			}
			return f.watch(op)
		},
	})
	return f
}

// object returns the settlement object of a campaign.
func (f *fixture) object(slug string) Client {
	return Client{Coordinator: f.db.Coordinator(), Slug: slug}
}

func (f *fixture) release(object Client, l Lease) {
	f.t.Helper()
	_, err := object.Release(f.ctx, l, nil)
	f.ok(err)
}

func (f *fixture) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func wantCode(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: %v, want code %s", what, err, code)
	}
}

// newGroup returns a group of the campaign film before it is submitted. Its card was saved the
// given number of hours after noon.
func newGroup(supporter string, generation int, amount money.Cents, saved int) Group {
	hash := HashOf("film", supporter)
	return Group{
		Version: GroupVersion, CampaignSlug: "film", Hash: hash, Supporter: supporter,
		Generation: generation, Key: AttemptKey("film", hash, generation), Amount: amount, Currency: money.USD,
		CustomerID: fmt.Sprintf("cus_%d", saved), PaymentMethodID: fmt.Sprintf("pm_%d", saved),
		CardSavedAt: noon.Add(time.Duration(saved) * time.Hour), NamesPledges: true,
	}
}
