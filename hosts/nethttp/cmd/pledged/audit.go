package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// actor is a command that changes something. act describes the change for the audit log; an empty
// Action means that this run changes nothing.
type actor interface{ act() audit.Act }

func (c settleCommand) act() audit.Act {
	if c.DryRun {
		return audit.Act{}
	}
	return audit.Act{Action: "settlement.run", CampaignSlug: c.Slug}
}

func (c stopCommand) act() audit.Act {
	if c.Restored {
		return audit.Act{Action: "settlement.stop", Reason: "the database was restored"}
	}
	return audit.Act{Action: "settlement.stop", Reason: c.Reason}
}

func (c resumeCommand) act() audit.Act {
	return audit.Act{Action: "settlement.resume", Reason: c.Anyway}
}

func (c rebuildCommand) act() audit.Act {
	return audit.Act{Action: "projections.rebuild", CampaignSlug: c.Slug}
}

func (c cancelCommand) act() audit.Act {
	return audit.Act{Action: "pledge.cancel", OrderID: c.Pledge}
}

func (c linksCommand) act() audit.Act { return audit.Act{Action: "links.send"} }

func (c mailStopCommand) act() audit.Act {
	return audit.Act{Action: "mail.stop", Reason: c.Reason}
}

func (c mailResumeCommand) act() audit.Act { return audit.Act{Action: "mail.resume"} }

func (c refundCommand) act() audit.Act {
	if c.changesNothing() {
		return audit.Act{}
	}
	action := "refund.grant"
	switch {
	case c.Confirm != "":
		action = "refund.confirm"
	case c.Withdraw != "":
		action = "refund.withdraw"
	case c.Repaid != "":
		action = "refund.repaid"
	}
	return audit.Act{Action: action, CampaignSlug: c.Slug, OrderID: c.Pledge, Reason: c.Reason}
}

func (c refundAllCommand) act() audit.Act {
	action := "refund.run_changed"
	switch {
	case c.changesNothing():
		return audit.Act{}
	case c.Start:
		action = "refund.run"
	}
	return audit.Act{Action: action, CampaignSlug: c.Slug, Reason: c.Reason}
}

func (c resolveCommand) act() audit.Act {
	if c.Group == "" {
		return audit.Act{}
	}
	return audit.Act{Action: "charge.resolve", CampaignSlug: c.Slug}
}

func (c termsCommand) act() audit.Act {
	if c.Pledge == "" {
		return audit.Act{}
	}
	return audit.Act{Action: "terms.accept", CampaignSlug: c.Slug, OrderID: c.Pledge, Reason: c.Charge}
}

func (c reopenCommand) act() audit.Act {
	return audit.Act{Action: "settlement.reopen", CampaignSlug: c.Slug, Reason: c.Reason}
}

func (c recoverCommand) act() audit.Act {
	if c.Ask {
		return audit.Act{Action: "order.ask"}
	}
	return audit.Act{Action: "order.adopt"}
}

// runRecorded runs a command. If the command is an actor, it also records the act in the audit log.
func (w *environ) runRecorded(a *app.App, command runner, do func(ctx context.Context, a *app.App) error) error {
	run := func() error { return do(w.ctx, a) }
	c, changes := command.(actor)
	if !changes {
		return run()
	}
	return w.record(w.ctx, a, c.act(), run)
}

// record runs an act of the program's user and records it. An act without an Action is only run.
func (w *environ) record(ctx context.Context, a *app.App, act audit.Act, run func() error) error {
	if act.Action == "" {
		return run()
	}
	act.Source, act.AdminRole = "command line", "host"
	if key, _ := w.lookup("OPERATOR_KEY"); key != "" {
		if name, err := a.Services.Operator(key); err == nil {
			act.AdminEmail, act.AdminRole = name, "operator"
		}
	}
	return a.Services.Audit.Do(ctx, act, run)
}

type auditCommand struct {
	List   auditListCommand   `cmd:"" help:"Print the operators' actions, newest first."`
	Verify auditVerifyCommand `cmd:"" help:"Verify that no event was altered or removed."`
}

type auditListCommand struct {
	Action   string    `help:"Action, such as settlement.stop."`
	Admin    string    `help:"Email address or name of the operator, exact match."`
	Campaign string    `help:"The campaign's slug."`
	From     time.Time `format:"2006-01-02" help:"First day, in UTC."`
	To       time.Time `format:"2006-01-02" help:"Last day, in UTC."`
	Text     string    `help:"Text contained in any field."`
	Limit    int       `help:"Maximum number of events." default:"50"`
	CSV      bool      `help:"Print CSV." name:"csv"`
}

func (c auditListCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		f := audit.Filter{Action: c.Action, AdminEmail: c.Admin, CampaignSlug: c.Campaign,
			From: c.From, To: c.To, Text: c.Text}
		if !f.To.IsZero() {
			f.To = f.To.AddDate(0, 0, 1)
		}
		var all []audit.Event
		for cursor := 0; len(all) < c.Limit; {
			page, err := a.Services.Audit.Search(ctx, f, cursor, min(c.Limit-len(all), audit.MaxPage))
			if err != nil {
				return err
			}
			all = append(all, page.Events...)
			if cursor = page.Next; cursor == 0 {
				break
			}
		}
		if c.CSV {
			return audit.WriteCSV(w.out, func(yield func(audit.Event, error) bool) {
				for _, e := range all {
					if !yield(e, nil) {
						return
					}
				}
			})
		}
		return printEvents(w, all)
	})
}

func printEvents(w *environ, all []audit.Event) error {
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "NUMBER\tTIME\tACTION\tOPERATOR\tSUBJECT\tRESULT\tREASON\n")
	for _, e := range all {
		who, about := e.AdminRole, e.CampaignSlug
		if e.AdminEmail != "" {
			who = e.AdminEmail
		}
		if e.OrderID != "" {
			about = strings.TrimSpace(about + " " + e.OrderID)
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Number, e.At.UTC().Format(time.RFC3339), e.Action,
			who, about, strings.TrimSpace(string(e.Status)+" "+e.Code), e.Reason)
	}
	return t.Flush()
}

type auditVerifyCommand struct {
	Head string `help:"Head that verify or the log printed earlier." placeholder:"NUMBER:HASH"`
}

// Run fails if the log is incomplete or altered.
func (c auditVerifyCommand) Run(w *environ) error {
	noted, err := parseHead(c.Head)
	if err != nil {
		return err
	}
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		v, err := a.Services.Audit.Verify(ctx, noted)
		if err != nil {
			return err
		}
		if v.Broken != "" {
			return errors.New("the audit log is broken: " + v.Broken)
		}
		_, err = fmt.Fprintf(w.out, "Verified %d events. Store the head in another place: %d:%s\n",
			v.Events, v.Head.Number, v.Head.Hash)
		return err
	})
}

func parseHead(text string) (h audit.Head, err error) {
	if text == "" {
		return h, nil
	}
	number, hash, ok := strings.Cut(text, ":")
	if h.Number, err = strconv.Atoi(number); err != nil || !ok || h.Number < 1 || hash == "" {
		return h, fmt.Errorf("--head %s: use a number and a hash, such as 12:9f86d0…", text)
	}
	h.Hash = hash
	return h, nil
}
