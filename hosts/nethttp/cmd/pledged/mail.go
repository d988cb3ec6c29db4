package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/preview"
	"github.com/pledgeworks/pledgeworks/notify"
)

// mailCommand is about the mails themselves.
type mailCommand struct {
	Show    mailShowCommand    `cmd:"" default:"1" help:"Show how many mails wait, and what is stopped."`
	Stop    mailStopCommand    `cmd:"" help:"Keep mails in the outbox: all of them, or one stream."`
	Resume  mailResumeCommand  `cmd:"" help:"Send mails again after a stop or a restore."`
	Preview mailPreviewCommand `cmd:"" help:"Write every kind of mail to a folder, as text and as HTML, in each language."`
}

type mailPreviewCommand struct {
	Dir     string `arg:"" help:"The folder; index.html in it shows them all." type:"path"`
	Content string `help:"The content repository; CONTENT_DIR, or the folder one is in." type:"path"`
}

// Run writes the mails with what they say of the platform. They are about a pledge that
// nobody made, so that it takes no database and no secret.
func (c mailPreviewCommand) Run(w *world) error {
	cfg, _, err := w.load(c.Content)
	var faults config.Faults
	if err != nil && !errors.As(err, &faults) {
		return err
	}
	base := cmp.Or(string(cfg.Site.Base), "https://example.org")
	n, err := preview.Write(c.Dir, base, notify.Platform{Name: cfg.Site.Name, Company: cfg.Site.Company, Address: cfg.Site.PostalAddress})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "Wrote %d mails to %s; open index.html there.\n", n, c.Dir)
	return err
}
