package main

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/notify"
)

type mailShowCommand struct{}

func (c mailShowCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		n, err := a.Services.Outbox.Waiting(ctx)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w.out, "Waiting mails    %d\n", n); err != nil {
			return err
		}
		for _, stream := range []notify.Stream{"", notify.Transactional, notify.Reminders, notify.Updates} {
			why, err := a.Services.Outbox.Switch().StopRecord(ctx, stream)
			if err != nil {
				return err
			}
			if why == nil {
				continue
			}
			if _, err := fmt.Fprintf(w.out, "%-15s  stopped since %s: %s\n", named(stream),
				why.Since.UTC().Format(time.RFC3339), why.Reason); err != nil {
				return err
			}
		}
		return nil
	})
}

func named(s notify.Stream) string {
	if s == "" {
		return "all"
	}
	return string(s)
}

// mails describes the mails of a stream, or all mails, for messages.
func mails(s notify.Stream) string {
	if s == "" {
		return "Mails"
	}
	return "Mails of the stream " + string(s)
}

type mailStopCommand struct {
	Reason string        `arg:"" help:"Reason, shown to other operators."`
	Stream notify.Stream `help:"Stream to stop: transactional, reminder or update. Default: all mails."`
}

func (c mailStopCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		s, err := a.Services.Outbox.Switch().Stop(ctx, c.Stream, c.Reason)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s have been stopped since %s: %s\n", mails(c.Stream),
			s.Since.UTC().Format(time.RFC3339), s.Reason)
		return err
	})
}

type mailResumeCommand struct {
	Stream notify.Stream `help:"Stream to resume: transactional, reminder or update. Default: ends a stop of all mails."`
}

func (c mailResumeCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		was, err := a.Services.Outbox.Switch().Resume(ctx, c.Stream)
		if err != nil {
			return err
		}
		if was == nil {
			_, err = fmt.Fprintf(w.out, "%s were not stopped.\n", mails(c.Stream))
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s are sent again. They had been stopped since %s: %s\n",
			mails(c.Stream), was.Since.UTC().Format(time.RFC3339), was.Reason)
		return err
	})
}
