package killtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/freeport"
)

// server is the program under test. It is killed and started again under the
// feet of those who call it.
type server struct {
	t      *testing.T
	launch launcher
	env    map[string]string // changed only while the program is dead
	base   string
	log    *os.File
	client *http.Client

	clients atomic.Int64 // addresses handed out

	mu      sync.Mutex
	process process
	up      *sync.Cond
	alive   bool
}

// launcher starts the program with an environment.
type launcher func(env map[string]string, log io.Writer) (process, error)

// process is a program that runs.
type process interface {
	kill()       // as the kernel does when memory runs out
	stop() error // as an operator does
}

func newServer(t *testing.T, launch launcher, env map[string]string) *server {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "program.log"))
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, launch: launch, log: log, env: env, client: &http.Client{Timeout: 30 * time.Second}}
	s.up = sync.NewCond(&s.mu)
	s.base = "http://" + env["LISTEN"]
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the end of the program's log:\n%s", s.lastWords())
		}
		log.Close()
	})
	return s
}

func (s *server) lastWords() []byte {
	b, _ := os.ReadFile(s.log.Name())
	return b[max(0, len(b)-2000):]
}

// freeAddress finds a port that nobody listens on, for the program to keep
// over all its lives.
func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := freeport.Find()
	if err != nil {
		t.Fatal(err)
	}
	return "127.0.0.1:" + strconv.Itoa(port)
}

// start runs the program until it says that it listens.
func (s *server) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.launch(s.env, s.log)
	if err != nil {
		s.t.Errorf("the program did not start: %v\n%s", err, s.lastWords())
		return
	}
	s.process, s.alive = p, true
	s.up.Broadcast()
}

func (s *server) kill() (lived bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return false
	}
	s.alive = false
	s.process.kill()
	s.process = nil
	s.client.CloseIdleConnections()
	return true
}

// stop waits until the program has gone.
func (s *server) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.process.stop()
	s.process, s.alive = nil, false
	return err
}

// ready is what a proxy asks before it sends somebody here.
func (s *server) ready() bool {
	r, err := http.Get(s.base + "/readyz")
	if err != nil {
		return false
	}
	return r.Body.Close() == nil && r.StatusCode == http.StatusOK
}

func (s *server) lives() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alive
}

// wait returns once the program runs.
func (s *server) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.alive {
		s.up.Wait()
	}
}

// clientHeader is where a proxy would say who is asking.
const clientHeader = "CF-Connecting-IP"

// errGone is a request whose answer the program's death took along.
var errGone = errors.New("the program is gone")

// once sends one request, a body of bytes as it is. It fails with errGone when there was no whole answer.
func (s *server) once(method, path string, header map[string]string, body, into any) (int, error) {
	s.wait()
	var payload io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		payload = bytes.NewReader(b)
	default:
		encoded, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		payload = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(context.Background(), method, s.base+path, payload)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", s.env["SITE_BASE"])
	n := s.clients.Add(1)
	r.Header.Set(clientHeader, fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
	for k, v := range header {
		r.Header.Set(k, v)
	}
	res, err := s.client.Do(r)
	if err != nil {
		return 0, errGone
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, errGone
	}
	if into != nil && res.StatusCode < 300 {
		if err := json.Unmarshal(b, into); err != nil {
			return res.StatusCode, fmt.Errorf("%s %s answered %s: %w", method, path, b, err)
		}
	}
	if res.StatusCode >= 300 {
		return res.StatusCode, fmt.Errorf("%s %s answered %d: %s", method, path, res.StatusCode, b)
	}
	return res.StatusCode, nil
}
