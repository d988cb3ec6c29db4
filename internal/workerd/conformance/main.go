//go:build js && wasm

// Command conformance executes kvtest's calls inside a worker.
package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/pledgeworks/pledgeworks/hosts/workers"
	"github.com/pledgeworks/pledgeworks/internal/workerd/wire"
	"github.com/pledgeworks/pledgeworks/kv/kvtest"
)

func main() {
	workers.Export(kvtest.Classes(), run)
	select {}
}

func run(ctx context.Context, p *workers.Platform, op string, in []byte) (any, error) {
	var e wire.Envelope
	if err := json.Unmarshal(in, &e); err != nil {
		return nil, err
	}
	var a wire.Answer
	a.Note(answer(ctx, p, e, &a))
	return a, nil
}

func answer(ctx context.Context, p *workers.Platform, e wire.Envelope, a *wire.Answer) (err error) {
	q := e.Question
	bindings := map[string]string{}
	for _, c := range kvtest.Classes() {
		bindings[c.Name()] = "CHECKOUT_INTENTS"
	}
	store := workers.NewStore(p, e.World, q.Clock)
	switch e.Op {
	case wire.Get:
		a.Value, err = store.Get(ctx, q.Key)
	case wire.List:
		a.Page, err = store.List(ctx, q.Query)
	case wire.Apply:
		err = store.Apply(ctx, q.Batch)
	case wire.Do:
		a.Reply, err = workers.NewCoordinator(p, bindings, q.Clock).Do(ctx, q.Object, q.Command)
	default:
		err = errors.New("unknown call " + e.Op)
	}
	return err
}
