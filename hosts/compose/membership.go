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

// Several servers know each other as members. The one that has been a member longest leads:
// it does the scheduled work. Each has a part of the processor's limits. Heartbeats only
// count, so that nobody's clock is compared with another's: who sees the same heartbeat for
// several of its own looks in a row removes that server.
const (
	// HeartbeatInterval is how often a server sends a heartbeat.
	HeartbeatInterval = 5 * time.Second
	// missedLimit is how many looks in a row see the same heartbeat before a server is removed.
	missedLimit = 4
)

// Budget is this server's part of limits that several servers share.
type Budget interface {
	// Wants says how much of each limit this server has use for.
	Wants() pace.Parts
	// Grant says how much of each it has. Without any it keeps to the least.
	Grant(pace.Parts)
}

// Membership is one server's. It is safe for concurrent use.
type Membership struct {
	coordinator kv.Coordinator
	node, first string // first is the incarnation that the host gave
	budget      Budget

	mu           sync.Mutex
	incarnations int // how often this server was removed by mistake
	heartbeats   int64
	seen         map[pulse]int // how often in a row each heartbeat was seen
	last         members
	missed       int // how many heartbeats in a row did not arrive
}

// NewMembership returns a server's. The coordinator runs Classes; node and incarnation are
// as in Deps. The budget may be nil.
func NewMembership(c kv.Coordinator, node, incarnation string, b Budget) *Membership {
	return &Membership{coordinator: c, node: node, first: incarnation, budget: b, seen: map[pulse]int{}}
}

// Heartbeat keeps this server a member, takes its part of what is shared, and reports
// whether it leads. It is called every HeartbeatInterval. A server that cannot reach the
// others keeps what it has as long as they would wait for it, and no longer.
func (m *Membership) Heartbeat(ctx context.Context) (leads bool, err error) {
	if m.first == "" {
		return true, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err = m.send(ctx)
	if err == nil && slices.Contains(m.last.Ended, m.incarnation()) { // others took it for dead
		m.incarnations++
		err = m.send(ctx)
	}
	if err != nil {
		m.miss()
		return m.leads(), err
	}
	m.missed = 0
	m.look()
	return m.leads(), nil
}

// Miss counts a heartbeat that this server does not send, like one that did not arrive.
func (m *Membership) Miss() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.miss()
}

func (m *Membership) miss() {
	if m.missed++; m.missed >= missedLimit {
		m.last.Servers = nil
		m.grant(nil)
	}
}

func (m *Membership) send(ctx context.Context) error {
	m.heartbeats++
	cmd := heartbeat{Node: m.node, Incarnation: m.incarnation(), Number: m.heartbeats}
	for p, looks := range m.seen {
		if looks >= missedLimit {
			cmd.Silent = append(cmd.Silent, p)
		}
	}
	if m.budget != nil {
		cmd.Wants = m.budget.Wants()
	}
	now, err := kv.Send[members](ctx, m.coordinator, m.object(), fmt.Sprintf("beat:%s:%d", cmd.Incarnation, cmd.Number), cmd)
	if err != nil {
		return err
	}
	m.last = now
	if me := now.find(m.incarnation()); me != nil {
		m.grant(me.Has)
	}
	return nil
}

// look counts how often each heartbeat of the others was seen.
func (m *Membership) look() {
	seen := make(map[pulse]int, len(m.last.Servers))
	for _, s := range m.last.Servers {
		seen[s.pulse()] = m.seen[s.pulse()] + 1
	}
	m.seen = seen
}

func (m *Membership) grant(parts pace.Parts) {
	if m.budget != nil {
		m.budget.Grant(parts)
	}
}

func (m *Membership) leads() bool {
	return len(m.last.Servers) > 0 && m.last.Servers[0].Incarnation == m.incarnation()
}

func (m *Membership) incarnation() string {
	if m.incarnations == 0 {
		return m.first
	}
	return m.first + "." + strconv.Itoa(m.incarnations)
}

// Leave removes this server, so that nobody has to wait for it.
func (m *Membership) Leave(ctx context.Context) error {
	if m.first == "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := kv.Send[members](ctx, m.coordinator, m.object(), "leave:"+m.incarnation(), leave{Incarnation: m.incarnation()})
	return err
}

// Holder is as whom this server holds leases, and whose are free.
func (m *Membership) Holder() settlement.Holder {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := settlement.Holder{Node: m.node, Ended: slices.Clone(m.last.Ended)}
	if m.first != "" {
		h.Incarnation = m.incarnation()
	}
	return h
}

func (m *Membership) object() kv.Object {
	return kv.Object{Class: settlement.ClassName, Name: membersName}
}
