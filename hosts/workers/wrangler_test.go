package workers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/workers"
	"github.com/pledgeworks/pledgeworks/internal/workerd"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// comments matches JSONC comments, which are on separate lines in wrangler.jsonc.
var comments = regexp.MustCompile(`(?m)^\s*//.*$`)

// wrangler is a wrangler configuration.
type wrangler struct {
	Name, Main string
	Assets     workerd.Assets
	Public     *bool `json:"workers_dev"`
	Limits     struct {
		CPU int `json:"cpu_ms"`
	}
	Triggers struct{ Crons []string }
	KV       []struct{ Binding string } `json:"kv_namespaces"`
	Services []struct{ Binding, Service string }
	Objects  struct {
		Bindings []struct {
			Name   string
			Class  string `json:"class_name"`
			Script string `json:"script_name"`
		}
	} `json:"durable_objects"`
	Migrations []struct {
		Classes []string `json:"new_sqlite_classes"`
	}
	Routes []any
	Vars   map[string]string
}

// readWrangler reads a configuration of the folder worker.
func readWrangler(t testing.TB, name string) (w wrangler) {
	t.Helper()
	text, err := os.ReadFile("worker/" + name)
	check(t, err)
	check(t, json.Unmarshal(comments.ReplaceAll(text, nil), &w))
	return w
}

// The configurations have the documented CPU limit for requests and the namespaces that the program
// requires, and no unknown variables. Only the background worker has triggers, and only the front
// worker has an address.
//
// Proves CFG-10, CFG-45.
func TestWrangler(t *testing.T) {
	front, background := readWrangler(t, "wrangler.jsonc"), readWrangler(t, "wrangler.background.jsonc")
	if front.Limits.CPU != 100 || background.Limits.CPU < 30_000 {
		t.Errorf("CPU limits = %d and %d ms", front.Limits.CPU, background.Limits.CPU)
	}
	if want := []string{"* * * * *", "0 * * * *"}; !slices.Equal(background.Triggers.Crons, want) || len(front.Triggers.Crons) > 0 {
		t.Errorf("triggers = %v and %v", front.Triggers.Crons, background.Triggers.Crons)
	}
	if len(front.Routes) == 0 || len(background.Routes) > 0 || background.Public == nil || *background.Public {
		t.Errorf("routes = %v and %v", front.Routes, background.Routes)
	}
	if len(front.Services) != 1 || front.Services[0].Binding != "BACKGROUND" || front.Services[0].Service != background.Name {
		t.Errorf("services = %v", front.Services)
	}
	if front.Assets.Directory != background.Assets.Directory || front.Assets.Binding != background.Assets.Binding {
		t.Errorf("assets = %v and %v", front.Assets, background.Assets)
	}
	if diff := cmp.Diff(front.Vars, background.Vars); diff != "" {
		t.Errorf("variables: (-front +background)\n%s", diff)
	}
	for _, w := range []wrangler{front, background} {
		var namespaces []string
		for _, n := range w.KV {
			namespaces = append(namespaces, n.Binding)
		}
		if !slices.Equal(namespaces, []string{"PLEDGES", "RATELIMIT", "VOTES"}) {
			t.Errorf("%s: namespaces = %v", w.Name, namespaces)
		}
		for _, s := range config.Settings() {
			delete(w.Vars, s.Variable)
		}
		if len(w.Vars) > 0 {
			t.Errorf("%s: unknown variables %v", w.Name, w.Vars)
		}
	}
}

// Both configurations bind all objects, whose classes the background worker exports and creates. The
// object of the steps is its own.
func TestWrangler_Objects(t *testing.T) {
	front, background := readWrangler(t, "wrangler.jsonc"), readWrangler(t, "wrangler.background.jsonc")
	modules, err := os.ReadFile(filepath.Join("worker", filepath.Base(background.Main)))
	check(t, err)
	var created []string
	for _, m := range background.Migrations {
		created = append(created, m.Classes...)
	}
	bound := map[string]string{}
	for _, b := range background.Objects.Bindings {
		bound[b.Name] = b.Class
		if b.Script != "" || !slices.Contains(created, b.Class) || !regexp.MustCompile(`export \{[^}]*\b`+b.Class+`\b`).Match(modules) {
			t.Errorf("%s: class %s is not exported or has no migration", b.Name, b.Class)
		}
	}
	for class, name := range workers.Bindings() {
		if bound[name] == "" {
			t.Errorf("class %s has no binding %s", class, name)
		}
	}
	if len(front.Migrations) > 0 || len(front.Objects.Bindings) != len(workers.Bindings()) {
		t.Errorf("the front worker has %v, %v", front.Migrations, front.Objects.Bindings)
	}
	for _, b := range front.Objects.Bindings {
		if bound[b.Name] != b.Class || b.Script != background.Name {
			t.Errorf("%s: class %s of %q", b.Name, b.Class, b.Script)
		}
	}
}

// deployments are the bindings that wrangler reports for each configuration.
var deployments = map[string][]string{
	"wrangler.jsonc": {
		"env.CHECKOUT_INTENTS (CheckoutIntents, defined in pledgeworks-background)",
		"env.TIER_INVENTORY_COORDINATOR (TierInventoryCoordinator, defined in pledgeworks-background)",
		"env.SETTLEMENT_COORDINATOR (SettlementCoordinator, defined in pledgeworks-background)",
		"env.BROADCASTS (Broadcasts, defined in pledgeworks-background)",
		"env.PLEDGES (" + namespaceID + ")", "env.RATELIMIT (" + namespaceID + ")", "env.VOTES (" + namespaceID + ")",
		"env.BACKGROUND (pledgeworks-background)", "env.ASSETS",
	},
	"wrangler.background.jsonc": {
		"env.CHECKOUT_INTENTS (CheckoutIntents)", "env.TIER_INVENTORY_COORDINATOR (TierInventoryCoordinator)",
		"env.SETTLEMENT_COORDINATOR (SettlementCoordinator)", "env.BROADCASTS (Broadcasts)", "env.STEPS (Steps)",
		"env.PLEDGES (" + namespaceID + ")", "env.RATELIMIT (" + namespaceID + ")", "env.VOTES (" + namespaceID + ")",
		"env.ASSETS",
	},
}

// maxBundle is Cloudflare's limit for a worker's modules in KiB.
const maxBundle = 64 << 10

const namespaceID = "0123456789abcdef0123456789abcdef"

// testDeployment checks that wrangler accepts a configuration, whose placeholders are replaced, in the
// folder that make worker builds.
func (m *service) testDeployment(t *testing.T, config string, bindings []string) {
	folder := t.TempDir()
	text, err := os.ReadFile("worker/" + config)
	check(t, err)
	text = regexp.MustCompile(`<[A-Z]+ ID>`).ReplaceAll(text, []byte(namespaceID))
	text = bytes.ReplaceAll(text, []byte("<WWW.EXAMPLE.ORG>"), []byte("www.example.org"))
	check(t, os.WriteFile(filepath.Join(folder, config), text, 0o600))
	check(t, os.CopyFS(filepath.Join(folder, "modules"), os.DirFS(m.options.Folder)))
	check(t, os.CopyFS(filepath.Join(folder, "assets"), os.DirFS(m.options.Assets.Directory)))
	out := workerd.DryRun(t, folder, config)
	for _, b := range bindings {
		if !strings.Contains(out, b) {
			t.Errorf("no binding %s", b)
		}
	}
	for _, module := range []string{"app.wasm", "instance.mjs", "site.yml", "wasm_exec.js"} {
		if !regexp.MustCompile(`│ ` + regexp.QuoteMeta(module) + ` +│`).MatchString(out) {
			t.Errorf("no module %s", module)
		}
	}
	size := regexp.MustCompile(`Total Upload: ([0-9]+)[0-9.]* KiB`).FindStringSubmatch(out)
	if size == nil {
		t.Fatal(out)
	}
	if n, err := strconv.Atoi(size[1]); err != nil || n > maxBundle {
		t.Errorf("the bundle has %d KiB, %v", n, err)
	}
	if strings.Contains(out, "WARNING") || !strings.Contains(out, "from the assets directory") || t.Failed() {
		t.Error(out)
	}
}

// recorder is a Bridge that records calls to objects and fails all of them.
type recorder struct{ calls []string }

func (r *recorder) Call(_ context.Context, op string, in, _ any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	var to struct{ Binding, Name string }
	if err := json.Unmarshal(b, &to); err != nil {
		return err
	}
	r.calls = append(r.calls, op+" "+to.Binding+" "+to.Name)
	return errors.New("not executed")
}

// Inventory commands are sent to one object per campaign, through a separate binding.
//
// Proves CFG-08.
func TestCoordinator_InventoryBinding(t *testing.T) {
	r := &recorder{}
	c := inventory.Client{Coordinator: workers.NewCoordinator(r, workers.Bindings(),
		func() time.Time { return time.Time{} })}
	for _, slug := range []string{"film", "game"} {
		if err := c.Hold(t.Context(), slug, inventory.Hold{ID: "h"}, nil); err == nil {
			t.Error("Hold bypassed the coordinator")
		}
	}
	if diff := cmp.Diff([]string{"object TIER_INVENTORY_COORDINATOR film", "object TIER_INVENTORY_COORDINATOR game"},
		r.calls); diff != "" {
		t.Error(diff)
	}
}

// Settlement commands, including those for its lock, are sent to the campaign's object through a
// separate binding.
//
// Proves SET-04, CFG-09.
func TestCoordinator_SettlementBinding(t *testing.T) {
	r := &recorder{}
	s := settlement.Service{Coordinator: workers.NewCoordinator(r, workers.Bindings(),
		func() time.Time { return time.Time{} })}
	if _, err := s.Job(t.Context(), "film"); err == nil {
		t.Error("Job bypassed the coordinator")
	}
	if diff := cmp.Diff([]string{"object SETTLEMENT_COORDINATOR film"}, r.calls); diff != "" {
		t.Error(diff)
	}
}

// All commands of a checkout, from opening it to modifying its pledge, are sent to its object
// through one binding.
//
// Proves INV-10.
func TestCoordinator_CheckoutBinding(t *testing.T) {
	const id = "pw-01arz3ndektsv4rrffq69g5fav"
	r := &recorder{}
	c := order.Client{Coordinator: workers.NewCoordinator(r, workers.Bindings(), func() time.Time { return time.Time{} })}
	for _, send := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := c.Open(ctx, order.Manifest{OrderID: id}); return err },
		func(ctx context.Context) error { return c.Attach(ctx, id, "cs_1") },
		func(ctx context.Context) error {
			_, _, err := c.Confirm(ctx, id, "cs_1", "hash", order.Card{}, false)
			return err
		},
		func(ctx context.Context) error { return c.Abandon(ctx, id, "cs_1") },
		func(ctx context.Context) error {
			_, err := c.Modify(ctx, id+"-film", 1, "n", order.Change{})
			return err
		},
	} {
		if err := send(t.Context()); err == nil {
			t.Error("a command bypassed the coordinator")
		}
	}
	if diff := cmp.Diff(slices.Repeat([]string{"object CHECKOUT_INTENTS " + id}, 5), r.calls); diff != "" {
		t.Error(diff)
	}
}
