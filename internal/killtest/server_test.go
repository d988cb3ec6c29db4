package killtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/freeport"
)

// server is the program under test. It is killed and started again under the
// feet of those who call it.
type server struct {
	t      *testing.T
	binary string
	env    map[string]string // changed only while the program is dead
	base   string
	log    *os.File
	client *http.Client

	clients atomic.Int64 // addresses handed out

	mu    sync.Mutex
	cmd   *exec.Cmd
	life  int // counts the starts
	up    *sync.Cond
	alive bool
}

func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "pledged")
	out, err := exec.Command("go", "build", "-o", binary, "../../hosts/nethttp/cmd/pledged").CombinedOutput()
	if err != nil {
		t.Fatalf("building pledged: %v\n%s", err, out)
	}
	return binary
}

func newServer(t *testing.T, binary string, env map[string]string) *server {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "pledged.log"))
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, binary: binary, log: log, env: env, client: &http.Client{Timeout: 30 * time.Second}}
	s.up = sync.NewCond(&s.mu)
	s.base = "http://" + env["LISTEN"]
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			b, _ := os.ReadFile(log.Name())
			t.Logf("the end of the program's log:\n%s", b[max(0, len(b)-2000):])
		}
		log.Close()
	})
	return s
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
	cmd := exec.Command(s.binary, "serve")
	cmd.Stderr, cmd.Dir = s.log, s.t.TempDir()
	for k, v := range s.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Error(err)
		return
	}
	if err := cmd.Start(); err != nil {
		s.t.Error(err)
		return
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "listening on") {
		b, _ := os.ReadFile(s.log.Name())
		s.t.Errorf("the program did not start: %v\n%s", err, b[max(0, len(b)-2000):])
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	s.cmd, s.alive = cmd, true
	s.life++
	s.up.Broadcast()
}

// kill ends the program as the kernel does when memory runs out.
func (s *server) kill() (lived bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return false
	}
	s.alive = false
	s.cmd.Process.Kill()
	s.cmd.Wait()
	s.cmd = nil
	s.client.CloseIdleConnections()
	return true
}

// stop ends the program as an operator does, and waits until it has gone.
func (s *server) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.cmd.Process.Signal(syscall.SIGTERM)
	if err == nil {
		err = s.cmd.Wait()
	}
	s.cmd, s.alive = nil, false
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
	r.Header.Set("X-Client", fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
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
