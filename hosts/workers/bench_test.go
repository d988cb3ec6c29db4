package workers_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/internal/workerd"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

const benchCampaign = `---
title: Bench
slug: bench
published: true
start_date: 2020-01-01
goal_deadline: 2099-01-01
goal_amount: 1000
tiers:
  - {id: seat, name: Seat, price: 25, stackable: true}
---
`

// service is a running worker with its site and simulated Stripe.
type service struct {
	*workerd.Worker
	options workerd.Options
	sim     *sim.Sim
	tree    *site.Tree // the site's files
	site    string     // origin of the site and the worker
	secret  string
	links   token.Signer
	events  int
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// startService builds and starts a worker for the campaign bench, with the site as its assets.
func startService(t testing.TB) *service {
	t.Helper()
	files := fstest.MapFS{"campaigns/bench.md": {Data: []byte(benchCampaign)}, "campaigns/brief.md": {Data: []byte(briefCampaign())}}
	values, err := config.DemoValues(rand.Reader)
	check(t, err)
	port := freePort(t)
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	cfg, err := config.Demo(rand.Reader, files, map[string]string{"SITE_BASE": base, "WORKER_BASE": base})
	check(t, err)
	catalogue, err := campaignfile.Load(files)
	check(t, err)
	builder, err := site.New(site.Options{Content: files, Config: cfg})
	check(t, err)
	tree, err := builder.Build(catalogue, time.Now())
	check(t, err)
	m := &service{site: base, tree: tree, secret: values["PSP_WEBHOOK_SECRET_TEST"], links: token.Signer{Secret: []byte(values["MAGIC_LINK_SECRET"])}}
	m.sim = sim.New(sim.Options{Now: time.Now, NoLimits: true, APIKey: values["PSP_SECRET_KEY_TEST"]})
	processor := httptest.NewServer(simhttp.NewHandler(m.sim, simhttp.Options{Vendor: "Stripe"}))
	t.Cleanup(processor.Close)
	maps.Copy(values, map[string]string{
		"PSP_PROVIDER": "stripe", "PSP_API_BASE": processor.URL, "PSP_PUBLISHABLE_KEY": "pk_test_bench", "SITE_BASE": base,
		"WORKER_BASE": base, "SALES_TAX_RATE": "0.07875", "LOG_LEVEL": "warn",
	})
	m.options = workerd.Service(workerd.Build(t, "./hosts/workers/wasm"), t.TempDir(), port, values)
	m.options.Assets = deployedAssets(t)
	check(t, tree.Write(m.options.Assets.Directory))
	m.Worker = run(t, m.options)
	return m
}

// freePort returns a port on which nothing listens.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	check(t, l.Close())
	return l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // a TCP listener
}

// deployedAssets returns the assets of wrangler.jsonc in an empty directory.
func deployedAssets(t testing.TB) *workerd.Assets {
	t.Helper()
	w := readWrangler(t, "wrangler.jsonc")
	w.Assets.Directory = t.TempDir()
	return &w.Assets
}

func run(t testing.TB, o workerd.Options) *workerd.Worker {
	t.Helper()
	w, err := workerd.Start(o, os.Stderr)
	check(t, err)
	t.Cleanup(func() { _ = w.Kill() })
	return w
}

// briefCampaign returns the file of the campaign brief, which ends tomorrow.
func briefCampaign() string {
	return strings.NewReplacer("slug: bench", "slug: brief", "title: Bench", "title: Brief", "goal_amount: 1000", "goal_amount: 20",
		"2099-01-01", time.Now().AddDate(0, 0, 1).Format(time.DateOnly)).Replace(benchCampaign)
}

// send sends a request, as a browser or with a webhook signature, and returns the body of a 200
// response.
func (m *service) send(t testing.TB, method, path, signature string, body []byte) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, m.URL+path, bytes.NewReader(body))
	check(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", m.site)
	m.events++
	r.Header.Set("CF-Connecting-IP", fmt.Sprintf("10.0.%d.%d", m.events>>8&255, m.events&255))
	if signature != "" {
		r.Header.Set(stripe.SignatureHeader, signature)
	}
	client := http.Client{Transport: workerd.Transport}
	res, err := client.Do(r)
	check(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	check(t, err)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: status %d: %s", method, path, res.StatusCode, b)
	}
	return b
}

// BenchmarkPublicRead measures each public read, and for comparison a minimal worker that reads one
// key and responds with the same bytes.
func BenchmarkPublicRead(b *testing.B) {
	m := startService(b)
	folder := b.TempDir()
	text, err := os.ReadFile("../../internal/workerd/bare.mjs")
	check(b, err)
	check(b, os.WriteFile(filepath.Join(folder, "bare.mjs"), text, 0o600))
	bare := run(b, workerd.Options{Folder: folder, Entry: "bare.mjs", Data: b.TempDir(), Namespaces: []string{"PLEDGES"}, Objects: map[string]string{}})
	for _, path := range []string{"/stats/bench", "/live/bench", "/inventory/bench"} {
		answer := m.send(b, "GET", path, "", nil)
		res, err := http.Post(bare.URL, "application/json", bytes.NewReader(answer))
		check(b, err)
		check(b, res.Body.Close())
		for _, clients := range []int{1, 64} {
			name := fmt.Sprintf("path=%s/clients=%d/worker=", strings.Split(path, "/")[1], clients)
			b.Run(name+"pledgeworks", func(b *testing.B) { read(b, m.URL+path, clients) })
			b.Run(name+"bare", func(b *testing.B) { read(b, bare.URL+path, clients) })
		}
	}
}

func read(b *testing.B, url string, clients int) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	b.SetParallelism(max(1, clients/runtime.GOMAXPROCS(0)))
	if clients == 1 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			res, err := client.Get(url)
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reads/s")
}

// cpu returns the CPU time used so far by the live threads of the workerd processes in a group.
func cpu(t testing.TB, group int) time.Duration {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*/stat")
	check(t, err)
	var all time.Duration
	for _, file := range stats {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has exited
		}
		name, rest, _ := strings.Cut(string(b), ") ")
		exe, _ := os.Readlink(filepath.Join(filepath.Dir(file), "../../exe"))
		if strings.Fields(rest)[2] != strconv.Itoa(group) || !strings.HasSuffix(exe, "workerd") || name == "" {
			continue
		}
		spent, err := os.ReadFile(filepath.Join(filepath.Dir(file), "schedstat"))
		if err != nil {
			continue
		}
		ns, err := strconv.ParseInt(strings.Fields(string(spent))[0], 10, 64)
		check(t, err)
		all += time.Duration(ns)
	}
	return all
}

// BenchmarkStart measures the CPU time of an isolate from its start to its first response,
// including the compilation and initialization of the program.
func BenchmarkStart(b *testing.B) {
	m := startService(b)
	var spent time.Duration
	for range b.N {
		check(b, m.Kill())
		m.Worker = run(b, m.options)
		m.send(b, "GET", "/stats/bench", "", nil)
		spent += cpu(b, m.PID())
	}
	b.ReportMetric(spent.Seconds()*1000/float64(b.N), "cpu-ms")
}

// BenchmarkRequestCPU measures the CPU time of each kind of request. It includes Durable Objects
// and KV, which run in other isolates when deployed.
func BenchmarkRequestCPU(b *testing.B) {
	m := startService(b)
	m.send(b, "GET", "/stats/bench", "", nil) // warm up
	spent := map[string]time.Duration{}
	cost := func(name, method, path, signature string, body []byte) []byte {
		before := cpu(b, m.PID())
		answer := m.send(b, method, path, signature, body)
		spent[name] += cpu(b, m.PID()) - before
		return answer
	}
	for i := range b.N {
		cart := fmt.Appendf(nil, `{"campaignSlug":"bench","email":"p%d@example.org","items":[{"id":"bench__seat","quantity":2}],"tipPercent":5}`, i)
		var started struct{ SessionID, OrderID string }
		check(b, json.Unmarshal(cost("start", "POST", "/checkout-intent/start", "", cart), &started))
		check(b, m.sim.Complete(started.SessionID, sim.CardOK))
		now := time.Now()
		event := fmt.Appendf(nil, `{"id":"evt_%d","object":"event","type":"checkout.session.completed","livemode":false,"created":%d,"data":{"object":{"id":%q,"object":"checkout.session"}}}`,
			i, now.Unix(), started.SessionID)
		cost("webhook", "POST", "/webhooks/psp", sim.Sign(event, m.secret, now), event)
		link, err := m.links.Sign(token.Claims{Scope: token.Manage, OrderID: started.OrderID, Email: fmt.Sprintf("p%d@example.org", i), CampaignSlug: "bench", Expires: now.Add(time.Hour)})
		check(b, err)
		cost("view", "GET", "/pledge?token="+link, "", nil)
		cost("modify", "POST", "/pledge/modify", "", fmt.Appendf(nil, `{"token":%q,"items":[{"id":"bench__seat","quantity":1}]}`, link))
		cost("cancel", "POST", "/pledge/cancel", "", fmt.Appendf(nil, `{"token":%q}`, link))
		cost("tax quote", "POST", "/tax/quote", "", cart)
	}
	for name, d := range spent {
		b.ReportMetric(d.Seconds()*1000/float64(b.N), strings.ReplaceAll(name, " ", "-")+"-ms")
	}
}
