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
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Several servers with one database are members of a cluster. The member that joined first is the
// leader and does the scheduled work. Each member has a share of the processor's rate limits.
// Heartbeats are plain counters, so that the servers' clocks are never compared: if a server sees
// the same heartbeat of a member several times in a row, it removes that member.
const (
	// HeartbeatInterval is how often a server sends a heartbeat.
	HeartbeatInterval = 5 * time.Second
	// missedLimit is how many times in a row the same heartbeat is seen before its server is
	// removed.
	missedLimit = 4
)

// Budget is this server's share of rate limits that several servers divide.
type Budget interface {
	// Wants returns how much of each limit this server could use.
	Wants() pace.Parts
	// Grant sets this server's share of each limit. A nil share is the minimum.
	Grant(pace.Parts)
}

// Membership is one server's membership. It is safe for concurrent use.
type Membership struct {
	coordinator kv.Coordinator
	node, first string // first is the incarnation that the host passed
	budget      Budget

	mu           sync.Mutex
	incarnations int // how many times this server was removed by mistake
	heartbeats   int64
	seen         map[pulse]int // how many times in a row each heartbeat was seen
	last         members
	missed       int // how many heartbeats in a row failed
	division     division
}

// NewMembership returns a server's Membership. The coordinator runs Classes; node and incarnation
// are as in Deps. The budget may be nil.
func NewMembership(c kv.Coordinator, node, incarnation string, b Budget) *Membership {
	return &Membership{coordinator: c, node: node, first: incarnation, budget: b, seen: map[pulse]int{}}
}

// Heartbeat keeps this server a member, updates its share of the limits, and reports whether it is
// the leader. Call it every HeartbeatInterval. If the database cannot be reached, Heartbeat fails;
// a leader stays the leader and a server keeps its share until missedLimit heartbeats in a row have
// failed.
func (m *Membership) Heartbeat(ctx context.Context) (leads bool, err error) {
	if m.first == "" {
		return true, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err = m.send(ctx)
	if err == nil && slices.Contains(m.last.Ended, m.incarnation()) { // the others removed this server
		m.incarnations++
		err = m.send(ctx)
	}
	if err != nil {
		m.recordMiss()
		return m.leads(), err
	}
	m.missed = 0
	m.countSeen()
	m.division.observe(m.last.Servers)
	return m.leads(), nil
}

// RecordMiss counts a heartbeat that this server deliberately skipped as failed.
func (m *Membership) RecordMiss() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recordMiss()
}

func (m *Membership) recordMiss() {
	if m.missed++; m.missed >= missedLimit {
		m.last.Servers = nil
		m.division.observe(nil)
		m.grant(nil)
	}
}

func (m *Membership) send(ctx context.Context) error {
	m.heartbeats++
	cmd := heartbeat{Node: m.node, Incarnation: m.incarnation(), Number: m.heartbeats}
	for p, times := range m.seen {
		if times >= missedLimit {
			cmd.Silent = append(cmd.Silent, p)
		}
	}
	if m.budget != nil {
		cmd.Wants = m.budget.Wants()
	}
	now, err := kv.Send[members](ctx, m.coordinator, m.object(),
		fmt.Sprintf("beat:%s:%d", cmd.Incarnation, cmd.Number), cmd)
	if err != nil {
		return err
	}
	m.last = now
	if me := now.find(m.incarnation()); me != nil {
		m.grant(me.Has)
	}
	return nil
}

// countSeen counts how many times in a row each heartbeat was seen.
func (m *Membership) countSeen() {
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

// SendsMail reports whether this server is the one that sends the mail with the given key. A server
// without heartbeats sends all mails.
func (m *Membership) SendsMail(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heartbeats == 0 || m.division.assigns(key, m.incarnation())
}

// Servers returns the number of servers; 0 if it is unknown.
func (m *Membership) Servers() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.last.Servers)
}

func (m *Membership) incarnation() string {
	if m.incarnations == 0 {
		return m.first
	}
	return m.first + "." + strconv.Itoa(m.incarnations)
}

// Leave removes this server immediately, so that the others do not have to wait for missed
// heartbeats.
func (m *Membership) Leave(ctx context.Context) error {
	if m.first == "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := kv.Send[members](ctx, m.coordinator, m.object(), "leave:"+m.incarnation(),
		leave{Incarnation: m.incarnation()})
	return err
}

// Holder returns the identity under which this server holds leases, and the incarnations whose
// leases are free.
func (m *Membership) Holder() state.Holder {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := state.Holder{Node: m.node, Ended: slices.Clone(m.last.Ended)}
	if m.first != "" {
		h.Incarnation = m.incarnation()
	}
	return h
}

func (m *Membership) object() kv.Object {
	return kv.Object{Class: state.ClassName, Name: membersName}
}
