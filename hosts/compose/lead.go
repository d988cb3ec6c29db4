package compose

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// Of several servers one leads: it does the scheduled work. The lead is kept by
// beats that only count, so that nobody's clock is compared with another's: who
// sees the same beat for several of its own looks in a row takes the lead over.
const (
	// BeatEvery is how often a server beats, or looks at the leader's beat.
	BeatEvery = 10 * time.Second
	// silence is how many looks in a row see the same beat before a leader is given up.
	silence = 4
	// remembered is how many dead leaders are known by name.
	remembered = 16
)

// leadName is the object that keeps the lead. No slug has a star.
const (
	leadName = "*lead"
	leadKey  = "lead"
)

// lead is who leads.
type lead struct {
	Place string   `json:"place"`
	Life  string   `json:"life"` // "" where nobody leads
	Beat  int64    `json:"beat"`
	Ended []string `json:"ended,omitempty"` // lives of leaders that were given up, oldest first
}

// beat keeps the lead or asks for it.
type beat struct {
	Place  string `json:"place"`
	Life   string `json:"life"`
	Number int64  `json:"number"` // of this life's beats
	Silent *pulse `json:"silent,omitempty"`
}

// pulse is one beat of one life.
type pulse struct {
	Life string `json:"life"`
	Beat int64  `json:"beat"`
}

func (beat) Kind() string { return "lead-beat" }

// resign gives the lead up, for good in this life.
type resign struct {
	Life string `json:"life"`
}

func (resign) Kind() string { return "lead-resign" }

// registerLead adds the lead's commands to a class.
func registerLead(c *kv.Class) {
	kv.OnRepeatable(c, runBeat)
	kv.OnRepeatable(c, runResign)
}

func runBeat(tx kv.Tx, _ time.Time, cmd beat) (lead, error) {
	l, _, err := kv.Load[lead](tx, leadKey)
	if err != nil || slices.Contains(l.Ended, cmd.Life) {
		return l, err
	}
	again := l.Place != "" && l.Place == cmd.Place // a server that was started again
	switch {
	case l.Life == cmd.Life:
		l.Beat = max(l.Beat, cmd.Number)
		return l, kv.Keep(tx, leadKey, l)
	case l.Life == "":
	case again, cmd.Silent != nil && *cmd.Silent == l.pulse():
		l.end()
	default:
		return l, nil
	}
	l.Place, l.Life, l.Beat = cmd.Place, cmd.Life, cmd.Number
	return l, kv.Keep(tx, leadKey, l)
}

func runResign(tx kv.Tx, _ time.Time, cmd resign) (lead, error) {
	l, _, err := kv.Load[lead](tx, leadKey)
	if err != nil || l.Life != cmd.Life {
		return l, err
	}
	l.end()
	l.Place, l.Life, l.Beat = "", "", 0
	return l, kv.Keep(tx, leadKey, l)
}

func (l *lead) pulse() pulse { return pulse{Life: l.Life, Beat: l.Beat} }

func (l *lead) end() {
	l.Ended = append(l.Ended, l.Life)
	l.Ended = l.Ended[max(0, len(l.Ended)-remembered):]
}

// Lead is a server's part in choosing who does the scheduled work. It is safe for
// concurrent use.
type Lead struct {
	coordinator kv.Coordinator
	place, life string

	mu    sync.Mutex
	beats int64
	seen  lead
	looks int // how often in a row the same beat was seen
}

// NewLead returns a server's part. The coordinator runs Classes; Place and life are as in
// Deps.
func NewLead(c kv.Coordinator, place, life string) *Lead {
	return &Lead{coordinator: c, place: place, life: life}
}

// Beat keeps the lead, or asks for it, and reports whether this server has it. It is
// called every BeatEvery. A server that cannot reach the others leads as long as they
// would wait for it, and no longer.
func (l *Lead) Beat(ctx context.Context) (leads bool, err error) {
	if l.life == "" {
		return true, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.beats++
	cmd := beat{Place: l.place, Life: l.life, Number: l.beats}
	if l.looks >= silence {
		p := l.seen.pulse()
		cmd.Silent = &p
	}
	now, err := kv.Send[lead](ctx, l.coordinator, l.object(), fmt.Sprintf("beat:%s:%d", l.life, l.beats), cmd)
	switch {
	case err != nil:
		l.looks++
		return l.seen.Life == l.life && l.looks < silence, err
	case now.pulse() == l.seen.pulse():
		l.looks++
		l.seen = now
	default:
		l.seen, l.looks = now, 1
	}
	return now.Life == l.life, nil
}

// Resign gives the lead up, if this server has it, so that another need not wait.
func (l *Lead) Resign(ctx context.Context) error {
	if l.life == "" {
		return nil
	}
	_, err := kv.Send[lead](ctx, l.coordinator, l.object(), "resign:"+l.life, resign{Life: l.life})
	return err
}

// Ended lists the lives of servers that led and are known to be over, the newest last.
func (l *Lead) Ended() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.seen.Ended)
}

func (l *Lead) object() kv.Object { return kv.Object{Class: settlement.ClassName, Name: leadName} }
