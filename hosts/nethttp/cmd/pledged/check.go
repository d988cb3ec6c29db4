package main

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/shipping"
)

type checkCommand struct {
	Content string `help:"Content repository. Default: CONTENT_DIR or the current directory." type:"path"`
	Format  string `help:"Output: text, json for problems of the content only, or github for annotations in GitHub and Gitea pull requests." enum:"text,json,github" default:"text"`
}

// Run prints the effective configuration and the problems and warnings of the configuration and the
// content. It fails if there are any problems.
func (c checkCommand) Run(w *environ) error {
	i, err := inspect(w, c.Content)
	if err != nil {
		return err
	}
	if c.Format != "text" {
		return c.annotate(w, i)
	}
	if err := printConfig(w.out, i.cfg); err != nil {
		return err
	}
	for _, warning := range i.cfg.Warnings {
		fmt.Fprintln(w.out, "warning:", warning.Error())
	}
	if kind, _ := i.cfg.Content.Place(); kind == "" {
		fmt.Fprintln(w.out,
			"note: CONTENT_REPOSITORY is not set, so campaigns cannot be edited in the dashboard: set it to git, or to folder for a test")
	}
	for _, p := range i.catalogue.Warnings() {
		fmt.Fprintln(w.out, "warning:", p)
	}
	var broken error
	if len(i.problems) > 0 {
		broken = i.problems
	}
	mute := app.CheckMail(i.cfg)
	for _, part := range []struct {
		title string
		err   error
	}{{"The content has problems", broken}, {"The configuration has problems", errors.Join(i.faulty, mute)}} {
		if part.err != nil {
			fmt.Fprintf(w.err, "%s:\n%s\n\n", part.title, part.err)
		}
	}
	if broken != nil || i.faulty != nil || mute != nil {
		return errors.New("fix the problems listed above and check again; nothing was changed")
	}
	_, err = fmt.Fprintf(w.out, "%s and the configuration are in order\n",
		formatCount(len(i.catalogue.Campaigns()), "campaign", "campaigns"))
	return err
}

// inspection is the result of inspecting the configuration and the content.
type inspection struct {
	cfg       config.Config
	faulty    error // configuration error
	dir       string
	catalogue *campaign.Catalogue // the valid campaigns
	problems  campaign.Problems   // of the content
}

// inspect checks the content repository and builds its site with the current configuration, or with
// a demo configuration if the current one is invalid. Pages contain no secrets.
func inspect(w *environ, folder string) (inspection, error) {
	cfg, dir, faulty := w.load(folder)
	i := inspection{cfg: cfg, faulty: faulty, dir: dir}
	content := os.DirFS(dir)
	var faults config.SettingErrors
	if errors.As(faulty, &faults) && len(faults.WithoutSecrets()) > 0 {
		var err error
		if cfg, err = demoConfig(content); err != nil {
			return i, err
		}
	}
	checked, err := site.Check(site.Options{Content: content, Config: cfg}, shipping.PresetNames(),
		clock(cfg.Server.ClockOffset)())
	if err != nil {
		return i, err
	}
	i.catalogue, i.problems = checked.Catalogue, checked.Problems
	if len(i.catalogue.Campaigns()) == 0 && len(i.problems) == 0 {
		return i, fmt.Errorf("%s contains no campaigns/*.md; set CONTENT_DIR to the content repository", dir)
	}
	if unreadable(faulty) {
		i.problems = slices.DeleteFunc(i.problems, func(p campaign.Problem) bool { return p.File == config.SiteFile })
	}
	return i, nil
}

// unreadable reports whether the site file as a whole is invalid.
func unreadable(faulty error) bool {
	return slices.ContainsFunc(problemsOfSite(faulty), func(p campaign.Problem) bool { return p.Field == config.SiteFile })
}

// demoConfig returns a demo configuration, without the site file if that is invalid.
func demoConfig(content fs.FS) (config.Config, error) {
	cfg, err := config.Demo(rand.Reader, content, nil)
	if err != nil {
		return config.Demo(rand.Reader, nil, nil)
	}
	return cfg, nil
}

func printConfig(out io.Writer, cfg config.Config) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range cfg.Redacted() {
		fmt.Fprintf(table, "%s\t%s\n", e.Variable, cmp.Or(e.Value, "-"))
	}
	fmt.Fprintln(table)
	return table.Flush()
}

// formatCount formats a number with its unit.
func formatCount(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
