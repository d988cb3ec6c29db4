package compose

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Several servers know each other by a roll. The one that has stood in it longest leads:
// it does the scheduled work. Each has a part of the processor's limits. The roll is kept
// by beats that only count, so that nobody's clock is compared with another's: who sees
// the same beat for several of its own looks in a row strikes that server off.
const (
	// BeatEvery is how often a server beats.
	BeatEvery = 5 * time.Second
	// silence is how many looks in a row see the same beat before a server is struck off.
	silence = 4
	// remembered is how many lives that are over are known by name.
	remembered = 64
)

// rollName is the object that keeps the roll. No slug has a star.
const (
	rollName = "*roll"
	rollKey  = "roll"
)

// roll is who is there.
type roll struct {
	Servers []server `json:"servers"`         // the longest-standing first
	Ended   []string `json:"ended,omitempty"` // lives that are over, oldest first
}

// server is one of them.
type server struct {
	Place string     `json:"place"`
	Life  string     `json:"life" kv:"id"`
	Beat  int64      `json:"beat"`
	Wants pace.Parts `json:"wants,omitempty"`
	Has   pace.Parts `json:"has,omitempty"`
}

// beat keeps a server in the roll, or enters it.
type beat struct {
	Place  string     `json:"place"`
	Life   string     `json:"life"`
	Number int64      `json:"number"` // of this life's beats
	Silent []pulse    `json:"silent,omitempty"`
	Wants  pace.Parts `json:"wants,omitempty"`
}

// pulse is one beat of one life.
type pulse struct {
	Life string `json:"life"`
	Beat int64  `json:"beat"`
}

func (beat) Kind() string { return "roll-beat" }

// leave strikes off a server that stops.
type leave struct {
	Life string `json:"life"`
}

func (leave) Kind() string { return "roll-leave" }

// registerRoll adds the roll's commands to a class.
func registerRoll(c *kv.Class) {
	kv.OnRepeatable(c, runBeat)
	kv.OnRepeatable(c, runLeave)
}

func runBeat(tx kv.Tx, _ time.Time, cmd beat) (roll, error) {
	r, _, err := kv.Load[roll](tx, rollKey)
	if err != nil || slices.Contains(r.Ended, cmd.Life) {
		return r, err
	}
	r.strike(func(s server) bool { return slices.Contains(cmd.Silent, s.pulse()) && s.Life != cmd.Life })
	me := r.enter(cmd)
	me.Beat, me.Wants = max(me.Beat, cmd.Number), cmd.Wants
	me.Has = nil // what it has is free to be divided again
	wants, has := make([]pace.Parts, len(r.Servers)), make([]pace.Parts, len(r.Servers))
	for i, s := range r.Servers {
		wants[i], has[i] = s.Wants, s.Has
	}
	me.Has = pace.Share(cmd.Wants, wants, has)
	return r, kv.Keep(tx, rollKey, r)
}

func runLeave(tx kv.Tx, _ time.Time, cmd leave) (roll, error) {
	r, _, err := kv.Load[roll](tx, rollKey)
	if err != nil || r.find(cmd.Life) == nil {
		return r, err
	}
	r.strike(func(s server) bool { return s.Life == cmd.Life })
	return r, kv.Keep(tx, rollKey, r)
}

func (s server) pulse() pulse { return pulse{Life: s.Life, Beat: s.Beat} }

func (r *roll) find(life string) *server {
	i := slices.IndexFunc(r.Servers, func(s server) bool { return s.Life == life })
	if i < 0 {
		return nil
	}
	return &r.Servers[i]
}

// enter returns the line of whoever beats. A server that was started again stands where
// its earlier life stood.
func (r *roll) enter(cmd beat) *server {
	if me := r.find(cmd.Life); me != nil {
		return me
	}
	for i, s := range r.Servers {
		if s.Place != "" && s.Place == cmd.Place {
			r.end(s.Life)
			r.Servers[i] = server{Place: cmd.Place, Life: cmd.Life}
			return &r.Servers[i]
		}
	}
	r.Servers = append(r.Servers, server{Place: cmd.Place, Life: cmd.Life})
	return &r.Servers[len(r.Servers)-1]
}

func (r *roll) strike(over func(server) bool) {
	r.Servers = slices.DeleteFunc(r.Servers, func(s server) bool {
		if !over(s) {
			return false
		}
		r.end(s.Life)
		return true
	})
}

func (r *roll) end(life string) {
	r.Ended = append(r.Ended, life)
	r.Ended = r.Ended[max(0, len(r.Ended)-remembered):]
}

// Budget is this server's part of limits that several servers share.
type Budget interface {
	// Wants says how much of each limit this server has use for.
	Wants() pace.Parts
	// Grant says how much of each it has. Without any it keeps to the least.
	Grant(pace.Parts)
}

// Roll is a server's part in the roll. It is safe for concurrent use.
type Roll struct {
	coordinator  kv.Coordinator
	place, first string // first is the life that the host gave
	budget       Budget

	mu     sync.Mutex
	lives  int // how often this server was struck off by mistake
	beats  int64
	seen   map[pulse]int // how often in a row each beat was seen
	last   roll
	missed int // how many beats in a row did not arrive
}

// NewRoll returns a server's part. The coordinator runs Classes; place and life are as in
// Deps. The budget may be nil.
func NewRoll(c kv.Coordinator, place, life string, b Budget) *Roll {
	return &Roll{coordinator: c, place: place, first: life, budget: b, seen: map[pulse]int{}}
}

// Beat keeps this server in the roll, takes its part of what is shared, and reports
// whether it leads. It is called every BeatEvery. A server that cannot reach the others
// keeps what it has as long as they would wait for it, and no longer.
func (r *Roll) Beat(ctx context.Context) (leads bool, err error) {
	if r.first == "" {
		return true, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.beat(ctx)
	if err == nil && slices.Contains(r.last.Ended, r.life()) { // others took it for dead
		r.lives++
		err = r.beat(ctx)
	}
	if err != nil {
		if r.missed++; r.missed >= silence {
			r.last.Servers = nil
			r.grant(nil)
		}
		return r.leads(), err
	}
	r.missed = 0
	r.look()
	return r.leads(), nil
}

// beat sends one beat.
func (r *Roll) beat(ctx context.Context) error {
	r.beats++
	cmd := beat{Place: r.place, Life: r.life(), Number: r.beats}
	for p, looks := range r.seen {
		if looks >= silence {
			cmd.Silent = append(cmd.Silent, p)
		}
	}
	if r.budget != nil {
		cmd.Wants = r.budget.Wants()
	}
	now, err := kv.Send[roll](ctx, r.coordinator, r.object(), fmt.Sprintf("beat:%s:%d", cmd.Life, cmd.Number), cmd)
	if err != nil {
		return err
	}
	r.last = now
	if me := now.find(r.life()); me != nil {
		r.grant(me.Has)
	}
	return nil
}

// look counts how often each beat of the others was seen.
func (r *Roll) look() {
	seen := make(map[pulse]int, len(r.last.Servers))
	for _, s := range r.last.Servers {
		seen[s.pulse()] = r.seen[s.pulse()] + 1
	}
	r.seen = seen
}

func (r *Roll) grant(parts pace.Parts) {
	if r.budget != nil {
		r.budget.Grant(parts)
	}
}

func (r *Roll) leads() bool {
	return len(r.last.Servers) > 0 && r.last.Servers[0].Life == r.life()
}

func (r *Roll) life() string {
	if r.lives == 0 {
		return r.first
	}
	return r.first + "." + strconv.Itoa(r.lives)
}

// Leave strikes this server off, so that nobody has to wait for it.
func (r *Roll) Leave(ctx context.Context) error {
	if r.first == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := kv.Send[roll](ctx, r.coordinator, r.object(), "leave:"+r.life(), leave{Life: r.life()})
	return err
}

// Standing is as whom this server holds campaigns' locks, and whose are free.
func (r *Roll) Standing() settlement.Standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := settlement.Standing{Place: r.place, Ended: slices.Clone(r.last.Ended)}
	if r.first != "" {
		s.Life = r.life()
	}
	return s
}

func (r *Roll) object() kv.Object { return kv.Object{Class: settlement.ClassName, Name: rollName} }
