package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/shipping"
)

type checkCommand struct {
	Content string `help:"The content repository; CONTENT_DIR, or the folder one is in." type:"path"`
	Format  string `help:"text, or what is wrong in the content alone as json, or as github: lines that GitHub and Gitea show in a pull request." enum:"text,json,github" default:"text"`
}

// Run prints the configuration as it is understood, and everything that is wrong with it
// and with the content.
func (c checkCommand) Run(w *world) error {
	if c.Format != "text" {
		return c.annotate(w)
	}
	cfg, dir, faulty := w.load(c.Content)
	catalogue, broken := checkContent(dir)
	if broken == nil {
		broken = checkSite(dir, cfg, faulty, catalogue)
	}
	if err := printConfig(w.out, cfg); err != nil {
		return err
	}
	for _, warning := range cfg.Warnings {
		fmt.Fprintln(w.out, "warning:", warning.Error())
	}
	mute := app.CheckMail(cfg)
	for _, part := range []struct {
		title string
		err   error
	}{{"The content has problems", broken}, {"The configuration has problems", errors.Join(faulty, mute)}} {
		if part.err != nil {
			fmt.Fprintf(w.err, "%s:\n%s\n\n", part.title, part.err)
		}
	}
	if broken != nil || faulty != nil || mute != nil {
		return errors.New("nothing was changed; mend what is listed above and check again")
	}
	for _, p := range catalogue.Warnings() {
		fmt.Fprintln(w.out, "warning:", p)
	}
	_, err := fmt.Fprintf(w.out, "%s and the configuration are in order\n", counted(len(catalogue.Campaigns()), "campaign", "campaigns"))
	return err
}

// checkContent reads the content repository and looks for the files that it names.
func checkContent(dir string) (*campaign.Catalogue, error) {
	content := os.DirFS(dir)
	catalogue, err := campaignfile.Load(content)
	if err != nil {
		return nil, err
	}
	if len(catalogue.Campaigns()) == 0 {
		return nil, fmt.Errorf("%s holds no campaigns/*.md; set CONTENT_DIR to the content repository", dir)
	}
	return catalogue, errors.Join(catalogue.Validate(shipping.PresetNames()), catalogue.CheckFiles(content))
}

// checkSite makes the site and forgets it: a damaged picture or a page of the operator's
// is found by that alone. Nothing secret is on a page.
func checkSite(dir string, cfg config.Config, faulty error, catalogue *campaign.Catalogue) error {
	var faults config.Faults
	if errors.As(faulty, &faults) && len(faults.WithoutSecrets()) > 0 {
		return nil // which site would it be?
	}
	b, err := site.New(site.Options{Content: os.DirFS(dir), Config: cfg})
	if err != nil {
		return err
	}
	_, err = b.Build(catalogue, clock(cfg.Server.ClockOffset)())
	return err
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
