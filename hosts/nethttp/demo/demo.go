// Package demo shows the service on one machine without any account anywhere:
// the example campaigns, a simulated processor, a clock that can be moved and
// mails on a page. Script tells the whole story by itself.
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
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// Start is the moment at which a new demo begins: 18:00 in Denver, on a day on
// which one example campaign is live, one is about to end and one is to come.
var Start = time.Date(2026, time.November, 21, 1, 0, 0, 0, time.UTC)

const (
	secretsFile = "demo.env"
	clockFile   = "clock.json"
	drainEvery  = 50 * time.Millisecond
	drainLimit  = 100
)

// Options say where a demo lives.
type Options struct {
	Dir     string // keeps everything; a second start continues
	Content fs.FS  // the content repository
	Folder  string // where Content lies, to be watched for changes; "" is not
	Address string // host and port it is reached under, such as 127.0.0.1:8787
	// TrustedHeader, where set, lets a client choose the address it is counted
	// under, as if a proxy stood in front.
	TrustedHeader string
	Log           *slog.Logger
	Version       string
}

// Demo is a demo that is ready to run.
type Demo struct {
	App   *app.App
	Clock *Clock
	Base  string
	dir   string
}

// Open makes the folder, or continues what is in it. Close the App.
func Open(ctx context.Context, o Options) (*Demo, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the demo's folder: %w", err)
	}
	values, err := secrets(filepath.Join(o.Dir, secretsFile))
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
	})
	cfg, err := config.Demo(rand.Reader, o.Content, overrides)
	if err != nil {
		return nil, err
	}
	a, err := app.Open(ctx, app.Options{Config: cfg, Content: o.Content, Folder: o.Folder, Now: clock.Now, Log: o.Log, Version: o.Version})
	if err != nil {
		return nil, err
	}
	return &Demo{App: a, Clock: clock, Base: base, dir: o.Dir}, nil
}

// secrets are drawn once and kept, so that links outlive a restart.
func secrets(file string) (map[string]string, error) {
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
	mailing.Go(func() { d.mail(ctx) })
	err := d.App.Run(ctx, l, d.Handler())
	stop()
	mailing.Wait()
	return err
}

// mail sends what is due at once: nobody at a demo waits a minute.
func (d *Demo) mail(ctx context.Context) {
	tick := time.NewTicker(drainEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_, _ = d.App.Services.Outbox.Drain(context.WithoutCancel(ctx), drainLimit) // the next tick tries again
		}
	}
}

// Handler serves the demo's pages and, behind them, the API.
func (d *Demo) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", d.App.Handler())
	mux.HandleFunc("GET /demo/{$}", d.front)
	mux.HandleFunc("GET /demo/mail", d.mails)
	mux.HandleFunc("GET /demo/events", d.events)
	mux.HandleFunc("GET /demo/clock", d.readClock)
	mux.HandleFunc("POST /demo/clock", d.moveClock)
	return mux
}

// Welcome says what to open and what to type.
func (d *Demo) Welcome(w io.Writer) error {
	_, err := fmt.Fprintf(w, welcome, d.Base, d.dir, settlementSecret(d.App.Config))
	return err
}

// settlementSecret is the one that the settlement routes accept.
func settlementSecret(c config.Config) string {
	if c.Secrets.AdminSettlement.IsSet() {
		return c.Secrets.AdminSettlement.Reveal()
	}
	return c.Secrets.Admin.Reveal()
}

const welcome = `The demo serves three campaigns on a simulated payment processor.

  open      %[1]s/            the site
            %[1]s/demo/       mails, the clock, the processor's books
  data in   %[2]s   (delete it to begin anew)

Type next:

1. Start a checkout. Nothing is charged; the answer holds a sessionId and an orderId.
   curl -s %[1]s/checkout-intent/start -H 'Origin: %[1]s' -H 'Content-Type: application/json' \
     -d '{"campaignSlug":"tidepool-traders","email":"you@example.com","items":[{"id":"tidepool-traders__the-game","quantity":20}],"shippingAddress":{"name":"You","line1":"1 Shore Road","city":"Taos","state":"NM","postalCode":"87571","country":"US"}}'

2. Save a test card, as the supporter would on the processor's page.
   curl -s %[1]s/_sim/complete -d '{"session":"SESSION_ID","card":"4242 4242 4242 4242"}'

3. Read the confirmation and open its link: it shows the pledge and changes nothing.
   %[1]s/demo/mail

4. Move the clock past the deadline.
   curl -s %[1]s/demo/clock -d '{"to":"2026-11-22T08:00:00-07:00"}'

5. Settle. Every supporter of the campaign is charged once.
   curl -s -X POST %[1]s/admin/settle/tidepool-traders -H 'Authorization: Bearer %[3]s'

6. See the charge in the processor's books, and the mail about it.
   curl -s %[1]s/_sim/books

Stop with Ctrl-C; the next start goes on from here.
`
