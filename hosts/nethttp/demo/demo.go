// Package demo runs the service on one machine without any accounts: with the example campaigns, a
// simulated processor, a clock that can be moved, and a page that shows the mails. Script runs a
// scripted demonstration.
package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// Start is the time at which a new demo starts: 18:00 in Denver, on a day when one example campaign
// is live, one is about to end and one is upcoming.
var Start = time.Date(2026, time.November, 21, 1, 0, 0, 0, time.UTC)

const (
	secretsFile = "demo.env"
	clockFile   = "clock.json"
	drainEvery  = 50 * time.Millisecond
	drainLimit  = 100
)

// Options configure a demo.
type Options struct {
	Dir     string // data directory; a second start continues with its data
	Content fs.FS  // the content repository
	Folder  string // directory of Content, to watch for changes; "" disables watching
	// Writable allows operators to publish to Folder.
	Writable bool
	Address  string // public host and port, such as 127.0.0.1:8787
	// TrustedHeader, if set, lets clients choose the address under which they are counted, as if
	// there were a proxy.
	TrustedHeader string
	// Bar adds the demo's clock and controls to every page.
	Bar     bool
	Log     *slog.Logger
	Version string
}

// Demo is an opened demo.
type Demo struct {
	App   *app.App
	Clock *Clock
	Base  string
	dir   string
	bar   bool
}

// Open creates the data directory or continues with its data. The caller must close the App.
func Open(ctx context.Context, o Options) (*Demo, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the demo's directory: %w", err)
	}
	values, err := loadOrCreateSecrets(filepath.Join(o.Dir, secretsFile))
	if err != nil {
		return nil, err
	}
	clock, err := openClock(filepath.Join(o.Dir, clockFile), Start)
	if err != nil {
		return nil, err
	}
	base := "http://" + o.Address
	overrides := maps.Clone(values)
	maps.Copy(overrides, map[string]string{
		"SITE_BASE": base, "WORKER_BASE": base, "CANONICAL_SITE_BASE": base,
		"LISTEN": o.Address, "DATA_DIR": o.Dir, "TRUSTED_PROXY_HEADER": o.TrustedHeader,
		"ADMIN_LOCAL_REPO_WRITES_ENABLED": strconv.FormatBool(o.Writable),
	})
	cfg, err := config.Demo(rand.Reader, o.Content, overrides)
	if err != nil {
		return nil, err
	}
	load := func(site fs.FS) error {
		_, err := config.Demo(rand.Reader, site, overrides)
		return err
	}
	a, err := app.Open(ctx, app.Options{Config: cfg, Content: o.Content, Folder: o.Folder, Load: load,
		TaxTables: true, Now: clock.Now, Log: o.Log, Version: o.Version})
	if err != nil {
		return nil, err
	}
	return &Demo{App: a, Clock: clock, Base: base, dir: o.Dir, bar: o.Bar}, nil
}

// loadOrCreateSecrets loads the demo's secrets. At the first start it generates and stores them, so
// that links stay valid after a restart.
func loadOrCreateSecrets(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err == nil {
		return config.ParseEnv(string(text))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	values, err := config.DemoValues(rand.Reader)
	if err != nil {
		return nil, err
	}
	formatted, err := config.FormatEnv(values)
	if err != nil {
		return nil, err
	}
	return values, os.WriteFile(file, []byte(formatted), 0o600)
}

// Run serves until ctx is done.
func (d *Demo) Run(ctx context.Context, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mailing sync.WaitGroup
	mailing.Go(func() { d.sendDueMails(ctx) })
	err := d.App.Run(ctx, l, d.Handler())
	stop()
	mailing.Wait()
	return err
}

// sendDueMails sends mails as soon as they are due, until ctx is done.
func (d *Demo) sendDueMails(ctx context.Context) {
	tick := time.NewTicker(drainEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_, _ = d.App.Services.Outbox.Drain(context.WithoutCancel(ctx), drainLimit) // retried at the next tick
		}
	}
}

// Handler serves the demo's pages and the service.
func (d *Demo) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", d.site())
	mux.HandleFunc("GET /demo/bar.js", file("text/javascript; charset=utf-8", barScript))
	mux.HandleFunc("GET /demo/bar.css", file("text/css; charset=utf-8", barStyle))
	mux.HandleFunc("GET /demo/{$}", d.front)
	mails := app.MailPages{Mails: d.App.Mails, Path: "/demo/mail", Back: "/demo/",
		Zone: d.App.Config.Site.Timezone.Location()}.Handler()
	mux.Handle("GET /demo/mail", mails)
	mux.Handle("GET /demo/mail/", mails)
	mux.HandleFunc("GET /demo/events", d.events)
	mux.HandleFunc("GET /demo/clock", d.readClock)
	mux.HandleFunc("POST /demo/clock", d.sameSite(d.moveClock))
	mux.HandleFunc("GET /demo/dashboard", d.dashboard)
	mux.HandleFunc("POST /demo/dashboard", d.sameSite(d.dashboard))
	mux.HandleFunc("POST /demo/settle/{slug}", d.sameSite(d.settle))
	return mux
}

// Welcome prints which pages to open and what to try.
func (d *Demo) Welcome(w io.Writer) error {
	_, err := fmt.Fprintf(w, welcome, d.Base, d.dir)
	return err
}

// Goodbye prints the location of the data after the demo has stopped.
func (d *Demo) Goodbye(w io.Writer) error {
	_, err := fmt.Fprintf(w, goodbye, d.dir)
	return err
}

// settlementSecret returns the secret of the settlement routes.
func settlementSecret(c config.Config) string {
	if c.Secrets.AdminSettlement.IsSet() {
		return c.Secrets.AdminSettlement.Reveal()
	}
	return c.Secrets.Admin.Reveal()
}

const welcome = `The demo is running. Nothing in it is real: it has campaigns in every state, made-up
supporters and a simulated payment processor.

  %[1]s/                 the site: choose a reward, pledge with a test card
  %[1]s/demo/dashboard   the dashboard, signed in as the demo's operator
  %[1]s/demo/            the clock, settlement, emails and test cards

First steps:

1. Open Tidepool Traders, add a reward and pledge with card 4242 4242 4242 4242.
   Your card is saved; nothing is charged.
2. Read the confirmation at /demo/mail and open its pledge link: change your pledge.
3. Press "Settle" at /demo/. The clock moves past the deadline, and every supporter
   is charged once. See what the processor recorded, and which supporters have to act.

Commands work while the demo is running and use its clock. In another terminal, in
this directory:

  DATA_DIR=%[2]s go run -tags demo ./hosts/nethttp/cmd/pledged rehearse tidepool-traders

The data is in %[2]s. Press Ctrl-C to stop.
`

const goodbye = `
The demo has stopped. When you start it again, it continues from here.
The data is in %[1]s. Delete that directory to start over.
`
