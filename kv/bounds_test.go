package kv_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// boundaryTexts maps texts around a length limit to whether they are valid.
func boundaryTexts(longest int) map[string]bool {
	return map[string]bool{
		"": false, "a": true, strings.Repeat("a", longest): true, strings.Repeat("a", longest+1): false,
		strings.Repeat("é", longest/2): true, "a\x00b": false, "\x00a": false, "a\xff": false,
	}
}

func TestBounds_NamesAndKeys(t *testing.T) {
	for _, c := range []struct {
		what    string
		longest int
		take    func(text string) error
	}{
		{"key", kv.MaxKey, kv.CheckKey},
		{"key of a write", kv.MaxKey,
			func(text string) error { return kv.CheckBatch([]kv.Write{kv.Put("k", nil), kv.Delete(text)}, now) }},
		{"object", 400, func(text string) error { return kv.Object{Class: "account", Name: text}.Check() }},
		{"identity", 200, func(text string) error {
			c := kv.NewClass("account")
			kv.On(c, func(kv.Tx, time.Time, deposit) (int, error) { return 1, nil })
			_, err := c.Dispatch(&state{m: map[string][]byte{}}, now, command(text))
			return err
		}},
	} {
		for text, fine := range boundaryTexts(c.longest) {
			if err := c.take(text); (err == nil) != fine {
				t.Errorf("a %s of %d bytes, %.5q: %v", c.what, len(text), text, err)
			}
		}
	}
	if err := (kv.Object{Name: "a"}).Check(); err == nil {
		t.Error("an object without a class was accepted")
	}
}

func TestBounds_ValuesAndLifetimes(t *testing.T) {
	long := make([]byte, kv.MaxValue+1)
	for _, c := range []struct {
		name  string
		write kv.Write
		want  fault.Code
	}{
		{"the largest value", kv.Put("k", long[1:]), ""},
		{"a larger value", kv.Put("k", long), fault.Invalid},
		{"the shortest lifetime", kv.PutUntil("k", nil, now.Add(kv.MinLifetime)), ""},
		{"a shorter lifetime", kv.PutUntil("k", nil, now.Add(kv.MinLifetime-1)), fault.Invalid},
		{"a deletion ignores expiry and value", kv.Write{Key: "k", Delete: true, Value: long, Expires: now}, ""},
	} {
		if err := kv.CheckBatch([]kv.Write{c.write}, now); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A command's writes have the same limits as a Store, and it cannot access the keys of
// package kv.
func TestBounds_CommandWrites(t *testing.T) {
	long := make([]byte, kv.MaxValue+1)
	for _, c := range []struct {
		name  string
		write func(tx kv.Tx) error
		want  fault.Code
	}{
		{"the largest value", func(tx kv.Tx) error { return tx.Put("k", long[1:]) }, ""},
		{"a larger value", func(tx kv.Tx) error { return tx.Put("k", long) }, fault.Invalid},
		{"empty key", func(tx kv.Tx) error { return tx.Put("", nil) }, fault.Invalid},
		{"delete an empty key", func(tx kv.Tx) error { return tx.Delete("") }, fault.Invalid},
		{"write a reply", func(tx kv.Tx) error { return tx.Put("~reply/x", nil) }, fault.Invalid},
		{"delete a reply", func(tx kv.Tx) error { return tx.Delete("~reply/x") }, fault.Invalid},
		{"read a reply", func(tx kv.Tx) error {
			if v, err := tx.Get("~reply/x"); v != nil || err != nil {
				return fault.New(fault.Conflict, "%s, %v", v, err)
			}
			return nil
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			class := kv.NewClass("account")
			kv.On(class, func(tx kv.Tx, _ time.Time, _ deposit) (int, error) { return 0, c.write(tx) })
			s := &state{m: map[string][]byte{"~reply/x": []byte("{}")}}
			r, err := class.Dispatch(s, now, command("id"))
			if err != nil || r.Refused == nil && c.want != "" || r.Refused != nil && r.Refused.Code != c.want {
				t.Errorf("got %v, %v, want %q", r.Refused, err, c.want)
			}
		})
	}
}

// A query sees the same state as a command, limited to the requested number of entries,
// and cannot write.
func TestQuery_ReadsStateButCannotWrite(t *testing.T) {
	s := &state{m: map[string][]byte{"a": {1}, "b": {2}, "~reply/x": {}, "~sweep/x": {}, "\x7f": {3}, "é": {4}}}
	for limit, want := range []string{"", "a", "a b", "a b \x7f", "a b \x7f é", "a b \x7f é"} {
		c := kv.NewClass("account")
		kv.OnQuery(c, func(tx kv.Tx, _ time.Time, _ deposit) (string, error) {
			found, err := tx.List("", "", limit)
			var keys []string
			for _, e := range found {
				keys = append(keys, e.Key)
			}
			if got := strings.Join(keys, " "); got != want || err != nil {
				t.Errorf("at most %d: %q, %v, want %q", limit, got, err, want)
			}
			return "", nil
		})
		if _, err := c.Dispatch(s, now, command("")); err != nil {
			t.Error(err)
		}
	}
	for name, write := range map[string]func(tx kv.Tx) error{
		"put":    func(tx kv.Tx) error { return tx.Put("a", nil) },
		"delete": func(tx kv.Tx) error { return tx.Delete("a") },
	} {
		c := kv.NewClass("account")
		kv.OnQuery(c, func(tx kv.Tx, _ time.Time, _ deposit) (int, error) {
			_ = write(tx)
			return 0, nil
		})
		if _, err := c.Dispatch(s, now, command("")); err == nil || len(s.m["a"]) != 1 {
			t.Errorf("a query could %s: %v", name, err)
		}
	}
}

// List includes keys that the command wrote after the last stored key.
func TestTx_ListIncludesOwnWritesAtTheEnd(t *testing.T) {
	c := kv.NewClass("account")
	kv.On(c, func(tx kv.Tx, _ time.Time, _ deposit) (int, error) {
		if err := tx.Put("b", []byte("new")); err != nil {
			return 0, err
		}
		found, err := tx.List("", "", 3)
		if err != nil || len(found) != 2 || found[0].Key != "a" || found[1].Key != "b" || string(found[1].Value) != "new" {
			t.Errorf("listed %q, %v", found, err)
		}
		return 0, nil
	})
	if _, err := c.Dispatch(&state{m: map[string][]byte{"a": {1}}}, now, command("id")); err != nil {
		t.Fatal(err)
	}
}
