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

// load reads the configuration. The content folder is where the site file is.
func (w *world) load() (config.Config, error) {
	content, err := w.contentDir()
	if err != nil {
		return config.Config{}, err
	}
	lookup, err := config.WithEnvFile(w.lookup, os.DirFS("."))
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(config.SecretFiles(lookup, os.ReadFile), os.DirFS(content))
}

// contentDir is CONTENT_DIR, which has to be known before the site file in it
// can be read.
func (w *world) contentDir() (string, error) {
	lookup, err := config.WithEnvFile(w.lookup, os.DirFS("."))
	if err != nil {
		return "", err
	}
	if dir, _ := lookup("CONTENT_DIR"); dir != "" {
		return dir, nil
	}
	return ".", nil
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
	cfg, err := w.load()
	if err != nil {
		return nil, fmt.Errorf("the configuration is not usable:\n%w", err)
	}
	log := logger(w.err, cfg.Server)
	for _, warning := range cfg.Warnings {
		log.Warn("configuration", "warning", warning.Error())
	}
	return app.Open(w.ctx, app.Options{
		Config: cfg, Content: os.DirFS(cfg.Server.ContentDir), Now: clock(cfg.Server.ClockOffset), Log: log, Version: versionText(),
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
