package compose

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
	"github.com/pledgeworks/pledgeworks/kv"
)

// maxEnded is how many ended incarnations are remembered.
const maxEnded = 64

// membersName is the object that stores the list of members. A slug cannot contain the star. The
// stored keys and JSON names are "roll" for the list, "place" for a node and "life" for an
// incarnation.
const (
	membersName = "*roll"
	membersKey  = "roll"
)

// members are the servers that share a database.
type members struct {
	Servers []member `json:"servers"`         // ordered by seniority: the first one leads
	Ended   []string `json:"ended,omitempty"` // ended incarnations, oldest first
}

// member is one server.
type member struct {
	Node        string     `json:"place"`
	Incarnation string     `json:"life" kv:"id"`
	Heartbeat   int64      `json:"beat"`            // number of its last heartbeat
	Wants       pace.Parts `json:"wants,omitempty"` // how much of each limit it can use
	Has         pace.Parts `json:"has,omitempty"`   // its share of each limit
}

// heartbeat is the command that keeps a server among the members, or adds it. It removes the
// members whose last heartbeat is in Silent.
type heartbeat struct {
	Node        string     `json:"place"`
	Incarnation string     `json:"life"`
	Number      int64      `json:"number"` // sequence number within the incarnation
	Silent      []pulse    `json:"silent,omitempty"`
	Wants       pace.Parts `json:"wants,omitempty"`
}

// pulse identifies one heartbeat of one incarnation.
type pulse struct {
	Incarnation string `json:"life"`
	Heartbeat   int64  `json:"beat"`
}

func (heartbeat) Kind() string { return "roll-beat" }

// leave is the command that removes a server that is stopping.
type leave struct {
	Incarnation string `json:"life"`
}

func (leave) Kind() string { return "roll-leave" }

// registerMembers adds the commands about members to a class.
func registerMembers(c *kv.Class) {
	kv.OnRepeatable(c, runHeartbeat)
	kv.OnRepeatable(c, runLeave)
}

func runHeartbeat(tx kv.Tx, _ time.Time, cmd heartbeat) (members, error) {
	m, _, err := kv.Load[members](tx, membersKey)
	if err != nil || slices.Contains(m.Ended, cmd.Incarnation) {
		return m, err
	}
	m.remove(func(s member) bool { return slices.Contains(cmd.Silent, s.pulse()) && s.Incarnation != cmd.Incarnation })
	me := m.join(cmd)
	me.Heartbeat, me.Wants = max(me.Heartbeat, cmd.Number), cmd.Wants
	me.Has = nil // its current share can be divided again
	wants, has := make([]pace.Parts, len(m.Servers)), make([]pace.Parts, len(m.Servers))
	for i, s := range m.Servers {
		wants[i], has[i] = s.Wants, s.Has
	}
	me.Has = pace.Share(cmd.Wants, wants, has)
	return m, kv.PutValue(tx, membersKey, m)
}

func runLeave(tx kv.Tx, _ time.Time, cmd leave) (members, error) {
	m, _, err := kv.Load[members](tx, membersKey)
	if err != nil || m.find(cmd.Incarnation) == nil {
		return m, err
	}
	m.remove(func(s member) bool { return s.Incarnation == cmd.Incarnation })
	return m, kv.PutValue(tx, membersKey, m)
}

func (s member) pulse() pulse { return pulse{Incarnation: s.Incarnation, Heartbeat: s.Heartbeat} }

func (m *members) find(incarnation string) *member {
	i := slices.IndexFunc(m.Servers, func(s member) bool { return s.Incarnation == incarnation })
	if i < 0 {
		return nil
	}
	return &m.Servers[i]
}

// join returns the member that sent the heartbeat, adding it if necessary. A restarted server takes
// the rank of its earlier incarnation.
func (m *members) join(cmd heartbeat) *member {
	if me := m.find(cmd.Incarnation); me != nil {
		return me
	}
	for i, s := range m.Servers {
		if s.Node != "" && s.Node == cmd.Node {
			m.markEnded(s.Incarnation)
			m.Servers[i] = member{Node: cmd.Node, Incarnation: cmd.Incarnation}
			return &m.Servers[i]
		}
	}
	m.Servers = append(m.Servers, member{Node: cmd.Node, Incarnation: cmd.Incarnation})
	return &m.Servers[len(m.Servers)-1]
}

func (m *members) remove(over func(member) bool) {
	m.Servers = slices.DeleteFunc(m.Servers, func(s member) bool {
		if !over(s) {
			return false
		}
		m.markEnded(s.Incarnation)
		return true
	})
}

func (m *members) markEnded(incarnation string) {
	m.Ended = append(m.Ended, incarnation)
	m.Ended = m.Ended[max(0, len(m.Ended)-maxEnded):]
}
