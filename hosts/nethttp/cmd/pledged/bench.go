//go:build !demo

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/bench"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

type benchCommand struct {
	What      []string      `arg:"" optional:"" enum:"pledge,read,modify,settle" help:"What is measured, one after the other: pledge, read, modify, settle. Pledge, read and modify where nothing is said."`
	Rate      float64       `help:"How many begin a second; 0 is as many as the clients manage." default:"0"`
	Clients   int           `help:"How many go on at a time." default:"64"`
	For       time.Duration `help:"How long each takes." default:"20s"`
	Count     int           `help:"How many at most; 0 is no bound."`
	Every     int           `help:"Say after so many how many a second were done since; 0 is never."`
	Servers   int           `help:"How many servers are started; several need DATABASE_URL." default:"1"`
	Campaigns int           `help:"How many campaigns share the load." default:"1"`
	Limit     int           `help:"How many requests a second the processor takes while settle runs; 0 is as many as come."`
	Kill      time.Duration `help:"Kill a server after this time of settle, and the next one after the same again."`
	URL       []string      `help:"Servers that run already, in test mode and on a simulated processor; the environment is theirs."`
	Processor string        `help:"The simulated processor of those servers, such as http://127.0.0.1:8790."`
	Campaign  []string      `help:"The campaigns of those servers, each with a tier that may be stacked."`
	Tier      string        `help:"That tier." default:"seat"`
	SVG       string        `help:"A file for a plot of the latencies." type:"path"`
}

// Run measures servers of its own, or those that are named.
func (c benchCommand) Run(w *world) error {
	if len(c.What) == 0 {
		c.What = []string{"pledge", "read", "modify"}
	}
	target, own, err := c.target(w)
	if err != nil {
		return err
	}
	results, err := c.measure(w, target, own)
	if own != nil {
		err = errors.Join(err, own.Close())
	}
	if len(results) > 0 {
		err = errors.Join(err, bench.Table(w.out, results...), c.plot(results))
	}
	return err
}

func (c benchCommand) target(w *world) (*bench.Target, *bench.Servers, error) {
	if len(c.URL) > 0 {
		t, err := c.running(w)
		return t, nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	lookup, err := w.environment()
	if err != nil {
		return nil, nil, err
	}
	database, _ := lookup("DATABASE_URL")
	own, err := bench.Start(w.ctx, bench.ServersOptions{Program: program, Servers: c.Servers, Campaigns: c.Campaigns, DatabaseURL: database, Log: w.err})
	if err != nil {
		return nil, nil, err
	}
	return own.Target, own, nil
}

// running are servers of somebody else's, whose secrets are in the environment.
func (c benchCommand) running(w *world) (*bench.Target, error) {
	if c.Processor == "" || len(c.Campaign) == 0 {
		return nil, errors.New("--url needs --processor and --campaign")
	}
	cfg, _, err := w.load("")
	if err != nil {
		return nil, fmt.Errorf("the configuration is not usable:\n%w", err)
	}
	t := &bench.Target{
		URLs: c.URL, Origin: string(cfg.Site.Base), Campaigns: c.Campaign, Tier: c.Tier, ClientHeader: cfg.Server.TrustedProxyHeader,
		Signature: bench.Signature, Secret: cfg.PSPWebhookSecret().Reveal(), Links: token.Signer{Secret: []byte(cfg.Secrets.MagicLink.Reveal())},
		Client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: c.Clients}, Timeout: time.Minute},
	}
	t.SaveCard = func(ctx context.Context, id string) error { return c.saveCard(ctx, t.Client, id) }
	return t, nil
}

func (c benchCommand) saveCard(ctx context.Context, client *http.Client, session string) error {
	body, err := json.Marshal(map[string]string{"session": session, "card": sim.CardOK})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Processor+"/_sim/complete", bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the simulated processor answered %d", res.StatusCode)
	}
	return errors.Join(err, res.Body.Close())
}

func (c benchCommand) measure(w *world, t *bench.Target, own *bench.Servers) (results []*bench.Result, err error) {
	load := bench.Load{Rate: c.Rate, Clients: c.Clients, For: c.For, Count: c.Count, Every: c.Every}
	for _, what := range c.What {
		load.Report = func(done int64, perSecond float64) {
			fmt.Fprintf(w.out, "%s: %d done, %.1f a second\n", what, done, perSecond)
		}
		switch what {
		case "pledge":
			results = append(results, load.Run(w.ctx, what, t.Pledge))
		case "read":
			results = append(results, load.Run(w.ctx, what, t.Read))
		case "modify":
			results = append(results, load.Run(w.ctx, what, t.Modify))
		case "settle":
			if own == nil {
				return results, errors.New("settle moves clocks, and takes servers of its own: leave --url out")
			}
			if err := c.settle(w, own); err != nil {
				return results, err
			}
		}
	}
	return results, nil
}

// away is how long a killed server stays away: the others know it by then.
const away = 30 * time.Second

func (c benchCommand) settle(w *world, own *bench.Servers) error {
	report := func(charged int, perSecond float64) {
		fmt.Fprintf(w.out, "settle: %d charged, %.1f a second\n", charged, perSecond)
	}
	s, err := own.Settle(w.ctx, bench.Settling{Supporters: own.Made(), Limit: c.Limit, Kill: c.Kill, Away: away, Report: report})
	fmt.Fprintf(w.out, "settle: %d supporters charged in %s, %.1f a second; %d kills, %d requests over the limit\n",
		s.Charges, s.Took.Round(time.Millisecond), float64(s.Charges)/s.Took.Seconds(), s.Kills, s.Refused)
	return err
}

func (c benchCommand) plot(results []*bench.Result) error {
	if c.SVG == "" {
		return nil
	}
	f, err := os.Create(c.SVG)
	if err != nil {
		return err
	}
	return errors.Join(bench.Plot(f, results...), f.Close())
}
