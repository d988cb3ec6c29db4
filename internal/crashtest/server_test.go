package crashtest

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

// server is the program under test. It is killed and restarted while it handles
// requests.
type server struct {
	t      *testing.T
	launch launcher
	env    map[string]string // changed only while the program is down
	base   string
	log    *os.File
	client *http.Client

	clients atomic.Int64 // number of client addresses in use

	mu      sync.Mutex
	process process
	up      *sync.Cond
	alive   bool
}

// launcher starts the program with an environment.
type launcher func(env map[string]string, log io.Writer) (process, error)

// process is a running program.
type process interface {
	kill()       // like the kernel's OOM killer
	stop() error // like an operator
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
			t.Logf("the end of the program's log:\n%s", s.logTail())
		}
		log.Close()
	})
	return s
}

func (s *server) logTail() []byte {
	b, _ := os.ReadFile(s.log.Name())
	return b[max(0, len(b)-2000):]
}

// freeAddress finds an unused port that the program uses across restarts.
func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := freeport.Find()
	if err != nil {
		t.Fatal(err)
	}
	return "127.0.0.1:" + strconv.Itoa(port)
}

// start starts the program and waits until it listens.
func (s *server) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.launch(s.env, s.log)
	if err != nil {
		s.t.Errorf("the program did not start: %v\n%s", err, s.logTail())
		return
	}
	s.process, s.alive = p, true
	s.up.Broadcast()
}

// kill kills the program and reports whether it was running.
func (s *server) kill() (running bool) {
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

// stop asks the program to stop, waits for its end, and returns an error unless it exits with
// status 0.
func (s *server) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.process.stop()
	s.process, s.alive = nil, false
	return err
}

// ready reports whether /readyz responds with status 200, as a proxy's health check does.
func (s *server) ready() bool {
	r, err := http.Get(s.base + "/readyz")
	if err != nil {
		return false
	}
	return r.Body.Close() == nil && r.StatusCode == http.StatusOK
}

func (s *server) isRunning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alive
}

// wait waits until the program runs.
func (s *server) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.alive {
		s.up.Wait()
	}
}

// clientHeader is the header with the client's address, as set by a proxy.
const clientHeader = "CF-Connecting-IP"

// errGone is returned for a request without a response because the program was
// killed.
var errGone = errors.New("the server was killed")

// once sends one request; a []byte body is sent as is. It fails with errGone if
// there was no complete response.
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
