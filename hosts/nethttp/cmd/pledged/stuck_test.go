package main

import (
	"bytes"
	"fmt"
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
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
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
---
`

// shop is an installation with a simulated processor, and the time that it is there. The
// service runs in it now and then, and commands in between.
type shop struct {
	t   *testing.T
	now time.Time
	env map[string]string
	app *app.App
}

func newShop(t *testing.T) *shop {
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
	for k, v := range map[string]string{
		"CONTENT_DIR": filepath.Join(dir, "site"), "DATA_DIR": filepath.Join(dir, "data"), "SALES_TAX_RATE": "0", "LOG_LEVEL": "error",
		"ADMIN_OPERATORS": "ada:" + config.KeySum("ada's") + ",ben:" + config.KeySum("ben's"),
	} {
		env[k] = v
	}
	s := &shop{t: t, now: time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC), env: env}
	t.Cleanup(s.close)
	return s
}

// open runs the service.
func (s *shop) open() *app.App {
	s.t.Helper()
	if s.app != nil {
		return s.app
	}
	cfg, err := config.Load(config.Values(s.env), os.DirFS(s.env["CONTENT_DIR"]))
	if err != nil {
		s.t.Fatal(err)
	}
	a, err := app.Open(s.t.Context(), app.Options{Config: cfg, Content: os.DirFS(s.env["CONTENT_DIR"]), Now: func() time.Time { return s.now }, Log: logger(s.t.Output(), cfg.Server)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.app = a
	return a
}

func (s *shop) close() {
	if s.app != nil {
		if err := s.app.Close(); err != nil {
			s.t.Error(err)
		}
		s.app = nil
	}
}

// run is a command of an operator's.
func (s *shop) run(command, key string) (string, int) {
	s.t.Helper()
	s.close()
	s.env["CLOCK_OFFSET_SECONDS"], s.env["OPERATOR_KEY"] = strconv.Itoa(int(time.Until(s.now).Seconds())), key
	defer delete(s.env, "CLOCK_OFFSET_SECONDS")
	var out bytes.Buffer
	w := &world{ctx: s.t.Context(), out: &out, err: &out, lookup: config.Values(s.env)}
	code := execute(w, strings.Fields(command))
	return out.String(), code
}

func (s *shop) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) start(name, tier string) checkout.Started {
	s.t.Helper()
	return s.startFrom("", name, tier)
}

// startFrom begins a checkout by the link of an earlier pledge, "" is without one.
func (s *shop) startFrom(link, name, tier string) checkout.Started {
	s.t.Helper()
	none := 0
	started, err := s.open().Services.Checkout.Start(s.t.Context(), checkout.StartRequest{
		Cart: checkout.Cart{CampaignSlug: "song", Items: []checkout.Item{{ID: "song__" + tier}}, TipPercent: &none}, Email: name + "@example.org", ManageToken: link})
	s.ok(err)
	return started
}

func (s *shop) save(started checkout.Started, card string) {
	s.t.Helper()
	s.card(started, card)
	s.complete(started)
}

func (s *shop) card(started checkout.Started, card string) {
	s.t.Helper()
	s.ok(s.open().Sim.Complete(started.SessionID, card))
}

func (s *shop) complete(started checkout.Started) {
	s.t.Helper()
	_, err := s.open().Services.Checkout.Complete(s.t.Context(), checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID})
	s.ok(err)
}

func (s *shop) link(id, name string) string {
	s.t.Helper()
	tok, err := s.open().Services.Checkout.Links.Signer.Sign(token.Claims{
		Scope: token.Manage, OrderID: id, Email: name + "@example.org", CampaignSlug: "song", Expires: s.now.Add(token.ManageLife)})
	s.ok(err)
	return tok
}

func (s *shop) pledge(name, tier, card string) string {
	s.t.Helper()
	started := s.start(name, tier)
	s.save(started, card)
	return started.Campaigns[0].OrderID
}

func (s *shop) status(id string) pledge.Status {
	s.t.Helper()
	p, err := s.open().Services.Settlement.Orders.Pledge(s.t.Context(), id)
	s.ok(err)
	return p.Status
}

// settle settles as soon as that may be, or later; it may be held.
func (s *shop) settle() error {
	s.t.Helper()
	if first := time.Date(2026, time.November, 21, 7, 1, 0, 0, time.UTC).Add(settlement.Margin); s.now.Before(first) {
		s.now = first
	}
	_, err := s.open().Services.Settlement.Settle(s.t.Context(), "song", false)
	return err
}

func (s *shop) fault(kind sim.FaultKind, times int) {
	s.t.Helper()
	for range times {
		s.ok(s.open().Sim.Order(sim.Fault{Kind: kind, Op: sim.CreateIntent}))
	}
}

// unread keeps the next settlement from learning that a card was saved.
func (s *shop) unread() {
	s.t.Helper()
	for _, op := range []sim.Op{sim.ExpireSession, sim.RetrieveSession} {
		s.ok(s.open().Sim.Order(sim.Fault{Kind: sim.BadGateway, Op: op}))
	}
}

// stuck is a state as it is reached, and what has to be said in its command; left reports
// whether it is over.
type stuck struct {
	words map[string]string
	keys  []string // of the operators who say it, one after another
	left  func() bool
}

var states = map[string]func(s *shop) stuck{
	"a charge needs attention": func(s *shop) stuck {
		id := s.pledge("ana", "download", sim.CardOK)
		s.now = time.Date(2026, time.November, 21, 8, 0, 0, 0, time.UTC)
		s.fault(sim.ServerError, 1)
		for range 26 {
			s.ok(s.settle())
			s.now = s.now.Add(time.Hour)
		}
		return stuck{map[string]string{"GROUP": settlement.OwnGroupHash("song", id)}, []string{"ada's", "ben's"},
			func() bool { return s.status(id) == pledge.Charged }}
	},
	"a late pledge: its supporter is charged already, or was given up": func(s *shop) stuck {
		link := s.link(s.pledge("ana", "download", sim.CardOK), "ana")
		s.save(s.startFrom(link, "ana", "download"), sim.CardOK) // joined, and charged at once
		s.now = time.Date(2026, time.November, 21, 6, 50, 0, 0, time.UTC)
		late := s.startFrom(link, "ana", "download")
		s.card(late, sim.CardOK)
		s.unread()
		s.ok(s.settle())
		s.complete(late)
		s.ok(s.settle())
		return s.cancelled(late.Campaigns[0].OrderID)
	},
	"another promise: the campaign's file has another deadline, or a lower goal, than its pledges rely on": func(s *shop) stuck {
		id := s.pledge("ana", "download", sim.CardOK)
		s.close()
		file := filepath.Join(s.env["CONTENT_DIR"], "campaigns", "song.md")
		text, err := os.ReadFile(file)
		s.ok(err)
		s.ok(os.WriteFile(file, bytes.Replace(text, []byte("2026-11-20"), []byte("2026-11-19"), 1), 0o600))
		if err := s.settle(); !fault.Is(err, fault.Conflict) {
			s.t.Fatalf("it is settled: %v", err)
		}
		return stuck{map[string]string{"WHY": "asked"}, nil, func() bool { return s.status(id) == pledge.Charged }}
	},
	"an amount that the processor does not take": func(s *shop) stuck {
		s.pledge("bob", "download", sim.CardOK)
		id := s.made("usd", 25)
		s.ok(s.settle())
		return s.cancelled(id)
	},
	"a pledge in another currency": func(s *shop) stuck {
		s.pledge("bob", "download", sim.CardOK)
		id := s.made("eur", 2000)
		s.ok(s.settle())
		return s.cancelled(id)
	},
	"an order that was lost: a saved card without a pledge": func(s *shop) stuck {
		s.pledge("bob", "download", sim.CardOK)
		s.close()
		db := filepath.Join(s.env["DATA_DIR"], app.StoreFile)
		before, err := os.ReadFile(db)
		s.ok(err)
		lost := s.start("ana", "download")
		s.save(lost, sim.CardOK)
		s.close()
		s.ok(os.WriteFile(db, before, 0o600))
		return stuck{map[string]string{"SESSION": lost.SessionID}, nil, func() bool {
			all, err := s.open().Services.Checkout.LostOrders(s.t.Context(), s.now.Add(-48*time.Hour))
			s.ok(err)
			return len(all) == 0
		}}
	},
	"a payment that is not booked": func(s *shop) stuck {
		id := s.pledge("ana", "download", sim.CardOK)
		s.close()
		db := filepath.Join(s.env["DATA_DIR"], app.StoreFile)
		before, err := os.ReadFile(db)
		s.ok(err)
		s.ok(s.settle())
		s.close()
		s.ok(os.WriteFile(db, before, 0o600))
		s.now = s.now.Add(25 * time.Hour)
		return stuck{nil, nil, func() bool {
			r, err := s.open().Services.Reconcile.Run(s.t.Context(), "song", reconcile.MaxRetrievals)
			s.ok(err)
			return r.OpenBreaks == 0 && s.status(id) == pledge.Charged && len(s.open().Sim.Books()) == 1
		}}
	},
	"the account or the key is refused": func(s *shop) stuck {
		id := s.pledge("ana", "download", sim.CardOK)
		s.fault(sim.APIKeyRevoked, 1)
		_ = s.settle()
		s.now = s.now.Add(time.Hour)
		return stuck{nil, nil, func() bool { return s.status(id) == pledge.Charged }}
	},
	"circuit breaker: too many charges failed": func(s *shop) stuck {
		var ids []string
		for i := range 31 {
			ids = append(ids, s.pledge(fmt.Sprintf("s%d", i), "download", sim.CardChargeDeclined))
			s.now = s.now.Add(time.Minute)
		}
		_ = s.settle()
		return stuck{nil, nil, func() bool { // everybody is told, and asked for another card
			for _, id := range ids {
				if s.status(id) != pledge.PaymentFailed {
					return false
				}
			}
			return true
		}}
	},
	"charges get no answer": func(s *shop) stuck {
		var ids []string
		for i := range 21 {
			ids = append(ids, s.pledge(fmt.Sprintf("s%d", i), "download", sim.CardOK))
			s.now = s.now.Add(time.Minute)
		}
		s.fault(sim.BadGateway, 20)
		_ = s.settle()
		s.now = s.now.Add(20 * time.Minute)
		return stuck{nil, nil, func() bool {
			for _, id := range ids {
				if s.status(id) != pledge.Charged {
					return false
				}
			}
			return true
		}}
	},
	"charging is stopped": func(s *shop) stuck {
		id := s.pledge("ana", "download", sim.CardOK)
		_, err := s.open().Services.Settlement.Switch().Stop(s.t.Context(), "a doubt")
		s.ok(err)
		_ = s.settle()
		return stuck{nil, nil, func() bool { _ = s.settle(); return s.status(id) == pledge.Charged }}
	},
}

// cancelled is a pledge that can only be cancelled.
func (s *shop) cancelled(id string) stuck {
	return stuck{map[string]string{"PLEDGE": id}, nil, func() bool { return s.status(id) == pledge.Cancelled }}
}

// made makes a pledge that no checkout of ours makes.
func (s *shop) made(currency string, amount money.Cents) string {
	s.t.Helper()
	const id = "pw-00000000000000000000000001"
	ctx, c := s.t.Context(), s.open().Services
	lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Gift", Quantity: 1, UnitPrice: amount, Amount: amount}}
	totals, err := pledge.Add(lines, 0, 0, 0)
	s.ok(err)
	o, err := c.Settlement.Orders.Open(ctx, order.Manifest{OrderID: id, Email: "ana@example.org", Currency: currency, Nonce: id, BookedAt: s.now,
		Amount: amount, Campaigns: []order.Contribution{{PledgeID: id, CampaignSlug: "song", Lines: lines, Totals: totals}}})
	s.ok(err)
	s.ok(c.Settlement.Orders.Attach(ctx, id, "cs_1"))
	_, _, err = c.Settlement.Orders.Confirm(ctx, id, "cs_1", o.Hash, order.Card{CustomerID: "cus_1", PaymentMethodID: "pm_1", SavedAt: s.now}, false)
	s.ok(err)
	o, err = c.Settlement.Orders.Get(ctx, id)
	s.ok(err)
	_, err = c.Projector.Book(ctx, o.Pledges[0], "")
	s.ok(err)
	return id
}

var row = regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| [^|]*?` + "`(pledged [^`]+)`" + `[^|]* \|$`)

// The guide has a row for each state in which something waits for a person. Each is
// reached here, and left by the command of its row.
func TestWhatEndsWhatIsStuck(t *testing.T) {
	guide, err := os.ReadFile("../../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(guide), "### What is stuck, and what ends it\n")
	table, _, _ = strings.Cut(table, "\n### ")
	rows := row.FindAllStringSubmatch(table, -1)
	if lines := strings.Count(table, "\n|") - 2; len(rows) != len(states) || lines != len(rows) {
		t.Errorf("the table has %d rows, %d of them with a command, and %d states are reached", lines, len(rows), len(states))
	}
	for _, r := range rows {
		t.Run(r[1], func(t *testing.T) {
			reach, known := states[r[1]]
			if !known {
				t.Fatal("the state is not reached")
			}
			s := newShop(t)
			is := reach(s)
			if is.left() {
				t.Fatal("the state is not reached: it is over by itself")
			}
			command := strings.ReplaceAll(r[2], "SLUG", "song")
			for word, value := range is.words {
				command = strings.ReplaceAll(command, word, value)
			}
			for _, key := range append(is.keys, "")[:max(1, len(is.keys))] {
				if out, code := s.run(strings.TrimPrefix(command, "pledged "), key); code != 0 {
					t.Fatalf("%s ends with %d: %s", command, code, out)
				}
			}
			if !is.left() {
				t.Errorf("%s does not end it", command)
			}
		})
	}
}
