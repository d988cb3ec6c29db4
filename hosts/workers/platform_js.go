//go:build js && wasm

package workers

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"syscall/js"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Platform is the Bridge to the worker around this program. It is a writer too: what is
// written goes to the platform's log.
type Platform struct {
	out js.Value // {call(op, json): Promise, env(name): string?, log(line)}
}

var _ Bridge = (*Platform)(nil)

// Call implements Bridge.
func (p *Platform) Call(_ context.Context, op string, in, out any) error {
	text, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, err := await(p.out.Call("call", op, string(text)))
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal([]byte(answer), out)
}

// Lookup reads a variable or a secret.
func (p *Platform) Lookup(name string) (string, bool) {
	v := p.out.Call("env", name)
	if v.Type() != js.TypeString {
		return "", false
	}
	return v.String(), true
}

// Write implements io.Writer.
func (p *Platform) Write(line []byte) (int, error) {
	p.out.Call("log", string(line))
	return len(line), nil
}

// settled is how a promise ended.
type settled struct {
	value string
	err   error
}

// await waits for a promise of a text.
func await(promise js.Value) (string, error) {
	done := make(chan settled, 1)
	good := js.FuncOf(func(_ js.Value, args []js.Value) any {
		s := settled{}
		if args[0].Type() == js.TypeString {
			s.value = args[0].String()
		}
		done <- s
		return nil
	})
	bad := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- settled{err: errors.New(args[0].Call("toString").String())}
		return nil
	})
	defer good.Release()
	defer bad.Release()
	promise.Call("then", good, bad)
	s := <-done
	return s.value, s.err
}

// Run does one piece of work: op names it, and in is JSON. Its answer becomes JSON.
type Run func(ctx context.Context, p *Platform, op string, in []byte) (any, error)

// Export hands the worker around this program what it calls: run(platform, op, json,
// done), which calls done(failure, answer) once, and act(storage, message), which
// returns the answer and whether to keep what was written.
func Export(classes []*kv.Class, run Run) {
	exports := js.Global().Get("Object").New()
	exports.Set("run", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p, op, in, done := &Platform{args[0]}, args[1].String(), []byte(args[2].String()), args[3]
		go func() {
			answer, err := run(context.Background(), p, op, in)
			var text []byte
			if err == nil {
				text, err = json.Marshal(answer)
			}
			if err != nil {
				done.Invoke(err.Error(), js.Null())
				return
			}
			done.Invoke(js.Null(), string(text))
		}()
		return nil
	}))
	exports.Set("act", js.FuncOf(func(_ js.Value, args []js.Value) any {
		answer, keep := Act(classes, durable{args[0]}, args[1].String())
		return js.ValueOf([]any{answer, keep})
	}))
	js.Global().Call("pledgeworks", exports)
}

// durable is a Durable Object's storage.
type durable struct{ v js.Value }

func (d durable) Get(key string) (string, bool) {
	v := d.v.Call("get", key)
	if v.Type() != js.TypeString {
		return "", false
	}
	return v.String(), true
}

func (d durable) Put(key, value string) { d.v.Call("put", key, value) }

func (d durable) Delete(key string) { d.v.Call("delete", key) }

func (d durable) List(from, after string, limit int) (keys, values []string) {
	rows := d.v.Call("list", from, after, min(limit, math.MaxInt32)) // more is no whole number in JavaScript
	for i := 0; i+1 < rows.Length(); i += 2 {
		keys = append(keys, rows.Index(i).String())
		values = append(values, rows.Index(i+1).String())
	}
	return keys, values
}
