// Package workerd runs the worker on the real thing for tests: built from the sources,
// with its keys and objects in a folder.
package workerd

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// required says that a workerd that is missing is a failure: make unit, which installs
// it, sets it.
const required = "PLEDGEWORKS_WORKERD"

// root is the project's.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Need skips the test where workerd is not installed, unless it is required.
func Need(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root(), "internal/workerd/node_modules/miniflare")); err == nil {
		return
	}
	if os.Getenv(required) != "" {
		t.Fatal("workerd is missing: make workerd installs it")
	}
	t.Skip("workerd is missing: make workerd installs it")
}

// Build compiles a program into a folder that a worker runs from, with the modules
// beside it and others on top.
func Build(t testing.TB, program string, others ...string) string {
	t.Helper()
	Need(t)
	folder := t.TempDir()
	glue := compile(t, program, filepath.Join(folder, "app.wasm"))
	modules, err := filepath.Glob(filepath.Join(root(), "hosts/workers/worker/*.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(modules, []string{glue}, others) {
		b, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, filepath.Base(file)), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// Options are what a worker is run with.
type Options struct {
	Folder     string            `json:"folder"` // of Build
	Entry      string            `json:"entry"`  // the module in it that answers
	Data       string            `json:"data"`   // where keys and objects are kept
	Port       int               `json:"port"`   // 0 is any
	Variables  map[string]string `json:"variables"`
	Namespaces []string          `json:"namespaces"`
	Objects    map[string]string `json:"objects"` // class names by binding
}

// Service are the options of the service itself, with these variables.
func Service(folder, data string, port int, variables map[string]string) Options {
	return Options{
		Folder: folder, Entry: "worker.mjs", Data: data, Port: port, Variables: maps.Clone(variables),
		Namespaces: []string{"PLEDGES", "RATELIMIT", "VOTES"},
		Objects: map[string]string{
			"CHECKOUT_INTENTS": "CheckoutIntents", "TIER_INVENTORY_COORDINATOR": "TierInventoryCoordinator", "SETTLEMENT_COORDINATOR": "SettlementCoordinator",
			"BROADCASTS": "Broadcasts",
		},
	}
}

// Transport is the way to a worker: a connection for each request, and few at a time.
// workerd ends a connection that has been idle for five seconds, and one whose request
// has not come within fifteen, by a clock that stands while it computes. So an answer
// that took so much computing is followed by the end of its connection at once, and the
// next request on it meets a reset. And of a hundred that come at once those are cut off
// that have waited for the computing of the others; beyond a dozen, each has an instance
// of the program started besides.
var Transport http.RoundTripper = &http.Transport{DisableKeepAlives: true, MaxConnsPerHost: 8}

// Worker is one that runs.
type Worker struct {
	URL string // without a slash at its end

	cmd *exec.Cmd
	in  io.WriteCloser
	own chan string // lines of serve.mjs
	mu  sync.Mutex  // for one question at a time
}

// Start runs a worker until it is killed. What it prints goes to the log.
func Start(o Options, log io.Writer) (*Worker, error) {
	cmd := exec.Command("node", filepath.Join(root(), "internal/workerd/serve.mjs"))
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that node's child dies with it
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w := &Worker{cmd: cmd, in: in, own: make(chan string, 1)}
	go w.listen(out, log)
	if err := json.NewEncoder(in).Encode(o); err != nil {
		return nil, errors.Join(err, w.Kill())
	}
	line, ok := <-w.own
	if w.URL = strings.TrimRight(line, "/"); !ok || !strings.HasPrefix(line, "http://") {
		return nil, errors.Join(fmt.Errorf("the worker does not start: %s", line), w.Kill())
	}
	return w, nil
}

func (w *Worker) listen(out io.Reader, log io.Writer) {
	defer close(w.own)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if own, is := strings.CutPrefix(lines.Text(), "@"); is {
			w.own <- own
		} else {
			_, _ = fmt.Fprintln(log, lines.Text())
		}
	}
}

// Cron triggers scheduled work and waits for its end.
func (w *Worker) Cron(expression string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := fmt.Fprintln(w.in, expression); err != nil {
		return err
	}
	if outcome := <-w.own; outcome != "ok" {
		return fmt.Errorf("the trigger ended with %q", outcome)
	}
	return nil
}

// Values reads the values of a namespace's keys with a prefix.
func (w *Worker) Values(binding, prefix string) (values []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := fmt.Fprintln(w.in, "keys", binding, prefix); err != nil {
		return nil, err
	}
	err = json.Unmarshal([]byte(<-w.own), &values)
	return values, err
}

// PID is the process group's.
func (w *Worker) PID() int { return w.cmd.Process.Pid }

// Kill ends the worker in the middle of what it does.
func (w *Worker) Kill() error {
	err := syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
	_ = w.cmd.Wait() // it says how it ended
	return err
}
