package audit_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

var ctx = context.Background()

var object = kv.Object{Class: "office", Name: "*audit"}

// fixture is an audit log in memory with a fake clock.
type fixture struct {
	*audit.Log
	t      *testing.T
	db     *memkv.DB
	now    time.Time
	logged bytes.Buffer // the program's log
	cut    func(memkv.Op) error
}

func newFixture(t *testing.T) *fixture {
	o := &fixture{t: t, now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	class := kv.NewClass(object.Class)
	audit.Register(class)
	kv.On(class, forge)
	o.db = memkv.New(memkv.Options{Now: func() time.Time { return o.now }, Classes: []*kv.Class{class},
		Fail: func(op memkv.Op) error {
			if o.cut == nil {
				return nil
			}
			return o.cut(op)
		}})
	o.Log = &audit.Log{Store: o.db.Store(""), Coordinator: o.db.Coordinator(), Object: object,
		Rand: rand.Reader, Log: slog.New(slog.NewTextHandler(&o.logged, nil))}
	return o
}

// forgery writes the object's state, as an attacker with database access could.
type forgery struct {
	Key   string
	Value []byte // nil deletes
}

func (forgery) Kind() string { return "forge" }

func forge(tx kv.Tx, _ time.Time, f forgery) (struct{}, error) {
	if f.Value == nil {
		return struct{}{}, tx.Delete(f.Key)
	}
	return struct{}{}, tx.Put(f.Key, f.Value)
}

func (o *fixture) forge(key string, value []byte) {
	o.t.Helper()
	if _, err := kv.Send[struct{}](ctx, o.Coordinator, object, rand.Text(), forgery{key, value}); err != nil {
		o.t.Fatal(err)
	}
}

func linkKey(n int) string { return fmt.Sprintf("audit/event/%012d", n) }

func (o *fixture) storedRecord(key string) []byte {
	o.t.Helper()
	for _, e := range o.db.Snapshot().Objects[object] {
		if e.Key == key {
			return e.Value
		}
	}
	o.t.Fatalf("nothing is stored under %s", key)
	return nil
}

func (o *fixture) do(act audit.Act, failed error) {
	o.t.Helper()
	if err := o.Do(ctx, act, func() error { return failed }); !errors.Is(err, failed) {
		o.t.Fatalf("Do returned a different error: %v", err)
	}
}

func (o *fixture) all(f audit.Filter) []audit.Event {
	o.t.Helper()
	var all []audit.Event
	for cursor := 0; ; {
		page, err := o.Search(ctx, f, cursor, 7)
		if err != nil {
			o.t.Fatal(err)
		}
		if all = append(all, page.Events...); page.Next == 0 {
			return all
		}
		cursor = page.Next
	}
}

func (o *fixture) verify(noted audit.Head) audit.Verified {
	o.t.Helper()
	v, err := o.Verify(ctx, noted)
	if err != nil {
		o.t.Fatal(err)
	}
	return v
}

var stop = audit.Act{Action: "settlement.stop", AdminEmail: "ada@example.org", AdminRole: "operator",
	Source: "api", Reason: "a doubt", ChangedFields: []string{"reason"}}

func (o *fixture) ok(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

func (o *fixture) headAt(n int) audit.Head {
	var l struct{ Hash string }
	if err := json.Unmarshal(o.storedRecord(linkKey(n)), &l); err != nil {
		o.t.Fatal(err)
	}
	return audit.Head{Number: n, Hash: l.Hash}
}
