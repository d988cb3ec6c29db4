package compose_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// owners returns which of the servers send the mail with a key.
func owners(servers map[string]*compose.Membership, key string) (all []string) {
	for name, m := range servers {
		if m.SendsMail(key) {
			all = append(all, name)
		}
	}
	return all
}

// Servers join, stop, are killed and miss heartbeats at any time. No mail is ever sent by two
// servers, and when nothing has changed for a while, each mail is sent by one.
func TestMembership_DividesMails(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a reproducible history
		db := newDB()
		servers, started := map[string]*compose.Membership{}, 0
		for range 100 {
			switch rng.IntN(12) {
			case 0, 1:
				name := fmt.Sprint("s", started)
				started++
				servers[name] = start(t, db, name, name)
				sendHeartbeat(t, servers[name])
			case 2:
				if len(servers) == 0 {
					continue
				}
				name := slices.Sorted(maps.Keys(servers))[rng.IntN(len(servers))]
				if rng.IntN(2) == 0 { // otherwise it is killed
					leave(t, servers[name])
				}
				delete(servers, name)
			}
			for _, name := range slices.Sorted(maps.Keys(servers)) {
				if rng.IntN(10) == 0 {
					servers[name].RecordMiss()
				} else {
					sendHeartbeat(t, servers[name])
				}
			}
			for key := range 20 {
				if all := owners(servers, fmt.Sprint(key)); len(all) > 1 {
					t.Fatalf("seed %d: mail %d is sent by %v", seed, key, all)
				}
			}
		}
		for range 20 {
			for _, m := range servers {
				sendHeartbeat(t, m)
			}
		}
		for key := range 100 {
			if all := owners(servers, fmt.Sprint(key)); len(servers) > 0 && len(all) != 1 {
				t.Fatalf("seed %d: mail %d is sent by %v of %d servers", seed, key, all, len(servers))
			}
		}
	}
}

func sendHeartbeat(t *testing.T, m *compose.Membership) {
	t.Helper()
	if _, err := m.Heartbeat(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func leave(t *testing.T, m *compose.Membership) {
	t.Helper()
	if err := m.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A single server sends mails immediately after a restart, and the mails of a server that has
// stopped go to the others at their next heartbeat. Each server sends a fair share.
func TestMembership_MailsAfterRestart(t *testing.T) {
	db := newDB()
	a := start(t, db, "here", "a1")
	sendHeartbeat(t, a)
	if n := share(a); n != 1000 {
		t.Errorf("a single server sends %d of 1000 mails", n)
	}
	a = start(t, db, "here", "a2") // killed and restarted
	sendHeartbeat(t, a)
	if n := share(a); n != 1000 {
		t.Errorf("after a restart, a single server sends %d of 1000 mails", n)
	}
	b := start(t, db, "there", "b1")
	for range 7 {
		sendHeartbeat(t, b)
		sendHeartbeat(t, a)
	}
	if n := share(a); n < 400 || n > 600 || share(b) != 1000-n {
		t.Errorf("two servers send %d and %d of 1000 mails", n, share(b))
	}
	leave(t, b)
	sendHeartbeat(t, a)
	if n := share(a); n != 1000 {
		t.Errorf("after the other server has stopped, one sends %d of 1000 mails", n)
	}
	for range 4 {
		a.RecordMiss()
	}
	if n := share(a); n != 0 {
		t.Errorf("a server that the others consider ended sends %d of 1000 mails", n)
	}
}

func share(m *compose.Membership) (n int) {
	for key := range 1000 {
		if m.SendsMail(fmt.Sprintf("%064x", key*7919)) {
			n++
		}
	}
	return n
}

// A host without heartbeats, such as a worker, sends all mails.
func TestMembership_MailsWithoutHeartbeats(t *testing.T) {
	if n := share(start(t, newDB(), "", "")); n != 1000 {
		t.Errorf("it sends %d of 1000 mails", n)
	}
}
