package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// environment returns the process environment with the .env file of the working directory.
func (w *environ) environment() (config.Lookup, error) {
	return config.WithEnvFile(w.lookup, os.DirFS("."))
}

// load loads the configuration with the site file in the content directory, which defaults to
// CONTENT_DIR.
func (w *environ) load(content string) (cfg config.Config, dir string, err error) {
	lookup, err := w.environment()
	if err != nil {
		return config.Config{}, content, err
	}
	dir = content
	if dir == "" {
		dir, _ = lookup("CONTENT_DIR")
	}
	if dir == "" {
		dir = "."
	}
	cfg, err = config.Load(config.SecretFiles(lookup, os.ReadFile), os.DirFS(dir))
	return cfg, dir, err
}

// reload reports whether the configuration is valid with other site settings. It changes nothing.
func (w *environ) reload(site fs.FS) error {
	lookup, err := w.environment()
	if err == nil {
		_, err = config.Load(config.SecretFiles(lookup, os.ReadFile), site)
	}
	return err
}

func logger(w io.Writer, c config.Server) *slog.Logger {
	o := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

// open loads the configuration and opens the service.
func (w *environ) open() (*app.App, error) {
	cfg, content, err := w.load("")
	if err != nil {
		return nil, fmt.Errorf("invalid configuration:\n%w", err)
	}
	log := logger(w.err, cfg.Server)
	for _, warning := range cfg.Warnings {
		log.Warn("configuration", "warning", warning.Error())
	}
	return app.Open(w.ctx, app.Options{
		Config: cfg, Content: os.DirFS(content), Folder: content, Load: w.reload,
		Now: clock(cfg.Server.ClockOffset), Log: log, Version: versionText(),
	})
}

func clock(offset time.Duration) func() time.Time {
	if offset == 0 {
		return time.Now
	}
	return func() time.Time { return time.Now().Add(offset) }
}

type serveCommand struct{}

func (serveCommand) Run(w *environ) error {
	a, err := w.open()
	if err != nil {
		return err
	}
	return errors.Join(w.serve(a), a.Close())
}

func (w *environ) serve(a *app.App) error {
	l, err := listen(w.ctx, a.Config.Server.Listen, "LISTEN")
	if err != nil {
		return err
	}
	stop, err := acceptCommands(a, "http://"+l.Addr().String())
	if err != nil {
		return errors.Join(fmt.Errorf("listening for commands in the data directory: %w", err), l.Close())
	}
	fmt.Fprintf(w.out, "Listening on http://%s\n", l.Addr())
	w.printAddresses(a)
	if a.Sim != nil {
		fmt.Fprintf(w.out,
			"Test mode: no real money. Pledge with card 4242 4242 4242 4242. Emails are files in %s; super admins read them at %s%s.\n",
			a.Mails.Dir, a.Config.Site.Base, app.TestMailPath)
	}
	return errors.Join(a.Run(w.ctx, l, a.Handler()), stop())
}

// printAddresses prints the URLs of the site and the dashboard. If the dashboard has no users, it
// also prints a new link that creates the first super admin.
func (w *environ) printAddresses(a *app.App) {
	fmt.Fprintf(w.out, "Site       %s/\nDashboard  %s/admin/\n", a.Config.Site.Base, a.Config.Site.Base)
	link, err := a.Services.Access.SetupLink(w.ctx)
	if err != nil {
		fmt.Fprintf(w.err, "Could not check whether the dashboard has users: %s\n", err)
	}
	if link != "" {
		fmt.Fprintf(w.out,
			"Set up     %s\n           Open this link to become the first super admin. It works once, within 24 hours.\n", link)
	}
}

// listen opens a listener. Its errors name the setting that contains the address.
func listen(ctx context.Context, address, setting string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil,
			fmt.Errorf("%s: %s is used by another program: stop that program or choose another port", setting, address)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot listen on %s: %w", setting, address, err)
	}
	return l, nil
}
