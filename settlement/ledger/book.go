package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// The keys of the ledger in the settlement object.
const (
	headKey        = "ledger"           // → Head
	entryPrefix    = "ledger-entry/"    // number → record
	identityPrefix = "ledger-identity/" // identity → number
)

// Head describes a campaign's ledger: its size, the hash of its last entry, and the balance of every
// account that has entries, in cents.
type Head struct {
	Entries  int                     `json:"entries"`
	Hash     string                  `json:"hash"`
	Balances map[Account]money.Cents `json:"balances"`
	// Clearing divides the balance of the account Clearing by the kind of its entries.
	Clearing map[Kind]money.Cents `json:"clearing"`
}

// Append appends an entry with the next number, and returns it as stored. If its identity was
// recorded before with the same lines, it returns that entry; with other lines it fails with code
// Conflict.
func Append(tx kv.Tx, now time.Time, e Entry) (Entry, error) {
	if err := e.check(); err != nil {
		return Entry{}, err
	}
	known, ok, err := Find(tx, e.Identity)
	switch {
	case err != nil:
		return Entry{}, err
	case ok && slices.Equal(known.Lines, e.Lines):
		return known, nil
	case ok:
		return Entry{}, fault.New(fault.Conflict, "The ledger has the movement %s with other amounts, as entry %d",
			e.Identity, known.Number)
	}
	h, err := ReadHead(tx)
	if err != nil {
		return Entry{}, err
	}
	e.Number, e.BookedAt, e.Before = h.Entries+1, now, h.Hash
	r, err := newRecord(e)
	if err != nil {
		return Entry{}, err
	}
	e.Hash = r.Hash
	h.add(e)
	if err := kv.PutValue(tx, headKey, h); err != nil {
		return Entry{}, err
	}
	if err := kv.PutValue(tx, entryKey(e.Number), r); err != nil {
		return Entry{}, err
	}
	return e, tx.Put(identityPrefix+e.Identity, []byte(strconv.Itoa(e.Number)))
}

// prepare replaces missing maps with empty ones.
func (h *Head) prepare() {
	if h.Balances == nil {
		h.Balances = map[Account]money.Cents{}
	}
	if h.Clearing == nil {
		h.Clearing = map[Kind]money.Cents{}
	}
}

// add updates the head for the next entry.
func (h *Head) add(e Entry) {
	h.Entries, h.Hash = e.Number, e.Hash
	for _, l := range e.Lines {
		h.Balances[l.Account] += l.Amount
		if l.Account == Clearing {
			h.Clearing[e.Kind] += l.Amount
		}
	}
}

// Has reports whether a movement is recorded.
func Has(tx kv.Tx, identity string) (bool, error) {
	b, err := tx.Get(identityPrefix + identity)
	return b != nil, err
}

// Find returns the entry of a movement; ok is false if there is none.
func Find(tx kv.Tx, identity string) (e Entry, ok bool, err error) {
	b, err := tx.Get(identityPrefix + identity)
	if err != nil || b == nil {
		return Entry{}, false, err
	}
	n, err := strconv.Atoi(string(b))
	if err != nil {
		return Entry{}, false, fault.New(fault.Internal, "The ledger's index of %s is damaged", identity)
	}
	r, ok, err := kv.Load[record](tx, entryKey(n))
	if err != nil || !ok {
		return Entry{}, false, err
	}
	e, err = r.entry()
	return e, err == nil, err
}

// ReadHead returns the head of the ledger, the zero Head with empty maps if it has no entries. It
// fails with code Internal if the head is damaged.
func ReadHead(tx kv.Tx) (Head, error) {
	b, err := tx.Get(headKey)
	if err != nil {
		return Head{}, err
	}
	var h Head
	if b != nil {
		if h, err = kv.Decode[Head](headKey, b); err != nil {
			return Head{}, fault.New(fault.Internal, "The ledger's head is damaged: %v", err)
		}
	}
	h.prepare()
	return h, nil
}

// Read returns at most limit entries after a number, in order.
func Read(tx kv.Tx, after, limit int) ([]Entry, error) {
	rows, err := tx.List(entryPrefix, entryKey(after), limit)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(rows))
	for _, row := range rows {
		r, err := kv.Decode[record](row.Key, row.Value)
		if err != nil {
			return nil, err
		}
		e, err := r.entry()
		if err != nil {
			return nil, err
		}
		if hashOf(r.Entry) != r.Hash {
			return nil, fault.New(fault.Internal, "The ledger's entry %d was changed: its hash differs", e.Number)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// entryKey returns the key of an entry; keys sort by number.
func entryKey(n int) string { return fmt.Sprintf("%s%09d", entryPrefix, n) }

// A Verifier checks entries in order, from the first, and recomputes the head from them.
type Verifier struct{ head Head }

// Next checks the next entry. It fails with code Internal if its number or the hash before it does
// not follow, or its lines do not add up to zero.
func (v *Verifier) Next(e Entry) error {
	v.head.prepare()
	if e.Number != v.head.Entries+1 || e.Before != v.head.Hash {
		return fault.New(fault.Internal, "The ledger's entry %d does not follow entry %d", e.Number, v.head.Entries)
	}
	if err := e.check(); err != nil {
		return err
	}
	v.head.add(e)
	return nil
}

// Check compares the head that follows from the entries with the stored one. It fails with code
// Internal if an entry or a balance differs.
func (v *Verifier) Check(stored Head) error {
	if v.head.Entries != stored.Entries || v.head.Hash != stored.Hash {
		return fault.New(fault.Internal, "The ledger has %d entries, but its head says %d, or another hash",
			v.head.Entries, stored.Entries)
	}
	for _, a := range Accounts {
		if v.head.Balances[a] != stored.Balances[a] {
			return fault.New(fault.Internal, "The entries of %s add up to %s, but its balance is %s", a,
				v.head.Balances[a], stored.Balances[a])
		}
	}
	if !maps.Equal(v.head.Clearing, stored.Clearing) {
		return fault.New(fault.Internal, "The entries of %s add up to %v by kind, but %v are recorded", Clearing,
			v.head.Clearing, stored.Clearing)
	}
	return nil
}
