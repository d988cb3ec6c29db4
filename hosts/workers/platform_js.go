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

// Platform is the Bridge to the worker that runs this program. It is also an io.Writer, which writes
// to the worker's log.
type Platform struct {
	out js.Value // {call(op, json): Promise, env(name): string?, siteFile: string?, log(line)}
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

// Lookup returns the value of a variable or a secret.
func (p *Platform) Lookup(name string) (string, bool) {
	v := p.out.Call("env", name)
	if v.Type() != js.TypeString {
		return "", false
	}
	return v.String(), true
}

// SiteFile returns the site file that was deployed with the worker, nil if there is none.
func (p *Platform) SiteFile() []byte {
	v := p.out.Get("siteFile")
	if v.Type() != js.TypeString {
		return nil
	}
	return []byte(v.String())
}

// Write implements io.Writer.
func (p *Platform) Write(line []byte) (int, error) {
	p.out.Call("log", string(line))
	return len(line), nil
}

// outcome is the value or error of a settled promise.
type outcome struct {
	value string
	err   error
}

// await waits for a promise and returns its value if that is a string, or "" otherwise.
func await(promise js.Value) (string, error) {
	done := make(chan outcome, 1)
	fulfilled := js.FuncOf(func(_ js.Value, args []js.Value) any {
		o := outcome{}
		if args[0].Type() == js.TypeString {
			o.value = args[0].String()
		}
		done <- o
		return nil
	})
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{err: errors.New(args[0].Call("toString").String())}
		return nil
	})
	defer fulfilled.Release()
	defer rejected.Release()
	promise.Call("then", fulfilled, rejected)
	o := <-done
	return o.value, o.err
}

// Run executes the operation op with JSON input. The result is encoded as JSON.
type Run func(ctx context.Context, p *Platform, op string, in []byte) (any, error)

// Export makes two functions callable by the worker that runs this program:
// run(platform, op, json, done) executes run and calls done(error, result) once, and
// act(storage, message) executes Act and returns its results as an array.
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
		answer, keep := Act(classes, durableStorage{args[0]}, args[1].String())
		return js.ValueOf([]any{answer, keep})
	}))
	js.Global().Call("pledgeworks", exports)
}

// durableStorage is a Durable Object's storage. It implements Storage.
type durableStorage struct{ v js.Value }

func (d durableStorage) Get(key string) (string, bool) {
	v := d.v.Call("get", key)
	if v.Type() != js.TypeString {
		return "", false
	}
	return v.String(), true
}

func (d durableStorage) Put(key, value string) { d.v.Call("put", key, value) }

func (d durableStorage) Delete(key string) { d.v.Call("delete", key) }

func (d durableStorage) List(from, after string, limit int) (keys, values []string) {
	rows := d.v.Call("list", from, after, min(limit, math.MaxInt32)) // JavaScript cannot represent all larger integers
	for i := 0; i+1 < rows.Length(); i += 2 {
		keys = append(keys, rows.Index(i).String())
		values = append(values, rows.Index(i+1).String())
	}
	return keys, values
}
