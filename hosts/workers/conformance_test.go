package workers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/workerd"
	"github.com/pledgeworks/pledgeworks/internal/workerd/wire"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/kvtest"
)

// maxStores is how many stores the suite can open.
const maxStores = 110

// harness runs the conformance worker, with a KV namespace for each store.
type harness struct {
	options workerd.Options
	worker  *workerd.Worker
	opened  int
	now     time.Time
}

func (b *harness) start(t testing.TB) {
	t.Helper()
	w, err := workerd.Start(b.options, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	b.worker = w
}

// remote is a kv.Store and kv.Coordinator that forwards its calls to the worker.
type remote struct {
	harness *harness
	world   string
}

func (r remote) ask(op string, q wire.Question) (wire.Answer, error) {
	q.Now = r.harness.now
	body, err := json.Marshal(wire.Envelope{World: r.world, Op: op, Question: q})
	if err != nil {
		return wire.Answer{}, err
	}
	client := http.Client{Transport: workerd.Transport}
	res, err := client.Post(r.harness.worker.URL, "application/json", bytes.NewReader(body))
	if err != nil {
		return wire.Answer{}, err
	}
	defer res.Body.Close()
	var out struct {
		Answer wire.Answer
		Failed string
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return wire.Answer{}, fmt.Errorf("%s: %w", op, err)
	}
	if out.Failed != "" {
		return wire.Answer{}, fmt.Errorf("%s: %s", op, out.Failed)
	}
	return out.Answer, out.Answer.Err()
}

func (r remote) Get(ctx context.Context, key string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := r.ask(wire.Get, wire.Question{Key: key})
	return a.Value, err
}

func (r remote) List(ctx context.Context, q kv.Query) (kv.Page, error) {
	if err := ctx.Err(); err != nil {
		return kv.Page{}, err
	}
	a, err := r.ask(wire.List, wire.Question{Query: q})
	return a.Page, err
}

func (r remote) Apply(ctx context.Context, batch []kv.Write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := r.ask(wire.Apply, wire.Question{Batch: batch})
	return err
}

func (r remote) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	if err := ctx.Err(); err != nil {
		return kv.Reply{}, err
	}
	a, err := r.ask(wire.Do, wire.Question{Object: to, Command: cmd})
	return a.Reply, err
}

// maxValue returns the size in bytes of the largest value to test; 0 means no limit. TinyGo's
// program has too little memory for larger ones.
func maxValue() int {
	if workerd.TinyGo() {
		return 1 << 20
	}
	return 0
}

// Store and Coordinator pass the conformance tests of package kv.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a worker")
	}
	b := &harness{now: time.Date(2031, 5, 4, 3, 2, 1, 987654321, time.UTC)}
	b.options = workerd.Options{
		Folder: workerd.Build(t, "./internal/workerd/conformance", "../../internal/workerd/conformance.mjs"),
		Entry:  "conformance.mjs", Data: t.TempDir(), Objects: map[string]string{"CHECKOUT_INTENTS": "CheckoutIntents"},
	}
	for i := range maxStores {
		b.options.Namespaces = append(b.options.Namespaces, fmt.Sprintf("WORLD%d", i))
	}
	b.start(t)
	t.Cleanup(func() { _ = b.worker.Kill() })
	open := func() (kv.Store, kv.Coordinator) {
		r := remote{b, fmt.Sprintf("WORLD%d", b.opened)}
		return r, r
	}
	kvtest.Run(t, kvtest.Harness{
		Open: func(testing.TB, ...*kv.Class) (kv.Store, kv.Coordinator) {
			b.opened++
			return open()
		},
		Reopen: func(t testing.TB) (kv.Store, kv.Coordinator) {
			if err := b.worker.Kill(); err != nil {
				t.Fatal(err)
			}
			b.start(t)
			return open()
		},
		Keys:    3500, // each write is a request to Miniflare
		Now:     func() time.Time { return b.now },
		Advance: func(d time.Duration) { b.now = b.now.Add(d) },
		Holds:   maxValue(),
	})
}
