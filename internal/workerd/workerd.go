// Package workerd runs the Cloudflare worker in tests on workerd, the Workers runtime, through
// Miniflare.
//
// Build compiles a program from source into a folder of modules. Start runs such a folder and
// returns a Worker, which is reached at its URL; KV namespaces and Durable Objects are stored in
// Options.Data, so a worker that was killed can be started again with the same data. HTTP clients
// must use Transport. Need skips a test if workerd is not installed.
//
//	folder := workerd.Build(t, "./hosts/workers/wasm")
//	w, err := workerd.Start(workerd.Service(folder, t.TempDir(), 0, variables), os.Stderr)
//	if err != nil {
//		t.Fatal(err)
//	}
//	t.Cleanup(func() { _ = w.Kill() })
//	client := http.Client{Transport: workerd.Transport}
//	res, err := client.Get(w.URL + "/stats/film")
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
	"testing"
)

// required is the environment variable that makes a missing workerd a test failure. make unit sets
// it after installing workerd.
const required = "PLEDGEWORKS_WORKERD"

// root returns the repository's root folder.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Need skips the test if workerd is not installed, or fails it if workerd is required.
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

// Build compiles a program into a temporary folder, together with the modules of
// hosts/workers/worker, an empty site file, and further files.
func Build(t testing.TB, program string, others ...string) string {
	t.Helper()
	Need(t)
	folder := t.TempDir()
	glue := compile(t, program, filepath.Join(folder, "app.wasm"))
	modules, err := filepath.Glob(filepath.Join(root(), "hosts/workers/worker/*.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "site.yml"), nil, 0o600); err != nil {
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

// Options configure a worker.
type Options struct {
	Folder     string            `json:"folder"` // result of Build
	Entry      string            `json:"entry"`  // name of the entry module
	Data       string            `json:"data"`   // folder for KV namespaces and objects
	Port       int               `json:"port"`   // 0 selects a free port
	Variables  map[string]string `json:"variables"`
	Namespaces []string          `json:"namespaces"`
	Objects    map[string]string `json:"objects"`    // Durable Object class names by binding
	Assets     *Assets           `json:"assets"`     // nil for none
	Background *Background       `json:"background"` // nil if the worker has the objects itself
}

// Background is a second worker from the same folder, which has the objects and the scheduled work. The
// first one sends it requests through the service binding BACKGROUND.
type Background struct {
	Entry   string            `json:"entry"`
	Objects map[string]string `json:"objects"` // further ones, which only this worker can reach
}

// Assets are static files that are served before the worker is asked, with the names of wrangler's
// configuration.
type Assets struct {
	Directory string `json:"directory"`
	Binding   string `json:"binding"`
	HTML      string `json:"html_handling"`
	NotFound  string `json:"not_found_handling"`
}

// Service returns the options for running Pledgeworks itself.
func Service(folder, data string, port int, variables map[string]string) Options {
	return Options{
		Folder: folder, Entry: "worker.mjs", Data: data, Port: port, Variables: maps.Clone(variables),
		Namespaces: []string{"PLEDGES", "RATELIMIT", "VOTES"},
		Objects: map[string]string{
			"CHECKOUT_INTENTS": "CheckoutIntents", "TIER_INVENTORY_COORDINATOR": "TierInventoryCoordinator",
			"SETTLEMENT_COORDINATOR": "SettlementCoordinator",
			"BROADCASTS":             "Broadcasts",
		},
		Background: &Background{Entry: "background.mjs", Objects: map[string]string{"STEPS": "Steps"}},
	}
}

// Transport is the transport for requests to a worker. It opens a new connection for each request,
// and at most eight at a time.
//
// workerd closes connections that were idle for five seconds, or whose request did not arrive
// within fifteen, by a clock that does not advance while a worker computes. After a long
// computation it closes the connection right after the response, so the next request on it would
// be reset. With a hundred concurrent requests, those that wait for others' computation would be
// cut off; and beyond a dozen, each would start another instance of the program.
var Transport http.RoundTripper = &http.Transport{DisableKeepAlives: true, MaxConnsPerHost: 8}

// Worker is a running worker. Its methods are safe for concurrent use.
type Worker struct {
	URL string // without a trailing slash

	cmd *exec.Cmd
	in  io.WriteCloser
	own chan string // output lines of serve.mjs, without the @
	mu  sync.Mutex  // serializes commands
}

// Start starts a worker, which runs until it is killed, and waits until it is ready. Its output is
// written to log.
func Start(o Options, log io.Writer) (*Worker, error) {
	cmd := exec.Command("node", filepath.Join(root(), "internal/workerd/serve.mjs"))
	cmd.Stderr = log
	setProcessGroup(cmd)
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
		return nil, errors.Join(fmt.Errorf("worker did not start: %s", line), w.Kill())
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

// Cron triggers scheduled work and waits until it is done.
func (w *Worker) Cron(expression string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := fmt.Fprintln(w.in, expression); err != nil {
		return err
	}
	if outcome := <-w.own; outcome != "ok" {
		return fmt.Errorf("scheduled work failed: %q", outcome)
	}
	return nil
}

// Values returns the values of all keys with a prefix in a KV namespace.
func (w *Worker) Values(binding, prefix string) (values []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := fmt.Fprintln(w.in, "keys", binding, prefix); err != nil {
		return nil, err
	}
	err = json.Unmarshal([]byte(<-w.own), &values)
	return values, err
}

// PID returns the ID of the worker's process group.
func (w *Worker) PID() int { return w.cmd.Process.Pid }

// Kill kills the worker immediately, without letting it finish requests.
func (w *Worker) Kill() error {
	err := killProcessGroup(w.cmd)
	_ = w.cmd.Wait() // reports the kill as an error
	return err
}
