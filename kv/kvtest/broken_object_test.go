package kvtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

type brokenCoordinator func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error)

func (l brokenCoordinator) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	return l(ctx, to, cmd)
}

var brokenCoordinators = map[string]func(w *fixture, co kv.Coordinator) kv.Coordinator{
	"commands overlap": func(w *fixture, co kv.Coordinator) kv.Coordinator {
		var mu sync.Mutex
		last := map[kv.Object]kv.Reply{}
		adds := 0
		return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
			mu.Lock()
			defer mu.Unlock()
			if cmd.Kind == (add{}).Kind() {
				// Every fortieth command gets the same reply as the previous one.
				if adds++; adds%40 == 0 && last[to].Body != nil {
					return last[to], nil
				}
			}
			reply, err := co.Do(ctx, to, cmd)
			if cmd.Kind == (add{}).Kind() && err == nil {
				last[to] = reply
			}
			return reply, err
		})
	},
	"replies are forgotten": func(w *fixture, co kv.Coordinator) kv.Coordinator {
		var mu sync.Mutex
		n := 0
		return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
			mu.Lock()
			n++
			id := fmt.Sprint(cmd.ID, "-", n)
			mu.Unlock()
			if cmd.ID != "" && len(cmd.ID) < 200 {
				cmd.ID = id
			}
			return co.Do(ctx, to, cmd)
		})
	},
	"refusals are forgotten": func(w *fixture, co kv.Coordinator) kv.Coordinator {
		var mu sync.Mutex
		tries := map[string]int{}
		return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
			mu.Lock()
			defer mu.Unlock()
			id := cmd.ID
			if n := tries[id]; n > 0 {
				cmd.ID = fmt.Sprint(id, "-", n)
			}
			reply, err := co.Do(ctx, to, cmd)
			if reply.Refused != nil && id != "" {
				tries[id]++
			}
			return reply, err
		})
	},
	"replies are never swept": func(w *fixture, co kv.Coordinator) kv.Coordinator {
		var mu sync.Mutex
		kept := map[string]kv.Reply{}
		return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
			mu.Lock()
			defer mu.Unlock()
			id := fmt.Sprint(to, cmd.Kind, cmd.ID)
			if reply, ok := kept[id]; ok && cmd.ID != "" {
				return reply, nil
			}
			reply, err := co.Do(ctx, to, cmd)
			if err == nil && cmd.ID != "" {
				kept[id] = reply
			}
			return reply, err
		})
	},
	"a refusal leaves its writes": leaving(func(r kv.Reply, err error) bool { return r.Refused != nil }),
	"a failure leaves its writes": leaving(func(_ kv.Reply, err error) bool { return err != nil }),
	"a query leaves its writes":   queryWrites,
	"a refusal loses its code": answering(
		func(r *kv.Reply) { r.Refused = fault.New(fault.Internal, "%s", r.Refused.Message) }),
	"a refusal loses the remaining": answering(func(r *kv.Reply) { f := *r.Refused; f.Remaining = nil; r.Refused = &f }),
	"classes share their objects": func(w *fixture, co kv.Coordinator) kv.Coordinator {
		return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
			to.Class = strings.TrimSuffix(to.Class, "-twin")
			return co.Do(ctx, to, cmd)
		})
	},
	"names are cut": func(w *fixture, co kv.Coordinator) kv.Coordinator {
		return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
			to.Name = to.Name[:min(len(to.Name), 400)]
			return co.Do(ctx, to, cmd)
		})
	},
	"queries are stale": func(w *fixture, co kv.Coordinator) kv.Coordinator {
		var mu sync.Mutex
		kept := map[string]kv.Reply{}
		return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
			reply, err := co.Do(ctx, to, cmd)
			if cmd.ID != "" || err != nil {
				return reply, err
			}
			mu.Lock()
			defer mu.Unlock()
			id := fmt.Sprint(to, cmd.Kind, string(cmd.Body))
			old, ok := kept[id]
			kept[id] = reply
			if ok {
				return old, nil
			}
			return reply, nil
		})
	},
	"an unknown command is answered": func(w *fixture, co kv.Coordinator) kv.Coordinator {
		return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
			reply, err := co.Do(ctx, to, cmd)
			if cmd.Kind == "absent" {
				return kv.Reply{Body: []byte("{}")}, nil
			}
			return reply, err
		})
	},
}

// leaving returns a wrapper of coordinators that leaves a write behind after each write command for
// which failed is true.
func leaving(failed func(kv.Reply, error) bool) func(*fixture, kv.Coordinator) kv.Coordinator {
	return func(_ *fixture, co kv.Coordinator) kv.Coordinator {
		return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
			reply, err := co.Do(ctx, to, cmd)
			if cmd.Kind == (write{}).Kind() && failed(reply, err) {
				trace := write{Put: map[string][]byte{"k": []byte("after")}}
				_, lerr := kv.Send[answered](ctx, co, to, "trace-"+cmd.ID, trace)
				err = errors.Join(err, lerr)
			}
			return reply, err
		})
	}
}

func queryWrites(_ *fixture, co kv.Coordinator) kv.Coordinator {
	return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
		if cmd.Kind != (writingQuery{}).Kind() {
			return co.Do(ctx, to, cmd)
		}
		_, err := kv.Send[answered](ctx, co, to, "trace", write{Put: map[string][]byte{"k": []byte("by a query")}})
		return kv.Reply{Body: []byte("{}")}, err
	})
}

func answering(refused func(*kv.Reply)) func(*fixture, kv.Coordinator) kv.Coordinator {
	return func(_ *fixture, co kv.Coordinator) kv.Coordinator {
		return brokenCoordinator(func(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
			reply, err := co.Do(ctx, to, cmd)
			if reply.Refused != nil {
				refused(&reply)
			}
			return reply, err
		})
	}
}
