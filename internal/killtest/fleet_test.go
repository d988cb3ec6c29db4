package killtest

import (
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/seed"
)

// patience is how long anybody goes on asking.
const patience = time.Minute

// fleet is the servers of a world, with what a proxy in front does: whoever asks comes
// to one that lives.
type fleet struct {
	t        *testing.T
	servers  []*server
	skew     []time.Duration // of their clocks
	requests atomic.Int64

	mu     sync.Mutex
	random *rand.Rand
}

// newFleet prepares n servers that share an environment, each with a folder of its own.
func newFleet(t *testing.T, launch launcher, env map[string]string, addresses []string, skew []time.Duration) *fleet {
	t.Helper()
	f := &fleet{t: t, skew: skew, random: seed.Rand(t)}
	for _, address := range addresses {
		own := maps.Clone(env)
		own["LISTEN"], own["DATA_DIR"] = address, t.TempDir()
		f.servers = append(f.servers, newServer(t, launch, own))
	}
	f.turn(0)
	return f
}

func (f *fleet) start() {
	for _, s := range f.servers {
		s.start()
	}
}

// strike kills one of the servers, calls back, and starts it again.
func (f *fleet) strike(n int, meanwhile func()) {
	s := f.servers[n%len(f.servers)]
	s.kill()
	meanwhile()
	s.start()
}

// turn has all servers start again with their clocks moved.
func (f *fleet) turn(offset time.Duration) {
	for i, s := range f.servers {
		s.env["CLOCK_OFFSET_SECONDS"] = strconv.Itoa(int((offset + f.skew[i]).Seconds()))
		if s.kill() {
			s.start()
		}
	}
}

// skewed reports whether a clock is so wrong that a webhook's signature is too old, or too
// new, for its server: the processor sends it again, and the other one takes it.
func (f *fleet) skewed() bool {
	return slices.ContainsFunc(f.skew, func(d time.Duration) bool { return d.Abs() >= 5*time.Minute })
}

// alive picks a server that lives, if there is one.
func (f *fleet) alive() *server {
	f.mu.Lock()
	first := f.random.IntN(len(f.servers))
	f.mu.Unlock()
	for i := range f.servers {
		if s := f.servers[(first+i)%len(f.servers)]; s.lives() {
			return s
		}
	}
	return f.servers[first]
}

// once sends one request to one of the servers, and fails with errGone when there was
// no whole answer.
func (f *fleet) once(method, path string, header map[string]string, body, into any) (int, error) {
	f.requests.Add(1)
	return f.alive().once(method, path, header, body, into)
}

// call repeats a request until it is answered, whatever dies meanwhile. An
// answer that asks for patience is repeated too.
func (f *fleet) call(method, path string, header map[string]string, body, into any) (int, error) {
	until := time.Now().Add(patience)
	for {
		status, err := f.once(method, path, header, body, into)
		if (errors.Is(err, errGone) || status == http.StatusServiceUnavailable) && !f.t.Failed() && time.Now().Before(until) {
			continue
		}
		return status, err
	}
}
