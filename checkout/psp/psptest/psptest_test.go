package psptest

import (
	"maps"
	"runtime"
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

// failedChecks runs the suite on the wrapped simulator and returns the names of the failed checks.
func failedChecks(t *testing.T, wrap func(psp.Processor, *SimBench) psp.Processor) []string {
	var failed []string
	for _, c := range checks {
		r := &recorder{TB: t}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			b := NewSimBench(nil)
			c.run(r, wrap(b.Sim.Processor(), b), b)
		}()
		<-ended
		if r.failed {
			failed = append(failed, c.name)
		}
	}
	return failed
}

// Every broken processor fails at least one check.
func TestBrokenProcessors(t *testing.T) {
	unchanged := func(p psp.Processor, _ *SimBench) psp.Processor { return p }
	if failed := failedChecks(t, unchanged); failed != nil {
		t.Fatalf("correct processor fails %v", failed)
	}
	all := maps.Clone(brokenProcessors)
	maps.Copy(all, mistakes)
	if len(all) != len(brokenProcessors)+len(mistakes) {
		t.Fatal("duplicate names")
	}
	for name, newBroken := range all {
		t.Run(name, func(t *testing.T) {
			failed := failedChecks(t, func(p psp.Processor, b *SimBench) psp.Processor {
				l := newBroken(p, b)
				l.Processor = p
				return l
			})
			if len(failed) == 0 {
				t.Error("no check failed")
			}
			t.Logf("detected by %q", failed)
		})
	}
}
