// Bench measures the throughput and latencies of pledged servers, which it starts for the
// measurement, or of servers that are already running. It is a tool for developers and not part of
// pledged.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/bench"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c command
	parser, err := kong.New(&c, kong.Name("bench"), kong.UsageOnError(),
		kong.Description("Measure throughput and latencies of pledged servers."))
	if err == nil {
		_, err = parser.Parse(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	if err := c.run(environ{ctx: ctx, out: os.Stdout, err: os.Stderr}); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

// environ is the environment of a run.
type environ struct {
	ctx      context.Context
	out, err io.Writer
}

type command struct {
	What      []string      `arg:"" optional:"" enum:"pledge,read,modify,settle" help:"Measurements to run in order: pledge, read, modify, settle; by default the first three."`
	Program   string        `help:"Path of pledged." default:"pledged"`
	Rate      float64       `help:"Operations started per second; 0 means as many as the clients can do." default:"0"`
	Clients   int           `help:"Concurrent operations." default:"64"`
	For       time.Duration `help:"Duration of each measurement." default:"20s"`
	Count     int           `help:"Maximum number of operations; 0 means no limit."`
	Every     int           `help:"Print the rate after this number of operations; 0 means never."`
	Servers   int           `help:"Number of servers to start; several need DATABASE_URL." default:"1"`
	Campaigns int           `help:"Number of campaigns that share the load." default:"1"`
	Limit     int           `help:"Processor's rate limit during settle, in requests per second; 0 means none."`
	Kill      time.Duration `help:"During settle, kill one server after another at this interval."`
	URL       []string      `help:"Running servers in test mode with a simulated processor; uses their environment."`
	Processor string        `help:"Simulated processor of these servers, such as http://127.0.0.1:8790."`
	Campaign  []string      `help:"Campaigns of these servers, each with a stackable tier."`
	Tier      string        `help:"ID of the tier." default:"seat"`
	SVG       string        `help:"File for a plot of the latencies." type:"path"`
}

// run measures servers that it starts, or the given ones.
func (c command) run(w environ) error {
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

func (c command) target(w environ) (*bench.Target, *bench.Servers, error) {
	if len(c.URL) > 0 {
		t, err := c.running()
		return t, nil, err
	}
	lookup, err := config.WithEnvFile(os.LookupEnv, os.DirFS("."))
	if err != nil {
		return nil, nil, err
	}
	database, _ := lookup("DATABASE_URL")
	own, err := bench.Start(w.ctx, bench.ServersOptions{Program: c.Program, Servers: c.Servers,
		Campaigns: c.Campaigns, DatabaseURL: database, Log: w.err})
	if err != nil {
		return nil, nil, err
	}
	return own.Target, own, nil
}

// running returns a target for servers that are already running, whose secrets are in the
// environment.
func (c command) running() (*bench.Target, error) {
	if c.Processor == "" || len(c.Campaign) == 0 {
		return nil, errors.New("--url needs --processor and --campaign")
	}
	cfg, err := loadConfig()
	if err != nil {
		return nil, fmt.Errorf("invalid configuration:\n%w", err)
	}
	t := &bench.Target{
		URLs: c.URL, Origin: string(cfg.Site.Base), Campaigns: c.Campaign, Tier: c.Tier,
		ClientHeader: cfg.Server.TrustedProxyHeader,
		Signature:    bench.Signature, Secret: cfg.PSPWebhookSecret().Reveal(),
		Links:  token.Signer{Secret: []byte(cfg.Secrets.MagicLink.Reveal())},
		Client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: c.Clients}, Timeout: time.Minute},
	}
	t.SaveCard = func(ctx context.Context, id string) error { return c.saveCard(ctx, t.Client, id) }
	return t, nil
}

// loadConfig loads the configuration of the running servers from the environment, the .env file of
// the working directory, and the site file in CONTENT_DIR.
func loadConfig() (config.Config, error) {
	lookup, err := config.WithEnvFile(os.LookupEnv, os.DirFS("."))
	if err != nil {
		return config.Config{}, err
	}
	content, _ := lookup("CONTENT_DIR")
	return config.Load(config.SecretFiles(lookup, os.ReadFile), os.DirFS(cmp.Or(content, ".")))
}

func (c command) saveCard(ctx context.Context, client *http.Client, session string) error {
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
		err = fmt.Errorf("the simulated processor returned status %d", res.StatusCode)
	}
	return errors.Join(err, res.Body.Close())
}

func (c command) measure(w environ, t *bench.Target, own *bench.Servers) (results []*bench.Result, err error) {
	load := bench.Load{Rate: c.Rate, Clients: c.Clients, For: c.For, Count: c.Count, Every: c.Every}
	for _, what := range c.What {
		load.Report = func(done int64, perSecond float64) {
			fmt.Fprintf(w.out, "%s: %d done, %.1f per second\n", what, done, perSecond)
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
				return results, errors.New("settle moves clocks and needs its own servers: omit --url")
			}
			if err := c.settle(w, own); err != nil {
				return results, err
			}
		}
	}
	return results, nil
}

// away is how long a killed server stays down: long enough for the others to remove it from the
// cluster.
const away = 30 * time.Second

func (c command) settle(w environ, own *bench.Servers) error {
	report := func(charged int, perSecond float64) {
		fmt.Fprintf(w.out, "settle: %d charged, %.1f per second\n", charged, perSecond)
	}
	s, err := own.Settle(w.ctx,
		bench.Settling{Supporters: own.Made(), Limit: c.Limit, Kill: c.Kill, Away: away, Report: report})
	fmt.Fprintf(w.out, "settle: %d supporters charged in %s, %.1f per second; %d kills, %d requests over the limit\n",
		s.Charges, s.Took.Round(time.Millisecond), float64(s.Charges)/s.Took.Seconds(), s.Kills, s.Refused)
	return err
}

func (c command) plot(results []*bench.Result) error {
	if c.SVG == "" {
		return nil
	}
	f, err := os.Create(c.SVG)
	if err != nil {
		return err
	}
	return errors.Join(bench.Plot(f, results...), f.Close())
}
