package main

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// inbox is a supporter's inbox.
type inbox []notify.Mail

func (i *inbox) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	*i = append(*i, m)
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, nil
}

// cart is a request to start the checkout of twenty games.
const cart = `{"campaignSlug":"tidepool-traders","email":"reader@example.org",
	"items":[{"id":"tidepool-traders__the-game","quantity":20}],
	"shippingAddress":{"name":"A Reader","line1":"1 Main St","city":"Taos","state":"NM","postalCode":"87571",
		"country":"US"}}`

// client sends requests to the shop's routes.
type client struct {
	testing.TB
	routes http.Handler
}

// send sends a request with JSON, expects the status want, and returns the decoded response.
func (c client) send(method, path string, body []byte, want int, header ...string) map[string]any {
	c.Helper()
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	c.routes.ServeHTTP(w, r)
	if w.Code != want {
		c.Fatalf("%s: status %d, want %d: %s", path, w.Code, want, w.Body)
	}
	var out map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		c.Fatal(err)
	}
	return out
}

// The shop takes a pledge, lets its supporter view and change it, and charges it after the
// deadline. Only the operator can charge.
func TestShop_PledgeChangeAndCharge(t *testing.T) {
	t.Setenv("OPERATOR_KEY", "the operator's")
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	processor := sim.New(sim.Options{Now: clock, NoLimits: true, WebhookSecret: webhookSecret})
	var mails inbox
	s, c := open(t, processor, &mails, clock)

	started := c.send("POST", "/checkout-intent/start", []byte(cart), 200)
	session, order := started["sessionId"].(string), started["orderId"].(string)
	if err := processor.Complete(session, sim.CardOK); err != nil {
		t.Fatal(err)
	}
	c.send("POST", "/checkout-intent/complete", []byte(`{"orderId":"`+order+`","sessionId":"`+session+`"}`), 200)
	for _, d := range processor.Due() {
		c.send("POST", "/webhooks/psp", d.Body, 401, "Stripe-Signature", "t=1,v1=00")
		c.send("POST", "/webhooks/psp", d.Body, 200, "Psp-Signature", d.Signature)
	}
	if _, err := s.Minute(t.Context()); err != nil || len(mails) != 1 {
		t.Fatalf("%d mails, %v", len(mails), err)
	}
	link := regexp.MustCompile(`/manage/#t=(\S+)`).FindStringSubmatch(mails[0].Text)
	if link == nil {
		t.Fatal("the mail has no link")
	}
	if p := c.send("GET", "/pledge?token="+link[1], nil, 200); p["pledgeStatus"] != "active" {
		t.Errorf("pledge %v", p)
	}
	c.send("GET", "/pledge?token=forged", nil, 401)

	key := []string{"Authorization", "Basic OnRoZSBvcGVyYXRvcidz"}
	c.send("POST", "/admin/settle/tidepool-traders", nil, 401)
	c.send("POST", "/admin/settle/tidepool-traders", nil, 409, key...)
	now = now.AddDate(0, 0, 3)
	preview := c.send("POST", "/admin/settle/tidepool-traders", []byte(`{"dryRun":true}`), 200, key...)
	if preview["supporterCount"] != 1.0 || len(processor.Entries()) != 0 {
		t.Errorf("dry run %v, books %v", preview, processor.Entries())
	}
	report := c.send("POST", "/admin/settle/tidepool-traders", nil, 200, key...)
	books := processor.Entries()
	if len(books) != 1 || report["totalCharged"] != float64(books[0].Amount) {
		t.Errorf("report %v, books %v", report, books)
	}
	c.send("POST", "/checkout-intent/start", []byte(`{`), 400)
	c.send("POST", "/checkout-intent/start", []byte(cart), 400, "Content-Type", "text/plain")
}

// Minute charges the pledges of a successful campaign, without a request from an operator.
func TestMinute_Settles(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	processor := sim.New(sim.Options{Now: clock, NoLimits: true, WebhookSecret: webhookSecret})
	s, c := open(t, processor, &inbox{}, clock)
	started := c.send("POST", "/checkout-intent/start", []byte(cart), 200)
	if err := processor.Complete(started["sessionId"].(string), sim.CardOK); err != nil {
		t.Fatal(err)
	}
	now = now.AddDate(0, 0, 3) // no webhook and no browser: the sweep completes the checkout
	if _, err := s.Minute(t.Context()); err != nil || len(processor.Entries()) != 1 {
		t.Errorf("books %v, %v", processor.Entries(), err)
	}
}

func open(t *testing.T, processor *sim.Sim, mails notify.Sender, now func() time.Time) (*pledgeworks.Services, client) {
	t.Helper()
	catalogue, err := campaignfile.Load(os.DirFS("../site"))
	if err != nil {
		t.Fatal(err)
	}
	forSale := func() *campaign.Catalogue { return catalogue }
	s, routes, err := shop(processor.Processor(), forSale, mails, nexus{}, bytes.Repeat([]byte("s"), 32), now)
	if err != nil {
		t.Fatal(err)
	}
	return s, client{t, routes}
}

func TestShop_HasTenLines(t *testing.T) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "shop.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var functions []*ast.FuncDecl
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			functions = append(functions, fn)
		}
	}
	if len(functions) != 1 {
		t.Fatalf("%d functions", len(functions))
	}
	body := functions[0].Body
	if n := files.Position(body.Rbrace).Line - files.Position(body.Lbrace).Line - 1; n > 10 {
		t.Errorf("shop has %d lines", n)
	}
}
