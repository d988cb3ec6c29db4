package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository/localgit"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// commandsOf returns the commands of the README block that starts with first.
func commandsOf(t *testing.T, first string) []string {
	t.Helper()
	readme, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(readme), "```sh\n"+first)
	block, _, ended := strings.Cut(first+block, "\n```")
	if !found || !ended {
		t.Fatalf("README has no block that starts with %s", first)
	}
	var all []string
	for line := range strings.Lines(block) {
		command, _, _ := strings.Cut(line, "#")
		all = append(all, strings.TrimSpace(command))
	}
	return all
}

// The README's steps from an empty directory to a first pledge work as written.
func TestInit_FirstPledge(t *testing.T) {
	commands := commandsOf(t, "pledged init")
	want := []string{"pledged init my-platform", "cd my-platform", "pledged check", "pledged serve"}
	if strings.Join(commands, "\n") != strings.Join(want, "\n") {
		t.Fatalf("README commands %q, tested commands %q", commands, want)
	}
	t.Chdir(t.TempDir())
	address, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"LISTEN": address, "SITE_BASE": "http://" + address,
		"WORKER_BASE": "http://" + address, "LOG_LEVEL": "error"}
	play := func(command string) string {
		t.Helper()
		var out, errs bytes.Buffer
		w := &environ{ctx: t.Context(), out: &out, err: &errs, lookup: config.Values(env)}
		if code := execute(w, strings.Fields(command)[1:]); code != 0 {
			t.Fatalf("%s: exit status %d: %s%s", command, code, &out, &errs)
		}
		return out.String() + errs.String()
	}
	play(commands[0])
	t.Chdir(strings.TrimPrefix(commands[1], "cd "))
	if output := play(commands[2]); strings.Contains(output, "warning") && !strings.Contains(output, "configuration") {
		t.Errorf("check printed %s", output)
	}
	ctx, stop := context.WithCancel(t.Context())
	var out bytes.Buffer
	var serving sync.WaitGroup
	code := 0
	serving.Go(func() {
		code = execute(&environ{ctx: ctx, out: &out, err: t.Output(), lookup: config.Values(env)}, []string{"serve"})
	})
	firstPledge(t, "http://"+address)
	for command, says := range map[string]string{
		"pledged rehearse my-first-campaign":  "1: 1 would be charged",
		"pledged reconcile my-first-campaign": "Pledges checked       1",
		"pledged rebuild":                     "my-first-campaign  1",
		"pledged quote my-first-campaign download=2 --country US --postal 87501": "Subtotal  $50.00",
	} {
		if output := play(command); !strings.Contains(output, says) ||
			!strings.Contains(output, "Through the server at http://"+address) {
			t.Errorf("%s printed %s", command, output)
		}
	}
	stop()
	serving.Wait()
	if code != 0 || !strings.Contains(out.String(), "Pledge with card 4242") {
		t.Errorf("serve: exit status %d: %s", code, &out)
	}
	if output := play("pledged rehearse my-first-campaign"); !strings.Contains(output, "No server runs on pledgeworks-data") {
		t.Errorf("without a server: %s", output)
	}
}

// firstPledge makes a pledge as a browser and the processor's page do.
func firstPledge(t *testing.T, base string) {
	t.Helper()
	post := func(path string, body, out any) {
		t.Helper()
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", base)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %s", path, res.Status)
		}
		if err := json.NewDecoder(res.Body).Decode(out); err != nil {
			t.Fatal(err)
		}
	}
	if fetch([]string{"GET", base + "/readyz"}) != 0 {
		t.Fatal("the server does not respond")
	}
	var started checkout.Started
	post("/checkout-intent/start",
		checkout.StartRequest{Email: "a@example.org", Cart: checkout.Cart{CampaignSlug: "my-first-campaign",
			Items: []checkout.Item{{ID: "my-first-campaign__thanks"}},
			ShippingAddress: &pledge.Address{Name: "Ada", Line1: "1 Main St", City: "Santa Fe", State: "NM",
				PostalCode: "87501", Country: "US"}}}, &started)
	post("/_sim/complete", map[string]string{"session": started.SessionID, "card": sim.CardOK}, &struct{}{})
	var done checkout.Completed
	post("/checkout-intent/complete",
		checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}, &done)
}

// Existing files are not overwritten, and if one exists, no files are written.
func TestInit_KeepsFiles(t *testing.T) {
	for _, there := range []string{"site.yml", ".env", ".gitignore", "campaigns/my-first-campaign.md"} {
		dir := t.TempDir()
		file := filepath.Join(dir, there)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		code := execute(&environ{ctx: t.Context(), out: &out, err: &out, lookup: config.Values(nil)}, []string{"init", dir})
		kept, err := os.ReadFile(file)
		if code != 1 || string(kept) != "mine" || err != nil || !strings.Contains(out.String(), there+" already exists") {
			t.Errorf("%s: %d, %q, %s", there, code, kept, &out)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: %d files exist, %v", there, len(entries), err)
		}
	}
}

// Each directory gets its own secrets, readable only by the user.
func TestInit_Secrets(t *testing.T) {
	seen := map[string]bool{}
	for range 2 {
		files, err := starterFiles(time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC), config.ContentGit)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.path == ".env" &&
				(seen[string(f.text)] || f.mode != 0o600 || !bytes.Contains(f.text, []byte("APP_MODE=test"))) {
				t.Errorf("environment file has mode %o: %s", f.mode, f.text)
			}
			seen[string(f.text)] = true
		}
	}
}

// The starter content is in a repository, so that the dashboard can save campaigns. It is a plain
// folder if Git is not installed. Secrets are not committed.
func TestInit_ContentRepository(t *testing.T) {
	initIn := func(t *testing.T) (dir, env string) {
		t.Helper()
		dir = filepath.Join(t.TempDir(), "new")
		var out bytes.Buffer
		if code := execute(&environ{ctx: t.Context(), out: &out, err: &out, lookup: config.Values(nil)},
			[]string{"init", dir}); code != 0 {
			t.Fatalf("init: exit status %d: %s", code, &out)
		}
		text, err := os.ReadFile(filepath.Join(dir, ".env"))
		if err != nil {
			t.Fatal(err)
		}
		return dir, string(text)
	}
	t.Run("git", func(t *testing.T) {
		dir, env := initIn(t)
		r, err := localgit.Open(t.Context(), dir, "main")
		if err != nil || !strings.Contains(env, "CONTENT_REPOSITORY=git\n") {
			t.Fatalf("%v; %s", err, env)
		}
		files, err := r.Files(t.Context(), "", "")
		var paths []string
		for _, f := range files {
			paths = append(paths, f.Path)
		}
		if want := ".gitignore campaigns/my-first-campaign.md site.yml"; err != nil || strings.Join(paths, " ") != want {
			t.Errorf("committed files = %v, want no %s; %v", paths, want, err)
		}
	})
	t.Run("without git", func(t *testing.T) {
		t.Setenv("PATH", "")
		dir, env := initIn(t)
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil ||
			!strings.Contains(env, "CONTENT_REPOSITORY=folder\n") {
			t.Errorf("%v; %s", err, env)
		}
	})
}
