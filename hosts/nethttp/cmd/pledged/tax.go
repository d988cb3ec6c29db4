package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/pledgeworks/pledgeworks/tax/nmgrt"
	"github.com/pledgeworks/pledgeworks/tax/offline"
)

// taxCommand manages the vendored tax tables. It needs no configuration.
type taxCommand struct {
	Check   taxCheckCommand   `cmd:"" help:"Check the vendored tables for overlaps, gaps, unknown codes and stale rows."`
	Refresh taxRefreshCommand `cmd:"" help:"Regenerate New Mexico's table from the state's published file."`
}

type taxCheckCommand struct {
	On string `help:"Day to check for, YYYY-MM-DD. Default: today."`
}

func (c taxCheckCommand) Run(w *environ) error {
	day := time.Now()
	if c.On != "" {
		var err error
		if day, err = time.Parse(time.DateOnly, c.On); err != nil {
			return errors.New("--on: use a date such as 2026-11-20")
		}
	}
	found, err := offline.Check(day)
	if err != nil {
		return err
	}
	missing, old, err := nmgrt.Check(day)
	if err != nil {
		return err
	}
	t, grave := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0), 0
	for _, p := range found {
		if p.Severe {
			grave++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", map[bool]string{true: "wrong", false: "stale"}[p.Severe], p.Place, p.Message)
	}
	for _, town := range old {
		fmt.Fprintf(t, "stale\tUS-NM\t%s\n", town)
	}
	fmt.Fprintf(t, "missing\tUS-NM\t%d towns have no rate\n", len(missing))
	if err := t.Flush(); err != nil || grave == 0 {
		return err
	}
	return fmt.Errorf("the tables have %d wrong rows", grave)
}

type taxRefreshCommand struct {
	File string `arg:"" help:"Published CSV file." type:"existingfile"`
	Out  string `required:"" help:"Output file: tax/nmgrt/data/places.csv in the repository." type:"path"`
	AsOf string `required:"" help:"Day from which the file is valid, YYYY-MM-DD."`
}

// Run writes the complete table or nothing.
func (c taxRefreshCommand) Run(w *environ) error {
	day, err := time.Parse(time.DateOnly, c.AsOf)
	if err != nil {
		return errors.New("--as-of: use a date such as 2026-07-01")
	}
	published, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	table, err := nmgrt.Refresh(bytes.NewReader(published), day)
	if err != nil {
		return err
	}
	draft := c.Out + ".new"
	if err := os.WriteFile(draft, table, 0o644); err != nil {
		return err
	}
	if err := os.Rename(draft, c.Out); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.out, "Wrote", c.Out+". Review the change before you commit it, and run go test ./tax/...")
	return err
}
