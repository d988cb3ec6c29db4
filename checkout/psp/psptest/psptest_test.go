package psptest

import (
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

func TestSimulator(t *testing.T) {
	for name, change := range map[string]func(*sim.Options){
		"synchronous capture":  nil,
		"asynchronous capture": func(o *sim.Options) { o.AsyncCapture = true },
		"another seed":         func(o *sim.Options) { o.Seed = 99 },
	} {
		t.Run(name, func(t *testing.T) {
			Run(t, Harness{New: func(t testing.TB) (psp.Processor, Bench) {
				b := NewSimBench(change)
				t.Cleanup(func() {
					if err := b.Sim.Check(); err != nil {
						t.Error(err)
					}
				})
				return b.Sim.Processor(), b
			}})
		})
	}
}

// recorder is a testing.TB that records whether the test failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()                   {}
func (r *recorder) Errorf(string, ...any)     { r.failed = true }
func (r *recorder) Error(...any)              { r.failed = true }
func (r *recorder) Fatalf(f string, a ...any) { r.Fatal() }
func (r *recorder) Fatal(...any)              { r.failed = true; runtime.Goexit() }

// firstFailed runs the suite on the wrapped simulator, from its last check to its first, and returns
// the name of the first check that fails; "" if none does.
func firstFailed(t *testing.T, wrap func(psp.Processor, *SimBench) psp.Processor) string {
	for _, c := range slices.Backward(checks) {
		r := &recorder{TB: t}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			b := NewSimBench(nil)
			c.run(r, wrap(b.Sim.Processor(), b), b)
		}()
		<-ended
		if r.failed {
			return c.name
		}
	}
	return ""
}

// newBroken wraps a correct processor in a broken one.
type newBroken = func(p psp.Processor, b *SimBench) brokenProcessor

// Every broken processor fails at least one check.
func TestBrokenProcessors(t *testing.T) {
	unchanged := func(p psp.Processor, _ *SimBench) psp.Processor { return p }
	if failed := firstFailed(t, unchanged); failed != "" {
		t.Fatalf("correct processor fails %q", failed)
	}
	all := maps.Clone(brokenProcessors)
	want := len(brokenProcessors)
	for _, more := range []map[string]newBroken{mistakes, refundMistakes, balanceMistakes, disputeMistakes} {
		maps.Copy(all, more)
		want += len(more)
	}
	if len(all) != want {
		t.Fatal("duplicate names")
	}
	for name, create := range all {
		t.Run(name, func(t *testing.T) {
			failed := firstFailed(t, func(p psp.Processor, b *SimBench) psp.Processor {
				l := create(p, b)
				l.Processor = p
				return l
			})
			if failed == "" {
				t.Error("no check failed")
			}
			t.Logf("detected by %q", failed)
		})
	}
}
