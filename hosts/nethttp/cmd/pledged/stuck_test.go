package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/settlement"
)

const song = `---
title: One Song
slug: song
start_date: 2026-11-01
goal_deadline: 2026-11-20
goal_amount: 20
published: true
tiers:
  - {name: Download, id: download, price: 20}
  - {name: Patron, id: patron, price: 600}
---
`

// testInstall is an installation with a simulated processor and its own clock. The service runs in
// it from time to time, with commands in between.
type testInstall struct {
	t   *testing.T
	now time.Time
	env map[string]string
	app *app.App
}

func newTestInstall(t *testing.T) *testInstall {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "site/campaigns"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "site/campaigns/song.md"), []byte(song), 0o600); err != nil {
		t.Fatal(err)
	}
	env, err := config.DemoValues(strings.NewReader(strings.Repeat("a few random bytes, of which no two are the same: ", 40)))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(env, map[string]string{
		"CONTENT_DIR": filepath.Join(dir, "site"), "DATA_DIR": filepath.Join(dir, "data"),
		"SALES_TAX_RATE": "0", "LOG_LEVEL": "error",
		"ADMIN_OPERATORS": "ada:" + config.KeySum("ada's") + ",ben:" + config.KeySum("ben's"),
	})
	s := &testInstall{t: t, now: time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC), env: env}
	t.Cleanup(s.close)
	return s
}

// open opens the service.
func (s *testInstall) open() *app.App {
	s.t.Helper()
	if s.app != nil {
		return s.app
	}
	cfg, err := config.Load(config.Values(s.env), os.DirFS(s.env["CONTENT_DIR"]))
	if err != nil {
		s.t.Fatal(err)
	}
	a, err := app.Open(s.t.Context(), app.Options{Config: cfg, Content: os.DirFS(s.env["CONTENT_DIR"]),
		Now: func() time.Time { return s.now }, Log: logger(s.t.Output(), cfg.Server)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.app = a
	return a
}

func (s *testInstall) close() {
	if s.app != nil {
		if err := s.app.Close(); err != nil {
			s.t.Error(err)
		}
		s.app = nil
	}
}

// run runs an operator's command.
func (s *testInstall) run(command, key string) (string, int) {
	s.t.Helper()
	s.close()
	s.env["CLOCK_OFFSET_SECONDS"], s.env["OPERATOR_KEY"] = strconv.Itoa(int(time.Until(s.now).Seconds())), key
	defer delete(s.env, "CLOCK_OFFSET_SECONDS")
	var out bytes.Buffer
	w := &environ{ctx: s.t.Context(), out: &out, err: &out, lookup: config.Values(s.env)}
	code := execute(w, strings.Fields(command))
	return out.String(), code
}

func (s *testInstall) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *testInstall) start(name, tier string) checkout.Started {
	s.t.Helper()
	return s.startFrom("", name, tier)
}

// startFrom starts a checkout from the link of an earlier pledge, "" for none.
func (s *testInstall) startFrom(link, name, tier string) checkout.Started {
	s.t.Helper()
	none := 0
	started, err := s.open().Services.Checkout.Start(s.t.Context(), checkout.StartRequest{
		Cart: checkout.Cart{CampaignSlug: "song", Items: []checkout.Item{{ID: "song__" + tier}},
			TipPercent: &none}, Email: name + "@example.org", ManageToken: link})
	s.ok(err)
	return started
}

func (s *testInstall) save(started checkout.Started, card string) {
	s.t.Helper()
	s.card(started, card)
	s.complete(started)
}

func (s *testInstall) card(started checkout.Started, card string) {
	s.t.Helper()
	s.ok(s.open().Sim.Complete(started.SessionID, card))
}

func (s *testInstall) complete(started checkout.Started) {
	s.t.Helper()
	_, err := s.open().Services.Checkout.Complete(s.t.Context(),
		checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID})
	s.ok(err)
}

func (s *testInstall) link(id, name string) string {
	s.t.Helper()
	tok, err := s.open().Services.Checkout.Links.Signer.Sign(token.Claims{
		Scope: token.Manage, OrderID: id, Email: name +
			"@example.org", CampaignSlug: "song", Expires: s.now.Add(token.ManageLife)})
	s.ok(err)
	return tok
}

func (s *testInstall) pledge(name, tier, card string) string {
	s.t.Helper()
	started := s.start(name, tier)
	s.save(started, card)
	return started.Campaigns[0].OrderID
}

func (s *testInstall) status(id string) pledge.Status {
	s.t.Helper()
	p, err := s.open().Services.Settlement.Orders.Pledge(s.t.Context(), id)
	s.ok(err)
	return p.Status
}

// settle settles the campaign now, or at the earliest possible time if that is later. The
// settlement may be held.
func (s *testInstall) settle() error {
	s.t.Helper()
	if first := time.Date(2026, time.November, 21, 7, 1, 0, 0, time.UTC).Add(settlement.Margin); s.now.Before(first) {
		s.now = first
	}
	_, err := s.open().Services.Settlement.Settle(s.t.Context(), "song", false)
	return err
}

func (s *testInstall) fault(kind sim.FaultKind, times int) {
	s.t.Helper()
	for range times {
		s.ok(s.open().Sim.InjectFaults(sim.Fault{Kind: kind, Op: sim.CreateIntent}))
	}
}

// unread makes the next settlement overlook a saved card.
func (s *testInstall) unread() {
	s.t.Helper()
	for _, op := range []sim.Op{sim.ExpireSession, sim.RetrieveSession} {
		s.ok(s.open().Sim.InjectFaults(sim.Fault{Kind: sim.BadGateway, Op: op}))
	}
}

// Every command in the last column of a row is tested.
var (
	row     = regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$`)
	command = regexp.MustCompile("`pledged ([^`]+)`")
)

// docs/operations.md has a row for each state in which an operator has to act. This test reaches
// each state and resolves it with every command of its row.
func TestStuckStates_Commands(t *testing.T) {
	guide, err := os.ReadFile("../../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(guide), "### Stuck states and how to resolve them\n")
	table, _, _ = strings.Cut(table, "\n### ")
	rows := row.FindAllStringSubmatch(table, -1)
	lines := strings.Count(table, "\n|")
	// the first row is the header, and the line of dashes is not a row
	if len(rows) != lines-1 || len(rows)-1 != len(states) {
		t.Errorf("table has %d rows, of which %d are parsed; %d states are tested", lines-2, len(rows)-1, len(states))
	}
	for _, r := range rows[1:] {
		ways := states[r[1]]
		commands := command.FindAllStringSubmatch(r[2], -1)
		if len(commands) != len(ways) || len(ways) == 0 {
			t.Errorf("%q has %d commands, %d are tested", r[1], len(commands), len(ways))
			continue
		}
		for n, reach := range ways {
			t.Run(fmt.Sprintf("%s, %d", r[1], n+1), func(t *testing.T) { testCommandResolves(t, reach, commands[n][1]) })
		}
	}
}

func testCommandResolves(t *testing.T, reach func(s *testInstall) stuck, command string) {
	s := newTestInstall(t)
	is := reach(s)
	if is.left() {
		t.Fatal("state was not reached")
	}
	if is.first != nil {
		is.first()
		if is.left() {
			t.Fatal("state ended without a command")
		}
	}
	command = strings.ReplaceAll(command, "SLUG", "song")
	for word, value := range is.words {
		if !strings.Contains(command, word) {
			t.Errorf("%s names no %s", command, word)
		}
		command = strings.ReplaceAll(command, word, value)
	}
	for _, key := range append(is.keys, "")[:max(1, len(is.keys))] {
		if out, code := s.run(command, key); code != 0 {
			t.Fatalf("%s: exit status %d: %s", command, code, out)
		}
	}
	if !is.left() {
		t.Errorf("state persists after %s", command)
	}
}
