// Command pspsim runs the simulated processor in its own process, so that its state survives
// restarts of the server under test.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "pspsim:", err)
		os.Exit(1)
	}
}

type flags struct {
	addr, mode, state, vendor, hookURL, hookSecret string
	seed                                           uint64
	limits                                         bool
}

func parse(args []string) (f flags, err error) {
	set := flag.NewFlagSet("pspsim", flag.ContinueOnError)
	set.StringVar(&f.addr, "addr", "127.0.0.1:8422", "loopback `address` to listen on")
	set.StringVar(&f.mode, "mode", "test", "API `mode`, test or live")
	set.StringVar(&f.state, "state", "", "`file` in which to store the state between runs")
	set.StringVar(&f.vendor, "vendor", "", "vendor `prefix` of header names, as the client library spells it")
	set.StringVar(&f.hookURL, "webhook-url", "", "`URL` to which to deliver webhooks")
	set.StringVar(&f.hookSecret, "webhook-secret", "", "`secret` with which to sign webhooks")
	set.Uint64Var(&f.seed, "seed", 0, "`seed` for identifiers and random faults")
	set.BoolVar(&f.limits, "limits", true, "limit the request rate as the processor does")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	switch {
	case set.NArg() > 0:
		return f, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case f.mode != string(psp.Test) && f.mode != string(psp.Live):
		return f, fmt.Errorf("-mode must be test or live, not %q", f.mode)
	case (f.hookURL == "") != (f.hookSecret == ""):
		return f, errors.New("-webhook-url and -webhook-secret must be set together")
	}
	return f, loopback(f.addr)
}

// loopback rejects addresses that are reachable from other machines, because the
// controls require no credentials.
func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("-addr: %s is not a loopback address", host)
	}
	return nil
}

func run(ctx context.Context, args []string) error {
	f, err := parse(args)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	base := "http://" + l.Addr().String()
	s := sim.New(sim.Options{Mode: psp.Mode(f.mode), Now: time.Now, Seed: f.seed, BaseURL: base, NoLimits: !f.limits,
		WebhookURL: f.hookURL, WebhookSecret: f.hookSecret})
	if err := load(s, f.state); err != nil {
		return err
	}
	fmt.Println(base)
	o := simhttp.Options{Vendor: f.vendor}
	if err := serve(ctx, l, s, o); err != nil {
		return err
	}
	return save(s, f.state)
}

// serve handles requests until ctx ends and the last responses are sent.
func serve(ctx context.Context, l net.Listener, s *sim.Sim, o simhttp.Options) error {
	srv := &http.Server{Handler: simhttp.NewHandler(s, o), ReadHeaderTimeout: 10 * time.Second}
	pump := simhttp.Pump{Sim: s, Client: &http.Client{Timeout: 10 * time.Second}, Options: o}
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		pump.Run(ctx, time.Second)
	}()
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	<-pumped
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		return srv.Close()
	}
	return nil
}

func load(s *sim.Sim, file string) error {
	if file == "" {
		return nil
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.Restore(b); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// save writes to a temporary file and renames it, so that a partial snapshot
// never has the final name.
func save(s *sim.Sim, file string) error {
	if file == "" {
		return nil
	}
	b, err := s.Snapshot()
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
