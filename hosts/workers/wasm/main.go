//go:build js && wasm

// Command wasm is the program that runs inside the worker. worker/instance.mjs starts it and calls
// the functions that it exports.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"
	_ "time/tzdata" // Workers have no time zone database

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/workers"
)

func main() {
	p := &program{}
	workers.Export(compose.Classes(), p.run)
	select {}
}

// program holds the host, which is composed for the first operation.
type program struct {
	host *workers.Host
}

// run executes an operation of the worker.
func (p *program) run(ctx context.Context, b *workers.Platform, op string, in []byte) (any, error) {
	if p.host == nil {
		host, err := workers.New(ctx, workers.Options{Bridge: b, Lookup: b.Lookup, SiteFile: b.SiteFile(), Now: time.Now, Rand: rand.Reader, Log: b})
		if err != nil {
			return nil, err
		}
		p.host = host
	}
	switch op {
	case "request":
		var r workers.Request
		if err := json.Unmarshal(in, &r); err != nil {
			return nil, err
		}
		r.Body = workers.Body(ctx, b)
		return p.host.Handle(ctx, r)
	case "hourly":
		return nil, p.host.Hourly(ctx)
	case "minutely":
		return nil, p.host.Minutely(ctx)
	case "settle":
		var slug string
		if err := json.Unmarshal(in, &slug); err != nil {
			return nil, err
		}
		return nil, p.host.Settle(ctx, slug)
	}
	return nil, errors.New("unknown operation " + op)
}
