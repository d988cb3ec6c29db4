package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRecord_RoundTrip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "record.txt")
	want := record{
		"tax":      {pkg: "tax", digest: "0a", covered: 10, killed: 8, equivalents: 1},
		"kv/memkv": {pkg: "kv/memkv", digest: "ff", covered: 1},
	}
	if err := want.write(name); err != nil {
		t.Fatal(err)
	}
	got, err := readRecord(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
}

func TestRecord_TableInDocs(t *testing.T) {
	recorded, err := readRecord("../../" + recordFile)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../" + tableFile)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\n\n"+recorded.table()+"\n") {
		t.Errorf("the table in %s is outdated: run make mutants", tableFile)
	}
}

func TestRecord_WriteTable(t *testing.T) {
	name := filepath.Join(t.TempDir(), "reliability.md")
	if err := os.WriteFile(name, []byte("before\n\n"+tableHead+"| kv | 1 | 1 | 0 | 100 | 80 |\n\nafter\n\n| x |\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	measured := record{"tax": {covered: 4, killed: 2, equivalents: 1}, "kv": {covered: 1}}
	if err := measured.writeTable(name); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n\n" + tableHead + "| kv | 1 | 0 | 0 | 0 | 80 |\n| tax | 4 | 2 | 1 | 66 | 90 |\n\nafter\n\n| x |\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	if err := measured.writeTable(filepath.Join(t.TempDir(), "none.md")); err == nil {
		t.Error("writing to a document without the table succeeded")
	}
}

func TestDigest_ChangedFiles(t *testing.T) {
	tests := []struct {
		file    string
		changes bool
	}{
		{"tax/tax.go", true},
		{"tax/tax_test.go", true},
		{"tax/new.go", true},
		{"tax/testdata/rates/nm.json", true},
		{"tax/testdata/script/main.go", true},
		{"tax/tables/rates.csv", true},
		{"tax/flat/flat.go", false},
		{"tax/flat/testdata/flat.json", false},
		{"notify/notify.go", false},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			module := t.TempDir()
			for _, name := range []string{"tax/tax.go", "tax/tax_test.go", "tax/testdata/rates/nm.json",
				"tax/tables/rates.csv", "tax/flat/flat.go"} {
				write(t, module, name, "package x\n")
			}
			before := digest(t, module)
			write(t, module, tt.file, "package x // changed\n")
			if after := digest(t, module); (after != before) != tt.changes {
				t.Errorf("digest changed from %s to %s", before, after)
			}
		})
	}
}

func digest(t *testing.T, module string) string {
	t.Helper()
	d, err := digestOf(module, "tax")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestChoose(t *testing.T) {
	all := []string{"kv", "kv/memkv", "pledge", "pledge/money", "pledgebook"}
	tests := []struct {
		names []string
		want  []string
	}{
		{want: all},
		{names: []string{"./kv", "pledge/money/"}, want: []string{"kv", "pledge/money"}},
		{names: []string{"./pledge/...", "pledge"}, want: []string{"pledge", "pledge/money"}},
		{names: []string{"./kv/kvtest"}},
	}
	for _, tt := range tests {
		got, err := choose(all, tt.names)
		if (err == nil) != (tt.want != nil) {
			t.Errorf("%v: %v", tt.names, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v: %s", tt.names, diff)
		}
	}
}
