// Package suppression stores the addresses that get no more mails, and why: addresses that
// bounced, readers who marked a mail as spam or unsubscribed, and addresses that an operator
// entered.
//
// Records are identified by an HMAC of the address and contain no address, so that the records
// alone do not reveal anyone's identity. An address that an operator entered is additionally stored
// in plain text for as long as it is suppressed for that reason.
//
// Suppressions are checked just before a mail is sent. Some hosts have an eventually consistent
// Store that may return data up to a minute old, so a mail can still be sent up to a minute
// after an unsubscribe.
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

// Life is how long a suppression of all mails lasts after it was last reported or last stopped a
// mail. Narrower suppressions do not expire.
const Life = 400 * 24 * time.Hour

// renewal is the minimum interval at which stopped mails extend a record's life.
const renewal = 24 * time.Hour

// Reason is why an address is suppressed.
type Reason string

// The reasons.
const (
	Bounced    Reason = "bounced"    // the address rejects all mail
	Complained Reason = "complained" // the reader marked a mail as spam
	Asked      Reason = "asked"      // the reader unsubscribed
	Operator   Reason = "operator"   // an operator entered the address
)

// Record holds the reasons for suppressing an address, each with its history.
type Record struct {
	Reasons map[Reason]History `json:"reasons"`
}

// History records when a reason was reported.
type History struct {
	Since time.Time `json:"since"`
	Last  time.Time `json:"last"`  // last reported, or last stopped a mail (to the day)
	Count int       `json:"count"` // number of reports
}

// addReport adds a report of a reason, and returns its history.
func (r *Record) addReport(reason Reason, now time.Time) History {
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

// List is the list of suppressed addresses. It implements notify.Suppressor and is safe for
// concurrent use. If two reports about one address arrive at once, they may be counted as one.
type List struct {
	Store kv.Store // the primary namespace
	Now   func() time.Time
	// Secret is the HMAC key, at least 32 bytes. Former lists earlier secrets, whose records are
	// still found.
	Secret []byte
	Former [][]byte
}

var _ notify.Suppressor = (*List)(nil)

// Address returns the HMAC that identifies an address in records: 64 hexadecimal digits.
func (l *List) Address(email string) string {
	return hashAddress(l.Secret, pledge.DeliveryEmail(email))
}

func hashAddress(secret []byte, email string) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(strings.ToLower(strings.TrimSpace(email))))
	return hex.EncodeToString(h.Sum(nil))
}

// Addresses returns every HMAC under which an address may have records: the one that Address
// returns first, then those of its other spellings and of former secrets.
func (l *List) Addresses(email string) []string {
	spellings := pledge.EmailSpellings(email)
	if spellings == nil {
		spellings = []string{email}
	}
	var all []string
	for _, secret := range append([][]byte{l.Secret}, l.Former...) {
		for _, spelling := range spellings {
			all = append(all, hashAddress(secret, spelling))
		}
	}
	return all
}

// Suppressed returns the reason why a mail must not be sent, or "" if it may be sent. Transactional
// mails are withheld only from addresses that bounced.
func (l *List) Suppressed(ctx context.Context, m notify.Mail) (string, error) {
	obeyed := []Reason{Bounced}
	if m.Stream != "" && m.Stream != notify.Transactional {
		obeyed = []Reason{Bounced, Complained, Operator, Asked}
	}
	for _, address := range l.Addresses(m.To) {
		for _, s := range scopesOf(m) {
			reason, err := l.match(ctx, s, address, obeyed)
			if reason != "" || err != nil {
				return string(reason), err
			}
		}
	}
	return "", nil
}

// match returns the first of the given reasons that the address's record has, or "". It renews that
// reason if it was last reported or renewed at least a day ago.
func (l *List) match(ctx context.Context, s Scope, address string, obeyed []Reason) (Reason, error) {
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

// Add suppresses an address, given as Address returns it, within a scope. Repeating it increases
// the count and renews the record. It fails with code Invalid for an invalid scope.
func (l *List) Add(ctx context.Context, s Scope, address string, reason Reason) error {
	if err := s.check(); err != nil {
		return err
	}
	if address == "" || reason == "" {
		return fault.New(fault.Invalid, "A suppression needs an address and a reason").In("address")
	}
	key := s.key(address)
	r, _, err := kv.Read[Record](ctx, l.Store, key)
	if err != nil {
		return err
	}
	r.addReport(reason, l.Now().UTC())
	return l.put(ctx, key, r)
}

// Clear removes the reason from all records of an address within a scope, under the current and
// all former secrets. The address stays suppressed for other reasons.
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
		// Even if the reason is gone: an earlier Clear may have been interrupted in between.
		if err := l.Store.Apply(ctx, []kv.Write{kv.Delete(namedKey(s, address))}); err != nil {
			return err
		}
	}
	return nil
}

// Reasons returns why an address is suppressed within exactly this scope, sorted.
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

// All yields the suppressed addresses of a scope. It yields an error and stops if it fails.
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
	Address string // as returned by List.Address
	Record
}

// put saves a record, or deletes it if no reason is left.
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

// expires returns when a record of the topic Everything expires. Other records never expire,
// because an unsubscribe is permanent.
func (r *Record) expires(key string) time.Time {
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
