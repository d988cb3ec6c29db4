package workers

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Store is a Workers KV namespace. It implements kv.Store. A read may be a minute old.
// An Apply that fails has carried out a prefix of its batch.
type Store struct {
	bridge  Bridge
	binding string
	now     func() time.Time
}

var _ kv.Store = (*Store)(nil)

// NewStore returns the store of a binding, such as "PLEDGES".
func NewStore(b Bridge, binding string, now func() time.Time) *Store {
	return &Store{bridge: b, binding: binding, now: now}
}

// meta is kept beside a value: KV itself forgets to the second, and no sooner than in a
// minute.
type meta struct {
	Expires int64 `json:"e,omitempty"` // microseconds since 1970; 0 is never
	Base64  bool  `json:"b,omitempty"`
	Empty   bool  `json:"z,omitempty"` // there is no value: not every KV tells an empty one from none
}

// record is a key as KV has it.
type record struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Meta  *meta  `json:"meta"`
}

func (s *Store) lives(m *meta) bool {
	return m == nil || m.Expires == 0 || m.Expires > s.now().UnixMicro()
}

func (r record) bytes() ([]byte, error) {
	if r.Meta != nil && r.Meta.Empty {
		return []byte{}, nil
	}
	return text{Text: r.Value, Base64: r.Meta != nil && r.Meta.Base64}.bytes()
}

// Get implements kv.Store.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := kv.CheckKey(key); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, unavailable(err)
	}
	var out struct {
		Found bool `json:"found"`
		record
	}
	in := map[string]string{"binding": s.binding, "key": escape(key)}
	if err := s.bridge.Call(ctx, opGet, in, &out); err != nil {
		return nil, unavailable(err)
	}
	if !out.Found || !s.lives(out.Meta) {
		return nil, fault.New(fault.NotFound, "there is no such key")
	}
	return out.bytes()
}

type listRequest struct {
	Binding string `json:"binding"`
	Prefix  string `json:"prefix"`
	Cursor  string `json:"cursor,omitempty"`
	Limit   int    `json:"limit"`
	Values  bool   `json:"values"`
}

// List implements kv.Store. A cursor is KV's own.
func (s *Store) List(ctx context.Context, q kv.Query) (kv.Page, error) {
	limit := q.Limit
	if limit < 1 || limit > kv.MaxPage {
		limit = kv.MaxPage
	}
	page := kv.Page{Next: q.Cursor}
	for more := true; more; more = page.Next != "" && len(page.Entries) < limit { // what has expired fills no page
		if err := ctx.Err(); err != nil {
			return kv.Page{}, unavailable(err)
		}
		var out struct {
			Records []record `json:"records"`
			Next    string   `json:"next"`
		}
		in := listRequest{Binding: s.binding, Prefix: q.Prefix, Cursor: page.Next, Limit: limit - len(page.Entries), Values: !q.KeysOnly}
		if err := s.bridge.Call(ctx, opList, in, &out); err != nil {
			return kv.Page{}, unavailable(err)
		}
		if err := s.collect(&page, out.Records, !q.KeysOnly); err != nil {
			return kv.Page{}, err
		}
		page.Next = out.Next
	}
	return page, nil
}

// collect adds the records that live.
func (s *Store) collect(page *kv.Page, records []record, values bool) error {
	for _, r := range records {
		if !s.lives(r.Meta) {
			continue
		}
		e := kv.Entry{Key: unescape(r.Key)}
		if values {
			var err error
			if e.Value, err = r.bytes(); err != nil {
				return unavailable(err)
			}
		}
		page.Entries = append(page.Entries, e)
	}
	return nil
}

// write is one change on its way.
type write struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"` // "" with Delete alone
	Meta   *meta  `json:"meta,omitempty"`
	TTL    int64  `json:"ttl,omitempty"` // seconds; 0 is for good
	Delete bool   `json:"delete,omitempty"`
}

// forGood is so far away that it is never. (A difference of times has its end there.)
const forGood = 200 * 365 * 24 * time.Hour

// sweepLater is how much later than it expires KV removes a key: its clock may differ.
const sweepLater = time.Minute

// Apply implements kv.Store.
func (s *Store) Apply(ctx context.Context, batch []kv.Write) error {
	now := s.now()
	if err := kv.CheckBatch(batch, now); err != nil || len(batch) == 0 {
		return err
	}
	if err := ctx.Err(); err != nil {
		return unavailable(err)
	}
	writes := make([]write, len(batch))
	for i, w := range batch {
		writes[i] = writeOf(w, now)
	}
	in := map[string]any{"binding": s.binding, "writes": writes}
	return unavailable(s.bridge.Call(ctx, opApply, in, nil))
}

func writeOf(w kv.Write, now time.Time) write {
	if w.Delete {
		return write{Key: escape(w.Key), Delete: true}
	}
	t := textOf(w.Value)
	out := write{Key: escape(w.Key), Value: t.Text}
	m := meta{Base64: t.Base64, Empty: t.Text == ""}
	if m.Empty {
		out.Value = "-"
	}
	if !w.Expires.IsZero() && w.Expires.Sub(now) < forGood {
		if m.Expires = w.Expires.UnixMicro(); w.Expires.After(time.UnixMicro(m.Expires)) {
			m.Expires++ // not a moment too early
		}
		out.TTL = int64((w.Expires.Sub(now) + sweepLater) / time.Second)
	}
	if m != (meta{}) {
		out.Meta = &m
	}
	return out
}

// KV has no keys "." and "..": they get an ending that nobody else gives a key, and keep
// their place in the order.
const dotted = "\x01"

func escape(key string) string {
	if key == "." || key == ".." {
		return key + dotted
	}
	return key
}

func unescape(key string) string {
	if key == "."+dotted || key == ".."+dotted {
		return key[:len(key)-len(dotted)]
	}
	return key
}
