package simulation

import (
	"container/heap"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"
)

// proc is a coroutine that yields at every effect.
type proc struct {
	name   string
	server *server // nil for people and the processor
	at     time.Time
	tie    uint64
	index  int   // in the queue; -1 while it waits to be woken
	waiter *proc // waits for its end

	next    func() (time.Duration, bool)
	stop    func()
	yield   func(time.Duration) bool
	dead    bool
	created time.Time
}

// forever is the pause of a proc that waits to be woken.
const forever time.Duration = -1

// killed unwinds a coroutine whose server has crashed. Deferred functions on the way cause no
// effects.
type killed struct{}

// scheduler runs one proc at a time, the earliest due first; ties are broken at
// random.
type scheduler struct {
	now     time.Time
	rng     *rand.Rand
	queue   procs
	current *proc
	steps   int
	all     []*proc // running procs, and some that have ended
	log     trace
}

func newScheduler(seed uint64, start time.Time) *scheduler {
	return &scheduler{now: start, rng: rand.New(rand.NewPCG(seed, 1)), log: trace{sum: fnv.New64a()}}
}

// spawn creates a proc that starts after a delay.
func (s *scheduler) spawn(name string, srv *server, after time.Duration, body func()) *proc {
	p := &proc{name: name, server: srv, index: -1, created: s.now.Add(max(after, 0))}
	p.next, p.stop = iter.Pull(func(yield func(time.Duration) bool) {
		defer func() {
			if r := recover(); r != nil {
				if _, ok := r.(killed); !ok {
					panic(fmt.Sprintf("%s: %v\n%s", name, r, debug.Stack())) // would be lost by resuming it
				}
			}
		}()
		p.yield = yield
		body()
	})
	if len(s.all) == cap(s.all) {
		s.all = slices.DeleteFunc(s.all, func(p *proc) bool { return p.dead })
	}
	s.all = append(s.all, p)
	s.wakeAfter(p, after)
	return p
}

func (s *scheduler) wakeAfter(p *proc, d time.Duration) {
	if p.index >= 0 {
		heap.Remove(&s.queue, p.index)
	}
	p.at, p.tie = s.now.Add(max(d, 0)), s.rng.Uint64()
	heap.Push(&s.queue, p)
}

// pause yields for a period of virtual time. Outside of any proc, as during
// checks, it does nothing.
func (s *scheduler) pause(d time.Duration) {
	p := s.current
	if p == nil {
		return
	}
	if p.dead || !p.yield(d) {
		p.dead = true
		panic(killed{})
	}
}

// kill ends the selected procs, which unwind without effects.
func (s *scheduler) kill(which func(*proc) bool) {
	was := s.current
	for _, p := range slices.Clone(s.all) {
		if !which(p) || p.dead {
			continue
		}
		p.dead = true
		if p.index >= 0 {
			heap.Remove(&s.queue, p.index)
		}
		s.current = p
		p.stop()
		if p.waiter != nil && !p.waiter.dead {
			s.wakeAfter(p.waiter, time.Second)
		}
	}
	s.current = was
}

// step runs the next proc until it yields, and reports false if there is none
// before the end.
func (s *scheduler) step(end time.Time) (*proc, bool) {
	if len(s.queue) == 0 || s.queue[0].at.After(end) {
		return nil, false
	}
	p := heap.Pop(&s.queue).(*proc)
	if p.at.After(s.now) {
		s.now = p.at
	}
	s.current = p
	d, more := p.next()
	s.current = nil
	s.steps++
	switch {
	case !more:
		p.dead = true
	case d != forever:
		s.wakeAfter(p, d)
	}
	return p, true
}

type procs []*proc //nolint:recvcheck // container/heap changes the length in Push and Pop only

func (q procs) Len() int { return len(q) }
func (q procs) Less(i, j int) bool {
	if !q[i].at.Equal(q[j].at) {
		return q[i].at.Before(q[j].at)
	}
	return q[i].tie < q[j].tie
}
func (q procs) Swap(i, j int) { q[i], q[j] = q[j], q[i]; q[i].index, q[j].index = i, j }
func (q *procs) Push(x any) {
	p := x.(*proc)
	p.index = len(*q)
	*q = append(*q, p)
}
func (q *procs) Pop() any {
	old := *q
	p := old[len(old)-1]
	*q, p.index = old[:len(old)-1], -1
	return p
}

// trace hashes all events and, if out is set, prints them.
type trace struct {
	sum interface {
		Write([]byte) (int, error)
		Sum64() uint64
	}
	out io.Writer // nil prints nothing
	buf []byte
}

// note records an event. The text is formatted only if it is printed, since
// formatting would take a third of the time.
func (s *scheduler) note(format string, args ...any) {
	who := "-"
	if s.current != nil {
		who = s.current.name
	}
	b := binary.LittleEndian.AppendUint64(s.log.buf[:0], uint64(s.now.UnixNano()))
	b = append(append(b, who...), format...)
	for _, a := range args {
		if text, ok := a.(string); ok {
			b = append(b, text...)
		}
	}
	s.log.buf = b
	_, _ = s.log.sum.Write(b)
	if s.log.out != nil {
		_, _ = fmt.Fprintf(s.log.out, "%s %s: %s\n", s.now.Format("02 15:04:05.000"), who, fmt.Sprintf(format, args...))
	}
}
