package bench

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

const (
	tier             = "seat"
	clientHeader     = "X-Client"
	campaignDuration = 30 * 24 * time.Hour // duration of the campaigns
)

const campaignFile = `---
title: Bench %[1]s
slug: %[1]s
published: true
start_date: %[2]s
goal_deadline: %[3]s
goal_amount: 1
tiers:
  - {id: seat, name: Seat, price: 25, stackable: true}
---
`

// Servers are pledged processes that were started for a benchmark, with a simulated processor.
// Their files are in a temporary directory. Closing them does not delete data in a PostgreSQL
// database.
type Servers struct {
	*Target
	Sim *sim.Sim

	program   string
	folder    string
	env       []map[string]string
	processes []*exec.Cmd
	processor *httptest.Server
	refused   atomic.Int64 // requests beyond the processor's rate limit
	log       io.Writer
}

// ServersOptions configure the servers.
type ServersOptions struct {
	Program     string // path of the pledged program
	Servers     int
	Campaigns   int
	DatabaseURL string // "" means SQLite, for one server
	Log         io.Writer
}

// Signature is the header with the signature of a webhook from Stripe, which the simulator imitates.
const Signature = "Stripe-Signature"

// Start starts the servers and waits until they accept requests. The caller must close them. It
// fails if several servers are requested without a DatabaseURL.
func Start(ctx context.Context, o ServersOptions) (s *Servers, err error) {
	if o.Servers > 1 && o.DatabaseURL == "" {
		return nil, errors.New("several servers need a shared database: set DATABASE_URL")
	}
	s = &Servers{program: o.Program, log: o.Log}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.folder, err = os.MkdirTemp("", "pledged-bench-"); err != nil {
		return s, err
	}
	values, err := config.DemoValues(rand.Reader)
	if err != nil {
		return s, err
	}
	s.Sim = sim.New(sim.Options{Now: time.Now, NoLimits: true, APIKey: values["PSP_SECRET_KEY_TEST"],
		WebhookSecret: values["PSP_WEBHOOK_SECRET_TEST"]})
	s.processor = httptest.NewServer(s.countRefusals(simhttp.NewHandler(s.Sim, simhttp.Options{Vendor: "Stripe"})))
	s.Target = &Target{
		Origin: "http://bench.example", Tier: tier, ClientHeader: clientHeader, Signature: Signature,
		Secret: values["PSP_WEBHOOK_SECRET_TEST"], Links: token.Signer{Secret: []byte(values["MAGIC_LINK_SECRET"])},
		SaveCard: func(_ context.Context, id string) error { return s.Sim.Complete(id, sim.CardOK) },
		Client:   &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024}, Timeout: 2 * time.Minute},
	}
	if err := s.writeContent(o.Campaigns); err != nil {
		return s, err
	}
	maps.Copy(values, map[string]string{
		"PSP_PROVIDER": config.Stripe, "PSP_API_BASE": s.processor.URL, "PSP_PUBLISHABLE_KEY": "pk_test_bench",
		"SITE_BASE":   s.Origin,
		"WORKER_BASE": s.Origin, "SALES_TAX_RATE": "0.07875", "TRUSTED_PROXY_HEADER": clientHeader,
		"CONTENT_DIR": filepath.Join(s.folder, "content"),
		"LOG_LEVEL":   "warn", "DATABASE_URL": o.DatabaseURL,
	})
	for i := range max(1, o.Servers) {
		own := maps.Clone(values)
		own["DATA_DIR"] = filepath.Join(s.folder, strconv.Itoa(i))
		if own["LISTEN"], err = freeAddress(ctx); err != nil {
			return s, err
		}
		s.URLs, s.env = append(s.URLs, "http://"+own["LISTEN"]), append(s.env, own)
	}
	err = s.start(ctx)
	return s, err
}

// freeAddress returns an unused address.
func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// writeContent writes the given number of campaign files.
func (s *Servers) writeContent(campaigns int) error {
	dir := filepath.Join(s.folder, "content", "campaigns")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	day := func(d time.Duration) string { return time.Now().Add(d).Format(time.DateOnly) }
	for i := range max(1, campaigns) {
		slug := fmt.Sprintf("bench-%d", i)
		s.Campaigns = append(s.Campaigns, slug)
		text := fmt.Sprintf(campaignFile, slug, day(-campaignDuration), day(campaignDuration))
		if err := os.WriteFile(filepath.Join(dir, slug+".md"), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (s *Servers) start(ctx context.Context) error {
	s.processes = make([]*exec.Cmd, len(s.env))
	for i := range s.env {
		if err := s.startOne(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (s *Servers) startOne(ctx context.Context, i int) error {
	cmd := exec.CommandContext(ctx, s.program, "serve")
	cmd.Stderr, cmd.Dir = s.log, s.folder
	for k, v := range s.env[i] {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.processes[i] = cmd
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "Listening on") {
		return fmt.Errorf("a server did not start: %w", errors.Join(err, errors.New(line)))
	}
	return nil
}

func (s *Servers) stop() error {
	var errs []error
	s.processes = slices.DeleteFunc(s.processes, func(p *exec.Cmd) bool { return p == nil })
	for _, p := range s.processes {
		errs = append(errs, p.Process.Signal(syscall.SIGTERM))
	}
	for _, p := range s.processes {
		errs = append(errs, p.Wait())
	}
	s.processes = nil
	return errors.Join(errs...)
}

// Close stops the servers and removes their files.
func (s *Servers) Close() error {
	err := s.stop()
	if s.processor != nil {
		s.processor.Close()
	}
	if s.folder != "" {
		err = errors.Join(err, os.RemoveAll(s.folder))
	}
	return err
}
