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
		if _, err := fmt.Fprintf(w.out, "Waiting emails   %d\n", n); err != nil {
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

// describeStream returns the subject of a message about the emails of a stream, or about all
// emails.
func describeStream(s notify.Stream) string {
	if s == "" {
		return "Emails"
	}
	return "Emails of the stream " + string(s)
}

type mailStopCommand struct {
	Reason string        `arg:"" help:"Reason, shown to other operators."`
	Stream notify.Stream `help:"Stream to stop: transactional, reminder or update. Default: all emails."`
}

func (c mailStopCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		s, err := a.Services.Outbox.Switch().Stop(ctx, c.Stream, c.Reason)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s have been stopped since %s: %s\n", describeStream(c.Stream),
			s.Since.UTC().Format(time.RFC3339), s.Reason)
		return err
	})
}

type mailResumeCommand struct {
	Stream notify.Stream `help:"Stream to resume: transactional, reminder or update. Default: ends a stop of all emails."`
}

func (c mailResumeCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		was, err := a.Services.Outbox.Switch().Resume(ctx, c.Stream)
		if err != nil {
			return err
		}
		if was == nil {
			_, err = fmt.Fprintf(w.out, "%s were not stopped.\n", describeStream(c.Stream))
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s are sent again. They had been stopped since %s: %s\n",
			describeStream(c.Stream), was.Since.UTC().Format(time.RFC3339), was.Reason)
		return err
	})
}
