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

// comments of JSONC, which stand on lines of their own here.
var comments = regexp.MustCompile(`(?m)^\s*//.*$`)

// The configuration that a deployment begins with has every binding that the program
// asks for, the limit that deployed workers declare, and variables that there are.
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
		t.Errorf("the limit is %d ms", w.Limits.CPU)
	}
	if got := []string{"* * * * *", "0 * * * *"}; !slices.Equal(w.Triggers.Crons, got) {
		t.Errorf("the triggers are %v", w.Triggers.Crons)
	}
	var namespaces []string
	for _, n := range w.KV {
		namespaces = append(namespaces, n.Binding)
	}
	if !slices.Equal(namespaces, []string{"PLEDGES", "RATELIMIT", "VOTES"}) {
		t.Errorf("the namespaces are %v", namespaces)
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
			t.Errorf("%s: there is no class %s, or it is never made", b.Name, b.Class)
		}
	}
	for class, name := range workers.Bindings() {
		if !bound[name] {
			t.Errorf("the objects of class %s have no binding %s", class, name)
		}
	}
	for _, s := range config.Settings() {
		delete(w.Vars, s.Variable)
	}
	if len(w.Vars) > 0 {
		t.Errorf("nothing reads the variables %v", w.Vars)
	}
}

// post notes where commands go, and carries none of them out.
type post struct{ went []string }

func (w *post) Call(_ context.Context, op string, in, _ any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	var to struct{ Binding, Name string }
	if err := json.Unmarshal(b, &to); err != nil {
		return err
	}
	w.went = append(w.went, op+" "+to.Binding+" "+to.Name)
	return errors.New("carried nowhere")
}

// What is said to a campaign's stock goes to one object for each campaign, behind a binding
// of its own.
//
// Proves CFG-08.
func TestStockGoesToItsCoordinator(t *testing.T) {
	w := &post{}
	c := inventory.Client{Coordinator: workers.NewCoordinator(w, workers.Bindings(), func() time.Time { return time.Time{} })}
	for _, slug := range []string{"film", "game"} {
		if err := c.Hold(t.Context(), slug, inventory.Hold{ID: "h"}, nil); err == nil {
			t.Error("somebody answered beside the coordinator")
		}
	}
	if diff := cmp.Diff([]string{"object TIER_INVENTORY_COORDINATOR film", "object TIER_INVENTORY_COORDINATOR game"}, w.went); diff != "" {
		t.Error(diff)
	}
}

// What is said to a campaign's settlement, of which its lock is a part, goes to its object
// behind a binding of its own.
//
// Proves SET-04, CFG-09.
func TestSettlementsGoToTheirCoordinator(t *testing.T) {
	w := &post{}
	s := settlement.Service{Coordinator: workers.NewCoordinator(w, workers.Bindings(), func() time.Time { return time.Time{} })}
	if _, err := s.Job(t.Context(), "film"); err == nil {
		t.Error("somebody answered beside the coordinator")
	}
	if diff := cmp.Diff([]string{"object SETTLEMENT_COORDINATOR film"}, w.went); diff != "" {
		t.Error(diff)
	}
}

// Whatever is said about a checkout goes to its own object behind one binding, from
// its first word to the change of its pledge.
//
// Proves INV-10.
func TestCheckoutsGoToTheirCoordinator(t *testing.T) {
	const id = "pw-01arz3ndektsv4rrffq69g5fav"
	w := &post{}
	c := order.Client{Coordinator: workers.NewCoordinator(w, workers.Bindings(), func() time.Time { return time.Time{} })}
	for _, say := range []func(context.Context) error{
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
		if err := say(t.Context()); err == nil {
			t.Error("somebody answered beside the coordinator")
		}
	}
	if diff := cmp.Diff(slices.Repeat([]string{"object CHECKOUT_INTENTS " + id}, 5), w.went); diff != "" {
		t.Error(diff)
	}
}
