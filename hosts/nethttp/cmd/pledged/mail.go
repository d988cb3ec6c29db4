package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/preview"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
)

// mailCommand contains the commands about mails.
type mailCommand struct {
	Show    mailShowCommand    `cmd:"" default:"1" help:"Show how many emails are waiting, and which are stopped."`
	Stop    mailStopCommand    `cmd:"" help:"Stop sending emails: all of them, or one stream."`
	Resume  mailResumeCommand  `cmd:"" help:"Resume sending emails after a stop or a restore."`
	Preview mailPreviewCommand `cmd:"" help:"Write examples of all emails to a directory, as text and HTML, in each language."`
}

type mailPreviewCommand struct {
	Dir     string `arg:"" help:"Output directory; index.html shows all emails." type:"path"`
	Content string `help:"Content repository. Default: CONTENT_DIR or the current directory." type:"path"`
}

// Run writes example mails with the platform's data. It needs no database and no secrets.
func (c mailPreviewCommand) Run(w *environ) error {
	cfg, _, err := w.load(c.Content)
	var faults config.SettingErrors
	if err != nil && !errors.As(err, &faults) {
		return err
	}
	base := cmp.Or(string(cfg.Site.Base), "https://example.org")
	n, err := preview.Write(c.Dir, base,
		mailtext.Platform{Name: cfg.Site.Name, Company: cfg.Site.Company, Address: cfg.Site.PostalAddress})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "Wrote %d emails to %s; open index.html there.\n", n, c.Dir)
	return err
}
