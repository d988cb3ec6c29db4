package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/demo"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/internal/workerd"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }

// content contains the example campaigns.
var content = os.DirFS("../../examples/site")

const lastLine = "Every supporter was charged once, and the books agree to the cent."

// testContext returns a context that ends with the test or shortly before its deadline, because
// restarting a worker can take long on a busy machine.
func testContext(t *testing.T) context.Context {
	t.Helper()
	deadline, bounded := t.Deadline()
	if !bounded {
		deadline = time.Now().Add(time.Hour)
	}
	ctx, cancel := context.WithDeadline(t.Context(), deadline.Add(-5*time.Second))
	t.Cleanup(cancel)
	return ctx
}

func runDemo(t *testing.T, s demo.Stage) {
	t.Helper()
	var out bytes.Buffer
	if err := demo.RunScript(testContext(t), &out, s); err != nil || !strings.Contains(out.String(), lastLine) {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// runOwnServer runs the demo on the program's own server with a database.
func runOwnServer(t *testing.T, databaseURL string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	values, err := config.DemoValues(rand.Reader)
	must(t, err)
	values["DATABASE_URL"] = databaseURL
	text, err := config.FormatEnv(values)
	must(t, err)
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "demo.env"), []byte(text), 0o600))
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	d, err := demo.Open(t.Context(), demo.Options{
		Dir: dir, Content: content, Address: l.Addr().String(), TrustedHeader: demo.ClientHeader,
		Log: slog.New(slog.DiscardHandler),
	})
	must(t, err)
	ctx, stop := context.WithCancel(testContext(t))
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx, l) }()
	var out bytes.Buffer
	if err := d.Script(ctx, &out); err != nil || !strings.Contains(out.String(), lastLine) {
		t.Errorf("%v\n%s", err, out.String())
	}
	stop()
	must(t, <-served)
	must(t, d.App.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSQLite(t *testing.T) { runOwnServer(t, "") }

func TestPostgres(t *testing.T) { runOwnServer(t, cluster.Database(t)) }

// demoHost adds the demo's routes to a host without them.
type demoHost struct {
	t       *testing.T
	sim     *sim.Sim
	key     string // of the processor's API
	service http.Handler
	mails   func() (any, error)
	move    func(to time.Time) error
	work    func() // the periodic background work
}

func (h demoHost) open(l net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("/", h.service)
	mux.Handle("/_sim/", simhttp.NewHandler(h.sim, simhttp.Options{}))
	mux.HandleFunc("GET /demo/mail", func(w http.ResponseWriter, _ *http.Request) {
		mails, err := h.mails()
		if err != nil {
			h.t.Error(err)
		}
		_ = json.NewEncoder(w).Encode(mails)
	})
	mux.HandleFunc("GET /demo/events", func(w http.ResponseWriter, r *http.Request) {
		form := url.Values{"limit": {"100"}, "type": {r.URL.Query().Get("type")}}
		a := h.sim.Serve(sim.Call{Method: "GET", Path: "/v1/events", Form: form.Encode(), APIKey: h.key,
			Version: psp.Version})
		_, _ = w.Write(a.Body)
	})
	mux.HandleFunc("POST /demo/clock", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ To time.Time }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			h.t.Error(err)
		}
		if err := h.move(in.To); err != nil {
			h.t.Error(err)
		}
		_, _ = w.Write([]byte("{}"))
	})
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: mux}} //nolint:gosec // in a test
	server.Start()
	h.t.Cleanup(server.Close)
	ctx, stop := context.WithCancel(context.Background())
	var working sync.WaitGroup
	working.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ctx.Err() == nil; {
			h.work()
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	})
	h.t.Cleanup(func() { stop(); working.Wait() })
}

func TestMemory(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	base := "http://" + l.Addr().String()
	host, err := memory.New(memory.Options{Campaigns: content, Start: demo.Start, Env: map[string]string{
		"SITE_BASE": base, "WORKER_BASE": base, "CANONICAL_SITE_BASE": base, "CANONICAL_WORKER_BASE": base,
	}})
	must(t, err)
	ctx := context.Background()
	demoHost{
		t: t, sim: host.Sim, key: host.Config.PSPSecretKey().Reveal(),
		service: nethttp.Handler(host.API, nethttp.Options{TrustedHeader: demo.ClientHeader}),
		mails:   func() (any, error) { return host.Mails(ctx) },
		move:    func(to time.Time) error { host.Advance(to.Sub(host.Now())); return nil },
		work: func() {
			host.Deliver(ctx)
			if err := host.Settle(ctx); err != nil {
				t.Error(err)
			}
		},
	}.open(l)
	secrets := host.Config.Secrets
	runDemo(t, demo.Stage{Base: base, Admin: secrets.Admin.Reveal(), Settlement: secrets.AdminSettlement.Reveal(),
		WebhookSecret: host.Config.PSPWebhookSecret().Reveal(), SignatureHeader: "Psp-Signature", Now: host.Now})
}

// worker is the service on workerd, which is restarted when its clock is moved.
type worker struct {
	options workerd.Options
	mu      sync.RWMutex
	*workerd.Worker
	offset time.Duration
}

func (w *worker) now() time.Time { return time.Now().Add(w.offset) }

func (w *worker) start(offset time.Duration) (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Worker != nil {
		_ = w.Kill()
	}
	w.offset = offset
	w.options.Variables["CLOCK_OFFSET_SECONDS"] = strconv.Itoa(int(offset.Seconds()))
	w.Worker, err = workerd.Start(w.options, os.Stderr)
	return err
}

// ServeHTTP forwards a request.
func (w *worker) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	to, err := url.Parse(w.URL)
	if err != nil {
		panic(err)
	}
	(&httputil.ReverseProxy{Transport: workerd.Transport,
		Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(to) }}).ServeHTTP(out, r)
}

func TestWorkerd(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a worker")
	}
	workerd.Need(t)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	base := "http://" + l.Addr().String()
	values, err := config.DemoValues(rand.Reader)
	must(t, err)
	begin := time.Until(demo.Start)
	w := &worker{}
	processor := sim.New(sim.Options{
		Now: time.Now, NoLimits: true, APIKey: values["PSP_SECRET_KEY_TEST"],
		WebhookSecret: values["PSP_WEBHOOK_SECRET_TEST"], WebhookURL: base + "/webhooks/psp",
	})
	processor.Advance(begin)
	peer := httptest.NewServer(simhttp.NewHandler(processor, simhttp.Options{Vendor: "Stripe"}))
	t.Cleanup(peer.Close)
	maps.Copy(values, map[string]string{
		"SITE_BASE": base, "WORKER_BASE": base, "PSP_PROVIDER": config.Stripe, "PSP_API_BASE": peer.URL,
		"SALES_TAX_RATE": "0.07875", "LOG_LEVEL": "warn",
	})
	w.options = workerd.Service(workerd.Build(t, "./hosts/workers/wasm"), t.TempDir(), 0, values)
	must(t, w.start(begin))
	t.Cleanup(func() { _ = w.Kill() })
	pump := simhttp.Pump{Sim: processor, Client: &http.Client{Timeout: 10 * time.Second},
		Options: simhttp.Options{Vendor: "Stripe"}}
	demoHost{
		t: t, sim: processor, key: values["PSP_SECRET_KEY_TEST"], service: withSite(t, base, w),
		mails: func() (any, error) { return w.mails() },
		move: func(to time.Time) error {
			processor.Advance(to.Sub(w.now()))
			return w.start(time.Until(to))
		},
		work: func() {
			pump.Once(context.Background())
			if err := w.minute(); err != nil {
				t.Error(err)
			}
		},
	}.open(l)
	runDemo(t, demo.Stage{Base: base, Admin: values["ADMIN_SECRET"], Settlement: values["ADMIN_SETTLEMENT_SECRET"],
		WebhookSecret: values["PSP_WEBHOOK_SECRET_TEST"], SignatureHeader: stripe.SignatureHeader, Now: w.now})
}

func (w *worker) minute() error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.Cron("* * * * *")
}

func (w *worker) mails() ([]json.RawMessage, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	values, err := w.Values("PLEDGES", "test-mail:")
	mails := []json.RawMessage{}
	for _, v := range values {
		mails = append(mails, json.RawMessage(v))
	}
	return mails, err
}

// withSite serves the public site, from which the worker reads the campaigns, and passes other
// requests to next.
func withSite(t *testing.T, base string, next http.Handler) http.Handler {
	t.Helper()
	cfg, err := config.Demo(rand.Reader, content, map[string]string{"SITE_BASE": base, "WORKER_BASE": base})
	must(t, err)
	catalogue, err := campaignfile.Load(content)
	must(t, err)
	b, err := site.New(site.Options{Content: content, Config: cfg})
	must(t, err)
	tree, err := b.Build(catalogue, demo.Start)
	must(t, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tree.Serve(w, r, next) })
}
