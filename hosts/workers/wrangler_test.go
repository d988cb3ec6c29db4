package workers_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/workers"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// comments matches JSONC comments, which are on separate lines in wrangler.jsonc.
var comments = regexp.MustCompile(`(?m)^\s*//.*$`)

// The configuration template has all bindings that the program requires, the documented CPU limit,
// and no unknown variables.
//
// Proves CFG-10, CFG-45.
func TestWrangler(t *testing.T) {
	text, err := os.ReadFile("worker/wrangler.jsonc")
	if err != nil {
		t.Fatal(err)
	}
	var w struct {
		Main   string
		Limits struct {
			CPU int `json:"cpu_ms"`
		}
		Triggers struct{ Crons []string }
		KV       []struct{ Binding string } `json:"kv_namespaces"`
		Objects  struct {
			Bindings []struct {
				Name  string
				Class string `json:"class_name"`
			}
		} `json:"durable_objects"`
		Migrations []struct {
			Classes []string `json:"new_sqlite_classes"`
		}
		Vars map[string]string
	}
	if err := json.Unmarshal(comments.ReplaceAll(text, nil), &w); err != nil {
		t.Fatal(err)
	}
	if w.Limits.CPU != 100 {
		t.Errorf("CPU limit = %d ms, want 100", w.Limits.CPU)
	}
	if got := []string{"* * * * *", "0 * * * *"}; !slices.Equal(w.Triggers.Crons, got) {
		t.Errorf("triggers = %v", w.Triggers.Crons)
	}
	var namespaces []string
	for _, n := range w.KV {
		namespaces = append(namespaces, n.Binding)
	}
	if !slices.Equal(namespaces, []string{"PLEDGES", "RATELIMIT", "VOTES"}) {
		t.Errorf("namespaces = %v", namespaces)
	}
	objects, err := os.ReadFile("worker/objects.mjs")
	if err != nil {
		t.Fatal(err)
	}
	bound := map[string]bool{}
	var made []string
	for _, m := range w.Migrations {
		made = append(made, m.Classes...)
	}
	for _, b := range w.Objects.Bindings {
		bound[b.Name] = true
		if !strings.Contains(string(objects), "export class "+b.Class+" ") || !slices.Contains(made, b.Class) {
			t.Errorf("%s: class %s is not exported or has no migration", b.Name, b.Class)
		}
	}
	for class, name := range workers.Bindings() {
		if !bound[name] {
			t.Errorf("class %s has no binding %s", class, name)
		}
	}
	for _, s := range config.Settings() {
		delete(w.Vars, s.Variable)
	}
	if len(w.Vars) > 0 {
		t.Errorf("unknown variables %v", w.Vars)
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
