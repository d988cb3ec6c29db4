package crashtest

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

// patience is how long clients retry at most: several restarts on a busy machine.
const patience = 5 * time.Minute

// fleet is a group of servers with the routing of a proxy: requests go to a
// running server.
type fleet struct {
	t        *testing.T
	servers  []*server
	skew     []time.Duration // clock error of each server
	requests atomic.Int64

	mu     sync.Mutex
	random *rand.Rand
}

// newFleet prepares n servers that share an environment, each with its own
// folder.
func newFleet(t *testing.T, launch launcher, env map[string]string, addresses []string, skew []time.Duration) *fleet {
	t.Helper()
	f := &fleet{t: t, skew: skew, random: seed.Rand(t)}
	for _, address := range addresses {
		own := maps.Clone(env)
		own["LISTEN"], own["DATA_DIR"] = address, t.TempDir()
		f.servers = append(f.servers, newServer(t, launch, own))
	}
	f.restartAll(0)
	return f
}

func (f *fleet) start() {
	for _, s := range f.servers {
		s.start()
	}
}

// killOne kills server n, counted modulo the number of servers, calls meanwhile, and restarts the
// server.
func (f *fleet) killOne(n int, meanwhile func()) {
	s := f.servers[n%len(f.servers)]
	s.kill()
	meanwhile()
	s.start()
}

// restartAll sets the clock offset of every server, which is added to the server's clock
// error, and restarts the running servers.
func (f *fleet) restartAll(offset time.Duration) {
	for i, s := range f.servers {
		s.env["CLOCK_OFFSET_SECONDS"] = strconv.Itoa(int((offset + f.skew[i]).Seconds()))
		if s.kill() {
			s.start()
		}
	}
}

// skewed reports whether the clock of any server is wrong by five minutes or more. Such a
// server rejects webhook signatures as too old or too new, and the processor delivers the
// webhooks again until another server accepts them.
func (f *fleet) skewed() bool {
	return slices.ContainsFunc(f.skew, func(d time.Duration) bool { return d.Abs() >= 5*time.Minute })
}

// alive returns a random running server or, if none is running, any server.
func (f *fleet) alive() *server {
	f.mu.Lock()
	first := f.random.IntN(len(f.servers))
	f.mu.Unlock()
	for i := range f.servers {
		if s := f.servers[(first+i)%len(f.servers)]; s.isRunning() {
			return s
		}
	}
	return f.servers[first]
}

// once sends one request to a running server and fails with errGone if there was no complete
// response.
func (f *fleet) once(method, path string, header map[string]string, body, into any) (int, error) {
	f.requests.Add(1)
	return f.alive().once(method, path, header, body, into)
}

// call sends a request and repeats it after errGone or status 503, until patience has passed
// or the test has failed. It returns the last result.
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
