package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

type adminCommand struct {
	Add    adminAddCommand    `cmd:"" help:"Let somebody sign in: a super admin, or the user of some campaigns."`
	Link   adminLinkCommand   `cmd:"" help:"Print a link that signs a user in, once, within ten minutes."`
	List   adminListCommand   `cmd:"" help:"List who may sign in."`
	Reset  adminResetCommand  `cmd:"" help:"Take the passkeys from somebody who has lost them, and end their sessions."`
	Remove adminRemoveCommand `cmd:"" help:"Take the access from somebody, whose sessions end at once."`
}

type adminAddCommand struct {
	Email      string              `arg:"" help:"The address to which links are mailed."`
	Name       string              `help:"How they are called." required:""`
	Campaign   []string            `help:"A campaign of theirs; without any they are a super admin." placeholder:"SLUG"`
	Permission []access.Permission `help:"What they may do with these: content, supporters, money, fulfilment or mails. All where none is said." placeholder:"NAME"`
	Language   string              `help:"Of the mails to them." enum:"en,es" default:"en"`
}

func (c adminAddCommand) act() audit.Act {
	return audit.Act{Action: "user.save", Target: c.Email}
}

func (c adminAddCommand) Run(w *world) error {
	return w.using(c, func(ctx context.Context, a *app.App) error {
		u := access.User{Email: c.Email, Name: c.Name, Role: access.SuperAdmin, Campaigns: c.Campaign, Permissions: c.Permission, Lang: c.Language}
		if len(c.Campaign) > 0 {
			u.Role = access.CampaignUser
		}
		for _, slug := range c.Campaign {
			if _, err := a.Services.Campaigns().Campaign(slug); err != nil {
				return fmt.Errorf("there is no campaign %q", slug)
			}
		}
		u, err := a.Services.Access.Save(ctx, "", u)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s may sign in, as %s. They are mailed how.\n", u.Email, roleOf(u))
		return err
	})
}

type adminLinkCommand struct {
	Email string `arg:"" help:"Of a user."`
}

func (c adminLinkCommand) act() audit.Act {
	return audit.Act{Action: "session.link", Target: c.Email}
}

func (c adminLinkCommand) Run(w *world) error {
	return w.using(c, func(ctx context.Context, a *app.App) error {
		link, err := a.Services.Access.HostLink(ctx, c.Email)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s\nIt works once, within ten minutes, in any browser.\n", link)
		return err
	})
}

type adminListCommand struct{}

func (c adminListCommand) Run(w *world) error {
	return w.using(c, func(ctx context.Context, a *app.App) error {
		all, err := a.Services.Access.Users(ctx)
		if err != nil {
			return err
		}
		t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "ADDRESS\tNAME\tROLE\tMAY\n")
		for _, u := range all {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", u.Email, u.Name, roleOf(u), allowed(u))
		}
		return t.Flush()
	})
}

type adminResetCommand struct {
	Email string `arg:"" help:"Of the user."`
}

func (c adminResetCommand) act() audit.Act {
	return audit.Act{Action: "user.reset_passkeys", Target: c.Email}
}

func (c adminResetCommand) Run(w *world) error {
	return w.using(c, func(ctx context.Context, a *app.App) error {
		if err := a.Services.Access.ResetPasskeys(ctx, "", c.Email); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w.out, "%s has no passkeys and no recovery codes any more, and is signed out.\n", c.Email)
		return err
	})
}

type adminRemoveCommand struct {
	Email string `arg:"" help:"Of the user."`
}

func (c adminRemoveCommand) act() audit.Act {
	return audit.Act{Action: "user.delete", Target: c.Email}
}

func (c adminRemoveCommand) Run(w *world) error {
	return w.using(c, func(ctx context.Context, a *app.App) error {
		if err := a.Services.Access.Remove(ctx, "", c.Email); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w.out, "%s can't sign in any more, and is signed out.\n", c.Email)
		return err
	})
}

// roleOf is a role in words.
func roleOf(u access.User) string {
	if u.Role == access.SuperAdmin {
		return "super admin"
	}
	return "user of " + strings.Join(u.Campaigns, ", ")
}

func allowed(u access.User) string {
	if u.Role == access.SuperAdmin {
		return "everything"
	}
	all := make([]string, 0, len(u.Permissions))
	for _, p := range u.Permissions {
		all = append(all, string(p))
	}
	return strings.Join(all, ", ")
}
