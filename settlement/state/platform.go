package state

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
)

// platform is the name of the object for all campaigns. No slug contains a star.
const platform = "*platform"

func platformObject() kv.Object { return kv.Object{Class: ClassName, Name: platform} }

// Platform gives access to the settlement object of all campaigns, which records the
// processor's account and the idle campaigns. For stopping charges see Switch.
type Platform struct{ Coordinator kv.Coordinator }

// Object returns the object itself, for packages that keep records of all campaigns in it.
func (Platform) Object() kv.Object { return platformObject() }

// Account returns the account that the database belongs to, or nil before its first use.
func (p Platform) Account(ctx context.Context) (*Account, error) {
	return kv.Ask[*Account](ctx, p.Coordinator, platformObject(), account{})
}

// BindAccount ties the database to an account unless it already belongs to one, and returns
// the account that it belongs to.
func (p Platform) BindAccount(ctx context.Context, mode psp.Mode, id string) (Account, error) {
	return kv.Send[Account](ctx, p.Coordinator, platformObject(), "bind:"+string(mode)+":"+id, bind{Mode: mode, ID: id})
}

// Wake makes the scheduled jobs visit a campaign.
func (p Platform) Wake(ctx context.Context, slug string) error {
	_, err := kv.Send[none](ctx, p.Coordinator, platformObject(), "wake:"+slug, wake{Slug: slug})
	return err
}

// SetIdle makes a campaign idle until a time. was is the campaign's state from IdleStates,
// read before the caller found that nothing is left to do; ok is false if the campaign has
// changed since.
func (p Platform) SetIdle(ctx context.Context, was IdleState, until time.Time) (ok bool, err error) {
	was.Until, was.Cards = until, true
	return kv.Send[bool](ctx, p.Coordinator, platformObject(), "rest:"+was.Slug, setIdle{was})
}

// IdleStates returns the idle states of campaigns by slug. A campaign that was never idle or woken
// has none.
func (p Platform) IdleStates(ctx context.Context) (map[string]IdleState, error) {
	all := map[string]IdleState{}
	for after := ""; ; {
		page, err := kv.Ask[[]IdleState](ctx, p.Coordinator, platformObject(), listIdle{After: after})
		if err != nil {
			return nil, err
		}
		for _, s := range page {
			all[s.Slug], after = s, s.Slug
		}
		if len(page) < kv.MaxPage {
			return all, nil
		}
	}
}
