package kv_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// state is an object's state in a map.
type state struct {
	m    map[string][]byte
	fail func() error // called at every access if set
}

func (s *state) access() error {
	if s.fail == nil {
		return nil
	}
	return s.fail()
}

func (s *state) Get(key string) ([]byte, error) { return s.m[key], s.access() }

func (s *state) Put(key string, value []byte) error {
	s.m[key] = value
	return s.access()
}

func (s *state) Delete(key string) error {
	delete(s.m, key)
	return s.access()
}

func (s *state) List(prefix, after string, limit int) (found []kv.Entry, err error) {
	for _, key := range slices.Sorted(maps.Keys(s.m)) {
		if strings.HasPrefix(key, prefix) && key > after && len(found) < limit {
			found = append(found, kv.Entry{Key: key, Value: s.m[key]})
		}
	}
	return found, s.access()
}

type deposit struct {
	Cents int `json:"cents"`
}

func (deposit) Kind() string { return "deposit" }

var now = time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC)

func command(id string) kv.Envelope {
	return kv.Envelope{ID: id, Kind: "deposit", Body: []byte(`{"cents":5}`)}
}

// A storage failure may be a *fault.Error, like a refusal, but must not be stored as
// the reply.
func TestDispatch_StorageErrorIsNotARefusal(t *testing.T) {
	broken := fault.New(fault.Unavailable, "the disk is full")
	for name, behave := range map[string]func(tx kv.Tx, now time.Time, _ deposit) (int, error){
		"passed on": func(tx kv.Tx, _ time.Time, _ deposit) (int, error) {
			_, err := tx.Get("k")
			return 0, err
		},
		"swallowed": func(tx kv.Tx, _ time.Time, _ deposit) (int, error) {
			_, _ = tx.List("", "", 1)
			return 1, nil
		},
		"turned into a refusal": func(tx kv.Tx, _ time.Time, _ deposit) (int, error) {
			if _, err := tx.Get("k"); err != nil {
				return 0, fault.New(fault.Conflict, "no")
			}
			return 1, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := kv.NewClass("account")
			s := &state{m: map[string][]byte{}}
			kv.On(c, func(tx kv.Tx, now time.Time, cmd deposit) (int, error) {
				s.fail = func() error { return broken } // fails while the command runs
				defer func() { s.fail = nil }()
				return behave(tx, now, cmd)
			})
			reply, err := c.Dispatch(s, now, command("id"))
			if !errors.Is(err, broken) || reply.Refused != nil {
				t.Errorf("got %v, %v, want the storage error", reply, err)
			}
			if len(s.m) != 0 {
				t.Errorf("state after the failure: %q", s.m)
			}
		})
	}
}

// If any access fails, before, during or after the handler, the command fails with the
// first error.
func TestDispatch_ReturnsFirstStorageError(t *testing.T) {
	later := errors.New("every later access fails")
	for at := 1; ; at++ {
		first := fmt.Errorf("failure at access %d", at)
		s := &state{m: map[string][]byte{"gone": {1}, "~reply/old": {}, "~sweep/20310101T000000Z/old": {}}}
		n := 0
		s.fail = func() error {
			if n++; n < at {
				return nil
			} else if n == at {
				return first
			}
			return later
		}
		c := kv.NewClass("account")
		kv.On(c, func(tx kv.Tx, _ time.Time, _ deposit) (int, error) {
			_, _ = tx.Get("k")
			_, _ = tx.List("", "", 5)
			return 1, errors.Join(tx.Put("k", nil), tx.Delete("gone"))
		})
		_, err := c.Dispatch(s, now, command("id-0"))
		if n < at {
			if err != nil || at < 10 {
				t.Errorf("after %d accesses: %v", n, err)
			}
			return
		}
		if !errors.Is(err, first) {
			t.Errorf("Dispatch returned %[2]v, want %[1]v", first, err)
		}
	}
}

func TestDispatch_RepeatReturnsIdenticalReply(t *testing.T) {
	for name, out := range map[string]any{
		"nothing": nil, "no JSON": json.RawMessage(nil), "JSON": json.RawMessage(`{"a":1}`), "text": "<a> & \u2028",
		"empty list": []int{}, "record": map[string]any{"b": 1.5, "a": []any{nil, "é"}},
	} {
		c := kv.NewClass("account")
		runs := 0
		kv.On(c, func(kv.Tx, time.Time, deposit) (any, error) { runs++; return out, nil })
		s := &state{m: map[string][]byte{}}
		first, err := c.Dispatch(s, now, command("id"))
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.Dispatch(s, now, command("id"))
		if err != nil || string(again.Body) != string(first.Body) || len(first.Body) == 0 || runs != 1 {
			t.Errorf("%s: answered %q, then %q (%v), in %d runs", name, first.Body, again.Body, err, runs)
		}
	}
}

func TestOn_PanicsOnDuplicateCommand(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a second handler for the same command was accepted")
		}
	}()
	c := kv.NewClass("account")
	kv.On(c, func(kv.Tx, time.Time, deposit) (int, error) { return 0, nil })
	kv.OnQuery(c, func(kv.Tx, time.Time, deposit) (int, error) { return 0, nil })
}

// script is a command that applies steps to its object's state and to a map.
type script struct {
	Steps []byte `json:"steps"`
}

func (script) Kind() string { return "script" }

// FuzzStateDuringACommand compares the state that a command sees (its own writes on top
// of the stored ones, without reserved keys) with a plain map.
func FuzzStateDuringACommand(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 250, 128, 7, 9, 33, 64, 65, 66, 2, 2, 2})
	f.Add([]byte("put, delete, list and again"))
	f.Fuzz(func(t *testing.T, steps []byte) {
		host := &state{m: map[string][]byte{"~reply/x": []byte("{}"), "~sweep/20310101T000000Z/x": {}}}
		model := &state{m: map[string][]byte{}}
		for _, key := range []string{"a", "b", "ba", "\x7f", "é"} {
			host.m[key], model.m[key] = []byte(key), []byte(key)
		}
		c := kv.NewClass("fuzz")
		kv.On(c, func(tx kv.Tx, _ time.Time, cmd script) (int, error) {
			for i, b := range cmd.Steps {
				key := []string{"a", "b", "ba", "bb", "c", "\x7f", "é", "z"}[b%8]
				prefix, after, limit := []string{"", "b", "~", "z"}[b>>3%4], key, int(b>>5)
				switch b >> 3 % 4 {
				case 0:
					_, _ = tx.Put(key, []byte{b}), model.Put(key, []byte{b})
				case 1:
					_, _ = tx.Delete(key), model.Delete(key)
				default:
					after = key
				}
				got, err := tx.List(prefix, after, limit)
				want, _ := model.List(prefix, after, limit)
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					return 0, fmt.Errorf("step %d: List(%q, %q, %d) (-want +got), %w:\n%s", i, prefix, after, limit, err, diff)
				}
				if v, err := tx.Get(key); string(v) != string(model.m[key]) || (v == nil) != (model.m[key] == nil) || err != nil {
					return 0, fmt.Errorf("step %d: Get(%q) = %q, %w, want %q", i, key, v, err, model.m[key])
				}
			}
			return 0, nil
		})
		body := kv.Envelope{ID: "id", Kind: "script", Body: encode(t, script{steps})}
		if _, err := c.Dispatch(host, now, body); err != nil {
			t.Fatal(err)
		}
		for key := range host.m {
			if strings.HasPrefix(key, "~") {
				delete(host.m, key)
			}
		}
		if diff := cmp.Diff(model.m, host.m); diff != "" {
			t.Errorf("state differs from the model (-want +got):\n%s", diff)
		}
	})
}

func TestNextCount(t *testing.T) {
	reset := now.Add(time.Minute)
	for _, c := range []struct {
		name string
		old  string
		at   time.Time
		want kv.Count
		over bool
	}{
		{"absent", "", now, kv.Count{N: 1, Reset: reset}, false},
		{"counting", `{"count":1,"resetAt":"2031-05-04T03:03:00Z"}`, now,
			kv.Count{N: 2, Reset: now.Add(59 * time.Second)}, false},
		{"at the limit", `{"count":2,"resetAt":"2031-05-04T03:03:00Z"}`, now,
			kv.Count{N: 2, Reset: now.Add(59 * time.Second)}, true},
		{"window of a server that is ahead", `{"count":2,"resetAt":"2031-05-04T03:33:01Z"}`, now,
			kv.Count{N: 2, Reset: now.Add(31 * time.Minute)}, true},
		{"window of a wrong clock", `{"count":2,"resetAt":"2031-05-04T03:33:02Z"}`, now, kv.Count{N: 1, Reset: reset}, false},
		{"window over", `{"count":2,"resetAt":"2031-05-04T03:02:01Z"}`, now, kv.Count{N: 1, Reset: reset}, false},
	} {
		var old []byte
		if c.old != "" {
			old = []byte(c.old)
		}
		got, over, err := kv.NextCount(old, c.at, 2, reset)
		if diff := cmp.Diff(c.want, got); diff != "" || over != c.over || err != nil {
			t.Errorf("%s: over %v, %v, (-want +got):\n%s", c.name, over, err, diff)
		}
	}
	if _, _, err := kv.NextCount([]byte("no counter"), now, 2, reset); err == nil {
		t.Error("an invalid counter was incremented")
	}
}
