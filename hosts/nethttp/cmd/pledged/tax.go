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

// taxCommand looks after the vendored tables. It needs no configuration.
type taxCommand struct {
	Check   taxCheckCommand   `cmd:"" help:"Look for overlaps, gaps, unknown codes and stale rows in the vendored tables."`
	Refresh taxRefreshCommand `cmd:"" help:"Make New Mexico's table anew from the state's published file."`
}

type taxCheckCommand struct {
	On string `help:"The day to check for, YYYY-MM-DD; today."`
}

func (c taxCheckCommand) Run(w *world) error {
	day := time.Now()
	if c.On != "" {
		var err error
		if day, err = time.Parse(time.DateOnly, c.On); err != nil {
			return errors.New("--on: write a day such as 2026-11-20")
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
		if p.Grave {
			grave++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", map[bool]string{true: "wrong", false: "stale"}[p.Grave], p.Place, p.What)
	}
	for _, town := range old {
		fmt.Fprintf(t, "stale\tUS-NM\t%s\n", town)
	}
	fmt.Fprintf(t, "missing\tUS-NM\t%d towns have no rate\n", len(missing))
	if err := t.Flush(); err != nil || grave == 0 {
		return err
	}
	return fmt.Errorf("%d rows of the tables are wrong", grave)
}

type taxRefreshCommand struct {
	File string `arg:"" help:"The published CSV file." type:"existingfile"`
	Out  string `required:"" help:"Where the table goes: tax/nmgrt/data/places.csv in the repository." type:"path"`
	AsOf string `required:"" help:"The day from which the file holds, YYYY-MM-DD."`
}

// Run writes the whole table or none of it.
func (c taxRefreshCommand) Run(w *world) error {
	day, err := time.Parse(time.DateOnly, c.AsOf)
	if err != nil {
		return errors.New("--as-of: write a day such as 2026-07-01")
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
	_, err = fmt.Fprintln(w.out, "Wrote", c.Out+". Read the change before you commit it, and run go test ./tax/...")
	return err
}
