package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

func TestParse(t *testing.T) {
	for args, want := range map[string]string{
		"":                      "",
		"-addr localhost:0":     "",
		"-addr [::1]:0":         "",
		"-addr 0.0.0.0:80":      "loopback",
		"-addr :80":             "loopback",
		"-addr example.com:80":  "loopback",
		"-addr 127.0.0.1":       "-addr",
		"-mode play":            "-mode",
		"-mode live":            "",
		"-webhook-url http://x": "must be set together",
		"-seed many":            "seed",
		"extra":                 "extra",
	} {
		_, err := parse(strings.Fields(args))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}

// A run that is stopped writes its state, and the next run reads it.
func TestRun_KeepsState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "psp.json")
	s := sim.New(sim.Options{})
	if _, err := s.Processor().CreateCustomer(context.Background(),
		psp.NewCustomer{Key: "k", Email: "ada@example.com"}); err != nil {
		t.Fatal(err)
	}
	if err := save(s, file); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ended, []string{"-addr", "127.0.0.1:0", "-state", file}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(b), "ada@example.com") {
		t.Errorf("%s %v", b, err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(ended, []string{"-addr", "127.0.0.1:0", "-state", file}); err == nil ||
		!strings.Contains(err.Error(), file) {
		t.Errorf("corrupt state file: %v", err)
	}
}
