package suppression

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// namedPrefix begins the keys of the addresses that operators named. What suppresses one is
// its record, as of any other.
const namedPrefix = "admin-suppression:v1:"

// namedKey has an address within a scope, by its name. No slug has a star.
func namedKey(s Scope, address string) string {
	if s.Topic == Everything {
		return namedPrefix + "*:" + address
	}
	return namedPrefix + s.Campaign + ":" + address
}

// Named is an address that an operator named.
type Named struct {
	Email string    `json:"email"`
	By    string    `json:"createdBy"` // who named it first; "" for a script
	Since time.Time `json:"createdAt"`
}

// Name suppresses an address for the reason Operator, within everything or a campaign's
// updates, and keeps the address, so that it can be shown to operators. Naming it again
// renews its life. It fails with code Invalid for what is no address or another scope.
func (l *List) Name(ctx context.Context, s Scope, email, by string) (Named, error) {
	email, err := pledge.ParseEmail(email)
	if err != nil {
		return Named{}, err
	}
	if err := s.operators(); err != nil {
		return Named{}, err
	}
	address := l.Address(email)
	key := s.key(address)
	r, _, err := kv.Read[Record](ctx, l.Store, key)
	if err != nil {
		return Named{}, err
	}
	named, given, err := kv.Read[Named](ctx, l.Store, namedKey(s, address))
	if err != nil {
		return Named{}, err
	}
	if h := r.give(Operator, l.Now().UTC()); !given {
		named = Named{email, by, h.Since}
	}
	record, err := kv.Rewrite(ctx, l.Store, key, r, r.expires(key))
	if err != nil {
		return Named{}, err
	}
	shown, err := kv.Record(namedKey(s, address), named, r.expires(key))
	if err != nil {
		return Named{}, err
	}
	return named, l.Store.Apply(ctx, []kv.Write{record, shown})
}

// renewNamed has an address, if an operator typed it, last as long as what suppresses it.
func (l *List) renewNamed(ctx context.Context, s Scope, address string, r Record) error {
	key := namedKey(s, address)
	named, given, err := kv.Read[Named](ctx, l.Store, key)
	if err != nil || !given {
		return err
	}
	w, err := kv.Rewrite(ctx, l.Store, key, named, r.expires(s.key(address)))
	if err != nil {
		return err
	}
	return l.Store.Apply(ctx, []kv.Write{w})
}

// operators keeps out the scopes that are their readers' own.
func (s Scope) operators() error {
	if s.Topic != Everything && s.Topic != Updates {
		return fault.New(fault.Invalid, "An operator names addresses for everything, or for a campaign").In("scope")
	}
	return s.check()
}

// AllNamed returns a page of the addresses that operators named within a scope, in no order
// that tells anything, and the cursor of the next page, "" on the last. A page may be empty
// and have a next one.
func (l *List) AllNamed(ctx context.Context, s Scope, cursor string, limit int) (all []Named, next string, err error) {
	if err := s.operators(); err != nil {
		return nil, "", err
	}
	page, err := l.Store.List(ctx, kv.Query{Prefix: namedKey(s, ""), Cursor: cursor, Limit: limit})
	if err != nil {
		return nil, "", err
	}
	for _, e := range page.Entries {
		one, err := kv.Decode[Named](e.Key, e.Value)
		if err != nil {
			return nil, "", err
		}
		all = append(all, one)
	}
	return all, page.Next, nil
}
