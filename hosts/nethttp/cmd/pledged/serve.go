package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// environment is the machine's, with the file .env of the folder below it.
func (w *world) environment() (config.Lookup, error) {
	return config.WithEnvFile(w.lookup, os.DirFS("."))
}

// load reads the configuration; the site file is in the content folder, which
// is CONTENT_DIR where none is named.
func (w *world) load(content string) (cfg config.Config, dir string, err error) {
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

func logger(w io.Writer, c config.Server) *slog.Logger {
	o := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

// open loads the configuration and opens the service.
func (w *world) open() (*app.App, error) {
	cfg, content, err := w.load("")
	if err != nil {
		return nil, fmt.Errorf("the configuration is not usable:\n%w", err)
	}
	log := logger(w.err, cfg.Server)
	for _, warning := range cfg.Warnings {
		log.Warn("configuration", "warning", warning.Error())
	}
	return app.Open(w.ctx, app.Options{
		Config: cfg, Content: os.DirFS(content), Folder: content, Now: clock(cfg.Server.ClockOffset), Log: log, Version: versionText(),
	})
}

func clock(offset time.Duration) func() time.Time {
	if offset == 0 {
		return time.Now
	}
	return func() time.Time { return time.Now().Add(offset) }
}

type serveCommand struct{}

func (serveCommand) Run(w *world) error {
	a, err := w.open()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(w.ctx, "tcp", a.Config.Server.Listen)
	if err != nil {
		return errors.Join(err, a.Close())
	}
	fmt.Fprintf(w.out, "listening on http://%s\n", listener.Addr())
	return errors.Join(a.Run(w.ctx, listener, a.Handler()), a.Close())
}

// using opens the service for one command.
func (w *world) using(do func(ctx context.Context, a *app.App) error) error {
	a, err := w.open()
	if err != nil {
		return err
	}
	return errors.Join(do(w.ctx, a), a.Close())
}
