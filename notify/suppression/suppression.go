// Package suppression knows who gets no more mails, and why: addresses that take none,
// readers who called a mail spam or unsubscribed, and those that an operator names.
//
// Records are named by a hash of the address with a secret key, which nobody can compute who
// has the records alone. None holds the address itself. Where an operator typed it, it stands
// beside them, for as long as they suppress it.
//
// A mail is looked up when it is about to leave. A Store may be read a minute late on some
// hosts, so there a mail may follow an unsubscribing by as much.
package suppression

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Life is how long a suppression of everything lasts after it was last reported or last
// stopped a mail. What a reader asked for has no end.
const Life = 400 * 24 * time.Hour

// renewal is how often mails that are stopped move the end of a record.
const renewal = 24 * time.Hour

// Reason says why an address is suppressed.
type Reason string

// The reasons.
const (
	Bounced    Reason = "bounced"    // it takes no mail
	Complained Reason = "complained" // its reader called a mail spam
	Asked      Reason = "asked"      // its reader unsubscribed
	Operator   Reason = "operator"   // an operator said so
)

// Record is what is kept of a suppressed address: each reason with its history.
type Record struct {
	Reasons map[Reason]History `json:"reasons"`
}

// History is when a reason was given.
type History struct {
	Since time.Time `json:"since"`
	Last  time.Time `json:"last"`  // reported, or a mail stopped, to the day
	Count int       `json:"count"` // of reports
}

// give counts a reason, and returns its history.
func (r *Record) give(reason Reason, now time.Time) History {
	if r.Reasons == nil {
		r.Reasons = map[Reason]History{}
	}
	h, given := r.Reasons[reason]
	if !given {
		h.Since = now
	}
	h.Last, h.Count = now, h.Count+1
	r.Reasons[reason] = h
	return h
}

// List is the suppressed addresses. It is a notify.Suppressor, and safe for concurrent use:
// where two reports about one address are written at once, one of them may count for both.
type List struct {
	Store kv.Store // the primary namespace
	Now   func() time.Time
	// Secret is the key of the hashes, of at least 32 bytes. Those in Former were in its
	// place earlier: what was written under them is still found.
	Secret []byte
	Former [][]byte
}

var _ notify.Suppressor = (*List)(nil)

// Address returns the name of an address in records: 64 hexadecimal digits.
func (l *List) Address(email string) string { return name(l.Secret, pledge.DeliveryEmail(email)) }

func name(secret []byte, email string) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(strings.ToLower(strings.TrimSpace(email))))
	return hex.EncodeToString(h.Sum(nil))
}

// Addresses returns every name that an address has had in records, the one that Address
// returns first: those under former secrets, and those of its other spellings.
func (l *List) Addresses(email string) []string {
	spellings := pledge.EmailSpellings(email)
	if spellings == nil {
		spellings = []string{email}
	}
	var all []string
	for _, secret := range append([][]byte{l.Secret}, l.Former...) {
		for _, spelling := range spellings {
			all = append(all, name(secret, spelling))
		}
	}
	return all
}

// Suppressed returns why a mail must not be sent, and "" where it may. A mail about the
// reader's own pledge is kept only from an address that takes none.
func (l *List) Suppressed(ctx context.Context, m notify.Mail) (string, error) {
	obeyed := []Reason{Bounced}
	if m.Stream != "" && m.Stream != notify.Transactional {
		obeyed = []Reason{Bounced, Complained, Operator, Asked}
	}
	for _, address := range l.Addresses(m.To) {
		for _, s := range scopesOf(m) {
			reason, err := l.stops(ctx, s, address, obeyed)
			if reason != "" || err != nil {
				return string(reason), err
			}
		}
	}
	return "", nil
}

// stops returns the first of the reasons that a record has.
func (l *List) stops(ctx context.Context, s Scope, address string, obeyed []Reason) (Reason, error) {
	key := s.key(address)
	r, _, err := kv.Read[Record](ctx, l.Store, key)
	if err != nil {
		return "", err
	}
	for _, reason := range obeyed {
		h, given := r.Reasons[reason]
		if !given {
			continue
		}
		if now := l.Now().UTC(); now.Sub(h.Last) >= renewal {
			h.Last = now
			r.Reasons[reason] = h
			if err := l.put(ctx, key, r); err != nil {
				return reason, err
			}
			if _, named := r.Reasons[Operator]; !named {
				return reason, nil
			}
			return reason, l.renewNamed(ctx, s, address, r)
		}
		return reason, nil
	}
	return "", nil
}

// Add suppresses an address, given as Address names it, within a scope. Adding it again
// counts it and renews its life. It fails with code Invalid for what is no scope.
func (l *List) Add(ctx context.Context, s Scope, address string, reason Reason) error {
	if err := s.check(); err != nil {
		return err
	}
	if address == "" || reason == "" {
		return fault.New(fault.Invalid, "A suppression has an address and a reason").In("address")
	}
	key := s.key(address)
	r, _, err := kv.Read[Record](ctx, l.Store, key)
	if err != nil {
		return err
	}
	r.give(reason, l.Now().UTC())
	return l.put(ctx, key, r)
}

// Clear takes the reason from all records of an address within a scope, under every secret
// that is known. What was suppressed for another reason stays so.
func (l *List) Clear(ctx context.Context, s Scope, email string, reason Reason) error {
	if err := s.check(); err != nil {
		return err
	}
	for _, address := range l.Addresses(email) {
		key := s.key(address)
		r, _, err := kv.Read[Record](ctx, l.Store, key)
		if err != nil {
			return err
		}
		if _, given := r.Reasons[reason]; given {
			delete(r.Reasons, reason)
			if err := l.put(ctx, key, r); err != nil {
				return err
			}
		}
		if reason != Operator {
			continue
		}
		// Also where the reason is gone: a clearance may have been cut off in between.
		if err := l.Store.Apply(ctx, []kv.Write{kv.Delete(namedKey(s, address))}); err != nil {
			return err
		}
	}
	return nil
}

// Reasons returns why an address is suppressed within exactly that scope, sorted.
func (l *List) Reasons(ctx context.Context, s Scope, email string) ([]Reason, error) {
	found := map[Reason]bool{}
	for _, address := range l.Addresses(email) {
		r, _, err := kv.Read[Record](ctx, l.Store, s.key(address))
		if err != nil {
			return nil, err
		}
		for reason := range r.Reasons {
			found[reason] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// All walks the names of the addresses that are suppressed within a scope. It stops at the
// first error, which it yields.
func (l *List) All(ctx context.Context, s Scope) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		prefix := s.key("")
		for e, err := range kv.All(ctx, l.Store, prefix) {
			var row Row
			if err == nil {
				row.Address = strings.TrimPrefix(e.Key, prefix)
				row.Record, err = kv.Decode[Record](e.Key, e.Value)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// Row is one suppressed address.
type Row struct {
	Address string // its name
	Record
}

// put writes what is left of a record.
func (l *List) put(ctx context.Context, key string, r Record) error {
	if len(r.Reasons) == 0 {
		return l.Store.Apply(ctx, []kv.Write{kv.Delete(key)})
	}
	w, err := kv.Rewrite(ctx, l.Store, key, r, r.expires(key))
	if err != nil {
		return err
	}
	return l.Store.Apply(ctx, []kv.Write{w})
}

// expires is the end of a record of everything, and never of what is narrower: an
// unsubscribing does not lapse.
func (r Record) expires(key string) time.Time {
	if !strings.HasPrefix(key, permanentPrefix) {
		return time.Time{}
	}
	var last time.Time
	for _, h := range r.Reasons {
		if last.Before(h.Last) {
			last = h.Last
		}
	}
	return last.Add(Life)
}
