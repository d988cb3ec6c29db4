package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// budgets are the upper limits of the JavaScript that a screen loads, in bytes after gzip,
// including all static imports. The files of the first screen, which every screen needs, are not
// counted for the others.
var budgets = []struct {
	screen string
	limit  int
	files  []string // source files below hosts
}{
	{"first screen", 77 << 10,
		[]string{"site/scripts/site.ts", "site/scripts/admin.ts", "dashboard/app.tsx", "dashboard/home/home.tsx"}},
	{"overview", 40 << 10, []string{"dashboard/campaigns/campaigns.tsx"}},
	{"editor", 95 << 10, []string{"dashboard/campaigns/edit.tsx"}},
	{"settings", 95 << 10, []string{"dashboard/settings/settings.tsx"}},
	{"settlement", 40 << 10, []string{"dashboard/settlement/settlement.tsx"}},
	{"blast", 40 << 10, []string{"dashboard/blast/blast.tsx"}},
	{"supporters", 40 << 10, []string{"dashboard/supporters/supporters.tsx"}},
	{"reports", 40 << 10, []string{"dashboard/reports/reports.tsx"}},
	{"analytics", 40 << 10, []string{"dashboard/analytics/analytics.tsx"}},
	{"marketing", 40 << 10, []string{"dashboard/marketing/marketing.tsx"}},
	{"charts", 30 << 10, []string{"dashboard/charts/chart.tsx"}},
}

// metafile is the part of esbuild's metafile that lists the imports of each output file.
type metafile struct {
	Outputs map[string]struct {
		EntryPoint string
		Imports    []struct{ Path, Kind string }
	}
}

func TestScreens_WithinBudget(t *testing.T) {
	if _, err := os.Stat(filepath.Join("..", "..", "dashboard", "node_modules")); err != nil {
		t.Skip("the dashboard's libraries are missing: make browser installs them")
	}
	dir, err := filepath.Abs(filepath.Join("..", "scripts"))
	if err != nil {
		t.Fatal(err)
	}
	o := scripts(dir)
	o.Metafile = true
	built := api.Build(o)
	var m metafile
	if err := json.Unmarshal([]byte(built.Metafile), &m); err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, f := range built.OutputFiles {
		sizes[filepath.Base(f.Path)] = gzipped(t, f.Contents)
	}
	frame := m.load(map[string]bool{}, budgets[0].files)
	for i, b := range budgets {
		shared := frame
		if i == 0 {
			shared = nil
		}
		total := 0
		for name := range m.load(map[string]bool{}, b.files) {
			if !shared[name] {
				total += sizes[filepath.Base(name)]
			}
		}
		t.Logf("%s: %d bytes", b.screen, total)
		if total == 0 || total > b.limit {
			t.Errorf("%s loads %d bytes of JavaScript, want 1 to %d", b.screen, total, b.limit)
		}
	}
}

// load adds the output files of the given source files and their static imports to loaded, and
// returns loaded.
func (m metafile) load(loaded map[string]bool, sources []string) map[string]bool {
	for name, o := range m.Outputs {
		for _, s := range sources {
			if strings.HasSuffix(o.EntryPoint, s) || strings.HasSuffix("site/scripts/"+o.EntryPoint, s) {
				m.add(loaded, name)
			}
		}
	}
	return loaded
}

func (m metafile) add(loaded map[string]bool, name string) {
	if loaded[name] {
		return
	}
	loaded[name] = true
	for _, i := range m.Outputs[name].Imports {
		if i.Kind == "import-statement" {
			m.add(loaded, i.Path)
		}
	}
}

func gzipped(t *testing.T, body []byte) int {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
