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
	Add    adminAddCommand    `cmd:"" help:"Add a user: a super admin, or a user of some campaigns."`
	Link   adminLinkCommand   `cmd:"" help:"Print a single-use sign-in link that is valid for ten minutes."`
	List   adminListCommand   `cmd:"" help:"List the users."`
	Reset  adminResetCommand  `cmd:"" help:"Remove a user's lost passkeys and end their sessions."`
	Remove adminRemoveCommand `cmd:"" help:"Remove a user and end their sessions."`
}

type adminAddCommand struct {
	Email      string              `arg:"" help:"Email address for sign-in links."`
	Name       string              `help:"Display name." required:""`
	Campaign   []string            `help:"Campaign that the user can access; without any, the user is a super admin." placeholder:"SLUG"`
	Permission []access.Permission `help:"Permission for these campaigns: content, supporters, money, fulfilment or mails. Default: all." placeholder:"NAME"`
	Language   string              `help:"Language of emails to the user." enum:"en,es" default:"en"`
}

func (c adminAddCommand) act() audit.Act {
	return audit.Act{Action: "user.save", Target: c.Email}
}

func (c adminAddCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		u := access.User{Email: c.Email, Name: c.Name, Role: access.SuperAdmin, Campaigns: c.Campaign,
			Permissions: c.Permission, Lang: c.Language}
		if len(c.Campaign) > 0 {
			u.Role = access.CampaignUser
		}
		for _, slug := range c.Campaign {
			if _, err := a.Services.Campaigns().Campaign(slug); err != nil {
				return fmt.Errorf("unknown campaign %q", slug)
			}
		}
		u, err := a.Services.Access.Save(ctx, "", u)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "Added %s as %s. An invitation will be emailed to them.\n", u.Email, roleOf(u))
		return err
	})
}

type adminLinkCommand struct {
	Email string `arg:"" help:"Email address of the user."`
}

func (c adminLinkCommand) act() audit.Act {
	return audit.Act{Action: "session.link", Target: c.Email}
}

func (c adminLinkCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		link, err := a.Services.Access.HostLink(ctx, c.Email)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s\nThe link works once, within ten minutes, in any browser.\n", link)
		return err
	})
}

type adminListCommand struct{}

func (c adminListCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		all, err := a.Services.Access.Users(ctx)
		if err != nil {
			return err
		}
		t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "ADDRESS\tNAME\tROLE\tPERMISSIONS\n")
		for _, u := range all {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", u.Email, u.Name, roleOf(u), formatPermissions(u))
		}
		return t.Flush()
	})
}

type adminResetCommand struct {
	Email string `arg:"" help:"Email address of the user."`
}

func (c adminResetCommand) act() audit.Act {
	return audit.Act{Action: "user.reset_passkeys", Target: c.Email}
}

func (c adminResetCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		if err := a.Services.Access.ResetPasskeys(ctx, "", c.Email); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w.out, "Removed all passkeys and recovery codes of %s and ended their sessions.\n", c.Email)
		return err
	})
}

type adminRemoveCommand struct {
	Email string `arg:"" help:"Email address of the user."`
}

func (c adminRemoveCommand) act() audit.Act {
	return audit.Act{Action: "user.delete", Target: c.Email}
}

func (c adminRemoveCommand) Run(w *environ) error {
	return w.withService(c, func(ctx context.Context, a *app.App) error {
		if err := a.Services.Access.Remove(ctx, "", c.Email); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w.out, "Removed %s and ended their sessions.\n", c.Email)
		return err
	})
}

// roleOf describes a user's role.
func roleOf(u access.User) string {
	if u.Role == access.SuperAdmin {
		return "super admin"
	}
	return "user of " + strings.Join(u.Campaigns, ", ")
}

func formatPermissions(u access.User) string {
	if u.Role == access.SuperAdmin {
		return "everything"
	}
	all := make([]string, 0, len(u.Permissions))
	for _, p := range u.Permissions {
		all = append(all, string(p))
	}
	return strings.Join(all, ", ")
}
