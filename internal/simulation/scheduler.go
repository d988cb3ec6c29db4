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

// proc is a coroutine: a piece of work that gives way at every effect.
type proc struct {
	name   string
	server *server // nil for people and for the processor
	at     time.Time
	tie    uint64
	index  int   // in the queue; -1 while it waits to be woken
	waiter *proc // who waits for its end

	next  func() (time.Duration, bool)
	stop  func()
	yield func(time.Duration) bool
	dead  bool
	born  time.Time
}

// forever is how long a proc waits that will be woken.
const forever time.Duration = -1

// killed unwinds a coroutine whose server has died. Nothing that is deferred
// on the way has an effect any more.
type killed struct{}

// scheduler runs one proc at a time, the one that is due first; chance decides
// between those that are due at once.
type scheduler struct {
	now     time.Time
	rng     *rand.Rand
	queue   procs
	current *proc
	steps   int
	all     []*proc // that have not ended, and some that have
	log     trace
}

func newScheduler(seed uint64, start time.Time) *scheduler {
	return &scheduler{now: start, rng: rand.New(rand.NewPCG(seed, 1)), log: trace{sum: fnv.New64a()}}
}

// spawn makes a proc that starts after a while.
func (s *scheduler) spawn(name string, srv *server, after time.Duration, body func()) *proc {
	p := &proc{name: name, server: srv, index: -1, born: s.now.Add(max(after, 0))}
	p.next, p.stop = iter.Pull(func(yield func(time.Duration) bool) {
		defer func() {
			if r := recover(); r != nil {
				if _, ok := r.(killed); !ok {
					panic(fmt.Sprintf("%s: %v\n%s", name, r, debug.Stack())) // which resuming it would lose
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

// pause gives way for a while of virtual time. Outside of any proc, as when
// the books are checked, it does nothing.
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

// kill ends procs; they unwind without effects.
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

// step runs the next proc up to where it gives way, and reports false when
// there is none before the end.
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

type procs []*proc

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

// trace is what happened: a hash of it, and the words for people where they are wanted.
type trace struct {
	sum interface {
		Write([]byte) (int, error)
		Sum64() uint64
	}
	out io.Writer // nil prints nothing
	buf []byte
}

// note puts down that something happens. What it is about is written out only where
// somebody reads it: it would take a third of the time.
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
