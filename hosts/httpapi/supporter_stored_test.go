package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const cardNumber = "4242424242424242"

// scenario is a campaign from the first checkout to the last charge, with its complete log. secrets
// contains the values that must not be stored.
type scenario struct {
	*edge
	log     bytes.Buffer
	secrets map[string]string // by name
}

func runScenario(t *testing.T) *scenario {
	s := &scenario{}
	log := slog.New(slog.NewJSONHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.edge = newEdge(t, memory.Options{Log: log, Env: map[string]string{
		"PSP_SECRET_KEY_TEST": "sk_test_canary0apikey", "PSP_WEBHOOK_SECRET_TEST": "whsec_canary0webhook",
	}})
	s.wantStatus(s.typed("/checkout-intent/start",
		map[string]any{"email": "typed@example.com", "campaignSlug": film, "items": filmCart().Items}), 200)
	saved := s.start("saved@example.com", filmCart())
	if err := s.Sim.Complete(saved.SessionID, cardNumber); err != nil {
		t.Fatal(err)
	}
	s.wantStatus(s.typed("/checkout-intent/complete",
		map[string]any{"orderId": saved.OrderID, "sessionId": saved.SessionID}), 200)
	started, token := s.pledge("supporter@example.com", gameCart(20), cardNumber)
	declined, _ := s.pledge("declined@example.com", gameCart(1), sim.CardChargeDeclined)
	card := decode[checkout.CardStarted](t, s.typed("/pledge/payment-method/start", map[string]any{"token": token}))
	s.signed("evt_canary", psp.PaymentFailed)
	s.signed("evt_unknown", "topup.succeeded")
	s.secrets = map[string]string{
		"card number": cardNumber, "CVV": "canary0cvc", "payment form": "canary0form",
		"client secret": started.ClientSecret, "another client secret": declined.ClientSecret,
		"card's client secret": card.ClientSecret,
		"API key":              "canary0apikey", "webhook secret": "canary0webhook", "payload": "canary0payload",
		"processor's ledger": "canary0ledger",
	}
	s.Deliver(t.Context())
	if _, err := s.Services.Access.ConfirmReader(t.Context(), "", film, "production@harborlantern.example"); err != nil {
		t.Fatal(err)
	}
	s.Advance(48 * time.Hour)
	if _, err := s.Services.Cron(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Deliver(t.Context())
	if _, err := s.Mails(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := len(s.Sim.Entries()); got != 1 {
		t.Fatalf("%d payments at the end, want 1", got)
	}
	return s
}

// typed posts a body that also contains data from a payment form.
func (s *scenario) typed(path string, body map[string]any) httpapi.Response {
	body["card"], body["cardForm"] = map[string]string{"number": cardNumber, "cvc": "canary0cvc"}, "canary0form"
	return s.post(path, body)
}

// signed delivers an event with many more fields than the service needs.
func (s *scenario) signed(id string, kind psp.EventType) {
	body := fmt.Appendf(nil, `{"id":%q,"object":"event","type":%q,"livemode":false,"created":%d,"api_version":%q,
		"data":{"object":{"id":"pi_canary","object":"payment_intent","description":"canary0payload","receipt_email":"payload@example.com",
		"client_secret":"canary0payload","payment_method":{"card":{"number":%q}},"balance_transaction":{"description":"canary0ledger"}}}}`,
		id, kind, s.Now().Unix(), psp.Version, cardNumber)
	secret := s.Config.PSPWebhookSecret().Reveal()
	s.wantStatus(s.do("POST", "/webhooks/psp", "", body, "Psp-Signature", sim.Sign(body, secret, s.Now())), 200)
}

// everything returns all stored keys and values.
func (s *scenario) everything() map[string]string {
	all := map[string]string{}
	add := func(place string, entries []kv.Entry) {
		for _, e := range entries {
			all[place+" "+e.Key] = string(e.Value)
		}
	}
	snapshot := s.DB.Snapshot()
	for namespace, entries := range snapshot.Stores {
		add(namespace, entries)
	}
	for object, entries := range snapshot.Objects {
		add(object.Class+"/"+object.Name, entries)
	}
	return all
}

// Card data is stored only by the processor.
//
// Proves CHK-05, KVR-59, KVR-60, KVR-61, KVR-62.
func TestStored_NoCardData(t *testing.T) {
	s := runScenario(t)
	for name, secret := range s.secrets {
		if len(secret) < 8 {
			t.Fatalf("%s is %q: the test data lacks the secret", name, secret)
		}
		for key, value := range s.everything() {
			if strings.Contains(key+value, secret) {
				t.Errorf("%s holds the %s", key, name)
			}
		}
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log contains the %s", name)
		}
	}
	if !strings.Contains(s.log.String(), "/checkout-intent/start") {
		t.Error("the log is incomplete")
	}
	for _, person := range []string{"supporter@example.com", "declined@example.com", "typed@example.com",
		"saved@example.com", "payload@example.com", "Shore Road"} {
		if strings.Contains(s.log.String(), person) {
			t.Errorf("the log contains %s", person)
		}
	}
}

// Required and optional fields of a record.
var (
	groupHas = []string{"status", "idempotencyKey", "amount", "currency", "pspCustomerId", "pspPaymentMethodId",
		"submittedAt", "paymentIntentId", "processorStatus", "updatedAt"}
	eventHas = []string{"version", "kind", "eventId", "eventType", "objectId", "outcome",
		"mode", "apiVersion", "valueTime", "bookedAt"}
	eventMay   = []string{"orderId", "campaignSlug", "paymentId", "reason"}
	requestHas = []string{"version", "kind", "operation", "outcome", "requests", "httpStatus",
		"requestId", "mode", "apiVersion", "at", "tookMs"}
	requestMay = []string{"objectId", "idempotencyKey", "group", "code", "declineCode", "replayed"}
)

// evidenceOf returns the name of a processor event or request, including its outcome, its time, and
// its required and optional fields.
func evidenceOf(record map[string]any) (name string, at any, has, may []string) {
	if record["kind"] != "request" {
		name, at, has, may = fmt.Sprint(record["eventType"], " ", record["outcome"]), record["valueTime"], eventHas, eventMay
		if record["outcome"] == "skipped" {
			has = append(slices.Clone(has), "reason")
		}
		if record["eventType"] == string(psp.SessionCompleted) {
			has = append(slices.Clone(has), "orderId", "campaignSlug")
		}
		return name, at, has, may
	}
	name, at, has, may = fmt.Sprint(record["operation"], " ", record["outcome"]), record["at"], requestHas, requestMay
	switch record["operation"] {
	case "account.retrieve", "sessions.retrieve", "payments.retrieve":
		has = append(slices.Clone(has), "objectId")
	case "payments.list", "customers.list", "balance_transactions.list", "disputes.list",
		"early_fraud_warnings.list", "payouts.list": // of all customers
	case "payments.create":
		has = append(slices.Clone(has), "objectId", "idempotencyKey", "group")
	default:
		has = append(slices.Clone(has), "objectId", "idempotencyKey")
	}
	return name, at, has, may
}

// Proves KVR-09, KVR-65: the records of groups, events and requests contain the processor's
// identifiers, status, times and requested values, and no address.
func TestStored_ProcessorRecords(t *testing.T) {
	s := runScenario(t)
	seen := map[string]int{}
	for key, value := range s.everything() {
		group := strings.HasPrefix(key, "PLEDGES settlement-group:v1:")
		rest, evidence := strings.CutPrefix(key, "PLEDGES processor-event:v1:")
		if !group && !evidence {
			continue
		}
		if strings.Contains(key+value, "@") || strings.Contains(value, "Shore Road") {
			t.Errorf("%s contains personal data: %s", key, value)
		}
		var record map[string]any
		if err := json.Unmarshal([]byte(value), &record); err != nil {
			t.Fatal(err)
		}
		name, has := "group", groupHas
		if evidence {
			var at any
			var may []string
			name, at, has, may = evidenceOf(record)
			if !strings.HasPrefix(rest, strings.NewReplacer("-", "", ":", "").Replace(fmt.Sprint(at))+":") {
				t.Errorf("%s is of %v", key, at)
			}
			for field := range record {
				if !slices.Contains(has, field) && !slices.Contains(may, field) {
					t.Errorf("%s keeps %s: %s", key, field, value)
				}
			}
		}
		seen[name]++
		for _, field := range has {
			if v, ok := record[field]; !ok || v == "" || v == nil {
				t.Errorf("%s has no %s: %s", key, field, value)
			}
		}
	}
	for _, name := range []string{"group", "checkout.session.completed applied", "topup.succeeded skipped",
		"customers.create done",
		"sessions.create done", "sessions.retrieve done", "payments.create succeeded", "payments.create declined"} {
		if seen[name] == 0 {
			t.Errorf("%s is not stored: %v", name, seen)
		}
	}
	if seen["group"] != 2 {
		t.Errorf("%d groups", seen["group"])
	}
}

// moneyHeld lists words that a service would use if it held money for others.
var moneyHeld = []string{"wallet", "balance", "ledger", "credit", "debit", "payout", "refund",
	"escrow", "marketplace", "storedvalue", "stored-value"}

// fields adds all field names in a stored value to the map.
func fields(v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			into[name] = true
			fields(inner, into)
		}
	case []any:
		for _, inner := range v {
			fields(inner, into)
		}
	}
}

// aboutCharges lists the names with such words that concern the service's own charges: the
// processor's record of a payment, and the ledger that MON-07 requires with its refunds.
var aboutCharges = []string{"balanceTransactionId", "pspBalanceTransactionId", "balances",
	"/admin/accounting/:slug/ledger", "/admin/accounting/:slug/ledger.txt", "/admin/accounting/:slug/tax.csv", "/admin/refunds/:slug",
	"/admin/refunds/:slug/quote", "/admin/refunds/:slug/confirm", "/admin/refunds/:slug/withdraw",
	"/admin/refunds/:slug/repaid", "/admin/refunds/:slug/run", "/admin/refunds/:slug/run/preview",
	"/admin/refunds/:slug/run/change", "/admin/payouts", "/admin/payouts/:slug"}

// Proves MON-02, MON-07, KVR-01, KVR-63: a complete campaign leaves these kinds of records, none of
// which contains the balance of a person or a field for one.
func TestStored_NoBalances(t *testing.T) {
	s := runScenario(t)
	families, names := map[string]bool{}, map[string]bool{}
	for key, value := range s.everything() {
		place, rest, _ := strings.Cut(key, " ")
		family, _, _ := strings.Cut(rest, ":")
		class, _, isObject := strings.Cut(place, "/")
		if isObject {
			family = class
		} else if place != "PLEDGES" && place != "RATELIMIT" {
			t.Errorf("%s is in %s", rest, place)
		}
		if place != "RATELIMIT" {
			families[family] = true
		}
		var v any
		if json.Unmarshal([]byte(value), &v) == nil {
			fields(v, names)
		}
	}
	want := []string{
		"add-on-inventory-sold", "campaign", "campaign-charged", "campaign-pledges",
		"campaign-runner-report", "checkout-intent", "cron", "email",
		"email-delivery", "observed", "order", "pledge", "processor-event", "psp-event", "settlement", "settlement-group",
		"settlement-job", "stats", "tier-inventory",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(families))); diff != "" {
		t.Errorf("record families: %s", diff)
	}
	if len(names) < 50 {
		t.Fatalf("only %d fields were read", len(names))
	}
	for _, r := range s.API.Routes() {
		names[r.Pattern] = true
	}
	for name := range names {
		if slices.Contains(aboutCharges, name) {
			continue
		}
		for _, word := range moneyHeld {
			if strings.Contains(strings.ToLower(name), word) {
				t.Errorf("field or route named %s", name)
			}
		}
	}
	rule, err := os.ReadFile("../../docs/decisions/0010-ledger-before-balances.md")
	if err != nil || !strings.Contains(string(rule), "begins with an append-only ledger") {
		t.Errorf("the rule for future balances is not documented: %v", err)
	}
}

// Proves EML-03, EML-04.
func TestSettlement_MailsSupporters(t *testing.T) {
	s := runScenario(t)
	mails, err := s.Mails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, m := range mails {
		got[string(m.Kind)+" to "+m.To]++
		if m.Kind == notify.UpdateCard && !strings.Contains(m.Text, string(s.Config.Site.Base)+"/manage/#t=") {
			t.Errorf("mail asks for a new card without a link: %s", m.Text)
		}
	}
	want := map[string]int{
		"confirmation to supporter@example.com": 1, "charged to supporter@example.com": 1,
		"confirmation to saved@example.com":    1,
		"confirmation to declined@example.com": 1, "update_card to declined@example.com": 1,
		"runner_report to production@harborlantern.example": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Proves KVR-57, KVR-58.
func TestLimits_CountersExpire(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for range 3 {
		e.from("192.0.2.1", "GET", "/votes", nil)
	}
	var got kv.Count
	if err := json.Unmarshal([]byte(e.counters()["rl:votes:192.0.2.1"]), &got); err != nil {
		t.Fatal(err)
	}
	if got.N != 3 || !got.Reset.Equal(e.Now().Add(time.Minute)) {
		t.Errorf("counter = %+v at %s", got, e.Now())
	}
	e.from("192.0.2.2", "GET", "/votes", nil)
	e.from("192.0.2.1", "GET", "/pledge", nil)
	for key, want := range map[string]int{"rl:votes:192.0.2.1": 3, "rl:votes:192.0.2.2": 1, "rl:pledge:192.0.2.1": 1} {
		if err := json.Unmarshal([]byte(e.counters()[key]), &got); err != nil || got.N != want {
			t.Errorf("%s is %+v, %v", key, got, err)
		}
	}
	e.Advance(2 * time.Minute)
	if left := e.counters(); len(left) != 0 {
		t.Errorf("after two minutes: %v", left)
	}
}

// Proves SHP-01, SHP-08.
func TestShipping_AddressAndOption(t *testing.T) {
	e := newEdge(t, memory.Options{})
	abroad := home
	abroad.Country, abroad.State = "CA", "ON"
	for name, tc := range map[string]struct {
		option  string
		to      *pledge.Address
		want    money.Cents
		offered int
	}{"standard": {"", &home, 750, 2}, "signed": {"signature_required", &home, 1145, 2}, "abroad": {"", &abroad, 750, 1}} {
		cart := gameCart(1)
		cart.ShippingAddress, cart.ShippingOption = tc.to, tc.option
		r := e.post("/shipping/quote", cart)
		e.wantStatus(r, 200)
		q := decode[checkout.ShippingQuote](t, r)
		quoted := q.Shipping
		if got := len(q.Quotes[0].Options); got != tc.offered {
			t.Errorf("%s: %d options, want %d", name, got, tc.offered)
		}
		started := e.start(name+"@example.com", cart)
		if got := started.Campaigns[0].Shipping; got != tc.want || quoted != tc.want {
			t.Errorf("%s: quoted %s, checkout has %s, want %s", name, quoted, got, tc.want)
		}
	}
	cart := gameCart(1)
	cart.Items = append(cart.Items, checkout.Item{ID: "addon__platform-shirt__variant__m"})
	q := decode[checkout.ShippingQuote](t, e.post("/shipping/quote", cart))
	if got := e.start("two@example.com", cart).Campaigns[0].Shipping; len(q.Quotes) != 2 ||
		q.Shipping != 1050 || got != q.Shipping {
		t.Errorf("two parcels: quoted %+v, checkout has %s", q, got)
	}
	cart = gameCart(1)
	cart.ShippingAddress = &abroad
	started, _ := e.pledge("stored@example.com", cart, cardOK)
	b, err := e.Services.Stores.Pledges.Get(t.Context(), "pledge:"+started.Campaigns[0].OrderID)
	var kept struct{ ShippingAddress pledge.Address }
	if err != nil || json.Unmarshal(b, &kept) != nil || kept.ShippingAddress != abroad {
		t.Errorf("parcel address = %+v, %v", kept.ShippingAddress, err)
	}
	for name, option := range map[string]string{"an unknown option": "by_balloon",
		"an option not offered abroad": "signature_required"} {
		cart.ShippingOption = option
		r := e.post("/checkout-intent/start", checkout.StartRequest{Cart: cart, Email: "a@example.com"})
		if f := decode[failure](t, r); r.Status != 400 || f.Field != "shippingOption" {
			t.Errorf("%s: status %d: %s", name, r.Status, r.Body)
		}
	}
}
