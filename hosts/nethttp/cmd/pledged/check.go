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
	Content string `help:"The content repository; CONTENT_DIR, or the folder one is in." type:"path"`
	Format  string `help:"text, or what is wrong in the content alone as json, or as github: lines that GitHub and Gitea show in a pull request." enum:"text,json,github" default:"text"`
}

// Run prints the configuration as it is understood, and everything that is wrong with it
// and with the content.
func (c checkCommand) Run(w *world) error {
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
		return errors.New("nothing was changed; fix what is listed above and check again")
	}
	_, err = fmt.Fprintf(w.out, "%s and the configuration are in order\n", counted(len(i.catalogue.Campaigns()), "campaign", "campaigns"))
	return err
}

// inspection is what every format of check reports.
type inspection struct {
	cfg       config.Config
	faulty    error // of the configuration
	dir       string
	catalogue *campaign.Catalogue // the campaigns whose files can be used
	problems  campaign.Problems   // of the content
}

// inspect checks the content repository, and makes its site: with the configuration there is, or
// with that of a demo if it cannot be used. Nothing secret is on a page.
func inspect(w *world, folder string) (inspection, error) {
	cfg, dir, faulty := w.load(folder)
	i := inspection{cfg: cfg, faulty: faulty, dir: dir}
	content := os.DirFS(dir)
	var faults config.Faults
	if errors.As(faulty, &faults) && len(faults.WithoutSecrets()) > 0 {
		var err error
		if cfg, err = demoConfig(content); err != nil {
			return i, err
		}
	}
	checked, err := site.Check(site.Options{Content: content, Config: cfg}, shipping.PresetNames(), clock(cfg.Server.ClockOffset)())
	if err != nil {
		return i, err
	}
	i.catalogue, i.problems = checked.Catalogue, checked.Problems
	if len(i.catalogue.Campaigns()) == 0 && len(i.problems) == 0 {
		return i, fmt.Errorf("%s holds no campaigns/*.md; set CONTENT_DIR to the content repository", dir)
	}
	if unreadable(faulty) {
		i.problems = slices.DeleteFunc(i.problems, func(p campaign.Problem) bool { return p.File == config.SiteFile })
	}
	return i, nil
}

// unreadable reports whether the configuration's faults include the site file as a whole.
func unreadable(faulty error) bool {
	return slices.ContainsFunc(problemsOfSite(faulty), func(p campaign.Problem) bool { return p.Field == config.SiteFile })
}

// demoConfig is the configuration of a demo, without the site file if that has faults.
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

// counted is a number of things in words.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
