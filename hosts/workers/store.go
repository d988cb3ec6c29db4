package workers

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Store implements kv.Store on a Workers KV namespace. Reads are eventually consistent: they may be
// up to a minute old. If Apply fails, a prefix of the batch may have been applied.
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

// meta is the KV metadata of a value. It holds the exact expiry, because KV's own expiry has a
// resolution of seconds and a minimum of one minute.
type meta struct {
	Expires int64 `json:"e,omitempty"` // microseconds since 1970; 0 means never
	Base64  bool  `json:"b,omitempty"`
	Empty   bool  `json:"z,omitempty"` // the value is empty, which some KV implementations treat as missing
}

// record is a stored key and its value.
type record struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Meta  *meta  `json:"meta"`
}

// live reports whether a record with this metadata has not expired.
func (s *Store) live(m *meta) bool {
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
	if !out.Found || !s.live(out.Meta) {
		return nil, fault.New(fault.NotFound, "no such key")
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

// List implements kv.Store. Cursors are KV's cursors.
func (s *Store) List(ctx context.Context, q kv.Query) (kv.Page, error) {
	limit := q.Limit
	if limit < 1 || limit > kv.MaxPage {
		limit = kv.MaxPage
	}
	page := kv.Page{Next: q.Cursor}
	for more := true; more; more = page.Next != "" && len(page.Entries) < limit { // expired records do not count
		if err := ctx.Err(); err != nil {
			return kv.Page{}, unavailable(err)
		}
		var out struct {
			Records []record `json:"records"`
			Next    string   `json:"next"`
		}
		in := listRequest{Binding: s.binding, Prefix: q.Prefix, Cursor: page.Next,
			Limit: limit - len(page.Entries), Values: !q.KeysOnly}
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

// collect appends the records that have not expired to a page.
func (s *Store) collect(page *kv.Page, records []record, values bool) error {
	for _, r := range records {
		if !s.live(r.Meta) {
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

// write is a write or a deletion of a key, encoded for the bridge.
type write struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"` // empty only if Delete is set
	Meta   *meta  `json:"meta,omitempty"`
	TTL    int64  `json:"ttl,omitempty"` // seconds; 0 means no expiry
	Delete bool   `json:"delete,omitempty"`
}

// maxTTL is the TTL from which a value is stored without expiry. It is below the maximum
// time.Duration of about 292 years, which Time.Sub saturates at.
const maxTTL = 200 * 365 * 24 * time.Hour

// expiryGrace is how much later than its expiry a key is removed by KV, because KV's clock may
// differ. It also satisfies KV's minimum TTL.
const expiryGrace = time.Minute

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
		writes[i] = encodeWrite(w, now)
	}
	in := map[string]any{"binding": s.binding, "writes": writes}
	return unavailable(s.bridge.Call(ctx, opApply, in, nil))
}

func encodeWrite(w kv.Write, now time.Time) write {
	if w.Delete {
		return write{Key: escape(w.Key), Delete: true}
	}
	t := textOf(w.Value)
	out := write{Key: escape(w.Key), Value: t.Text}
	m := meta{Base64: t.Base64, Empty: t.Text == ""}
	if m.Empty {
		out.Value = "-"
	}
	if !w.Expires.IsZero() && w.Expires.Sub(now) < maxTTL {
		if m.Expires = w.Expires.UnixMicro(); w.Expires.After(time.UnixMicro(m.Expires)) {
			m.Expires++ // round up
		}
		out.TTL = int64((w.Expires.Sub(now) + expiryGrace) / time.Second)
	}
	if m != (meta{}) {
		out.Meta = &m
	}
	return out
}

// dotSuffix is appended to the keys "." and "..", which KV does not allow. It keeps their position in
// the order of keys.
const dotSuffix = "\x01"

func escape(key string) string {
	if key == "." || key == ".." {
		return key + dotSuffix
	}
	return key
}

func unescape(key string) string {
	if key == "."+dotSuffix || key == ".."+dotSuffix {
		return key[:len(key)-len(dotSuffix)]
	}
	return key
}
