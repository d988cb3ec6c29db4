package suppression

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// namedPrefix is the key prefix of the addresses that operators entered. The suppression itself is
// a Record, as for any other address.
const namedPrefix = "admin-suppression:v1:"

// namedKey is the key of an address within a scope. Slugs contain no asterisk.
func namedKey(s Scope, address string) string {
	if s.Topic == Everything {
		return namedPrefix + "*:" + address
	}
	return namedPrefix + s.Campaign + ":" + address
}

// Named is an address that an operator entered.
type Named struct {
	Email string    `json:"email"`
	By    string    `json:"createdBy"` // the operator who first entered it; "" for a script
	Since time.Time `json:"createdAt"`
}

// AddNamed suppresses an address for the reason Operator, for all mails or for a campaign's
// updates, and stores the address in plain text, so that operators can see it. Repeating it renews
// both records. It fails with code Invalid for an invalid address or another scope.
func (l *List) AddNamed(ctx context.Context, s Scope, email, by string) (Named, error) {
	email, err := pledge.ParseEmail(email)
	if err != nil {
		return Named{}, err
	}
	if err := s.checkOperatorScope(); err != nil {
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
	if h := r.addReport(Operator, l.Now().UTC()); !given {
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

// renewNamed extends the life of the Named record of an address, if it has one, to that of its
// suppression r.
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

// checkOperatorScope fails with code Invalid for scopes that only readers control.
func (s Scope) checkOperatorScope() error {
	if s.Topic != Everything && s.Topic != Updates {
		return fault.New(fault.Invalid,
			"An operator can suppress an address only for all mails or for a campaign's updates").In("scope")
	}
	return s.check()
}

// AllNamed returns a page of the addresses that operators entered within a scope, in no
// particular order, and the cursor of the next page, "" on the last page. A page may be empty
// and still have a next one.
func (l *List) AllNamed(ctx context.Context, s Scope, cursor string, limit int) (all []Named, next string, err error) {
	if err := s.checkOperatorScope(); err != nil {
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
