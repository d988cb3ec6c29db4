package compose

import (
	"hash/fnv"
	"slices"
)

// settledAfter is after how many heartbeats all servers know a new member: a server that does not
// is no longer one itself, because missedLimit of its heartbeats have failed.
const settledAfter = missedLimit + 1

// division divides the mails in the outbox among the servers, so that no two servers send the same
// mail. The mails of a server that has ended go to the others immediately. A new server sends
// nothing until all servers know it, and the others keep only the mails that are theirs both
// without it and with it.
type division struct {
	servers []string // incarnations
	before  []string // the servers before the current ones, or nil if there were none
	age     int      // heartbeats since the servers changed
}

// observe takes the servers of a successful heartbeat; none if this server is no longer one.
func (d *division) observe(servers []member) {
	now := make([]string, 0, len(servers))
	for _, s := range servers {
		now = append(now, s.Incarnation)
	}
	slices.Sort(now)
	switch {
	case len(now) == 0:
		*d = division{}
	case slices.Equal(now, d.servers):
		d.age++
	case d.settled():
		*d = division{servers: now, before: d.servers}
	default:
		d.servers, d.age = now, 0
	}
}

func (d *division) settled() bool { return len(d.servers) > 0 && d.age >= settledAfter }

// assigns reports whether a server sends the mail with the given key.
func (d *division) assigns(key, server string) bool {
	if len(d.servers) == 1 || d.settled() {
		return owner(key, d.servers) == server
	}
	remaining := slices.DeleteFunc(slices.Clone(d.before), func(s string) bool { return !slices.Contains(d.servers, s) })
	return owner(key, d.servers) == server && owner(key, remaining) == server
}

// owner returns one of the servers for a key, "" if there are none. If a server is added or
// removed, only its own keys change their owner (rendezvous hashing).
func owner(key string, servers []string) string {
	var first string
	var most uint64
	for _, s := range servers {
		h := fnv.New64a()
		_, _ = h.Write([]byte(s))
		_, _ = h.Write([]byte{0})
		_, _ = h.Write([]byte(key))
		if score := h.Sum64(); first == "" || score > most {
			first, most = s, score
		}
	}
	return first
}
