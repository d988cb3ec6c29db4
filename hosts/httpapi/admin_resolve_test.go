package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/admin/analytics"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func operators(keys ...string) map[string]string {
	list := ""
	for _, key := range keys {
		list += key + ":" + config.KeySum(key+"'s key") + ","
	}
	return map[string]string{"ADMIN_OPERATORS": list}
}

func key(of string) []string { return []string{"Authorization", "Bearer " + of + "'s key"} }

// newEdgeWithUnknownCharge returns an edge with a charge whose result is unknown.
func newEdgeWithUnknownCharge(t *testing.T, env map[string]string) (e *edge, token, group string) {
	t.Helper()
	return newEdgeWithUnknownChargeAndOptions(t, memory.Options{Env: env})
}

func newEdgeWithUnknownChargeAndOptions(t *testing.T, o memory.Options) (e *edge, token, group string) {
	t.Helper()
	e = newEdge(t, o)
	started, token := e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	if err := e.Sim.InjectFaults(sim.Fault{Kind: sim.ServerError, Op: sim.CreateIntent}); err != nil {
		t.Fatal(err)
	}
	for range 27 {
		e.cron()
		e.Advance(time.Hour)
	}
	return e, token, state.OwnGroupHash(game, started.Campaigns[0].OrderID)
}

// Two operators with their own keys must make the same statement. One operator is not enough, even
// with two statements.
//
// Proves REC-23.
func TestResolve_TwoOperators(t *testing.T) {
	e, token, group := newEdgeWithUnknownCharge(t, nil)
	path := "/admin/resolve/" + game
	nothing := state.Statement{Group: group, NothingCharged: true}
	for _, header := range [][]string{nil, key("cleo"), e.admin(), e.settler()} {
		e.Advance(time.Minute)
		e.wantStatus(e.post(path, nothing, header...), 401)
		e.wantStatus(e.get(path, "", header...), 401)
	}
	e.Advance(time.Minute)
	listed := decode[httpapi.Attention](t, e.get(path, "", key("ada")...))
	if len(listed.Charges) != 1 || listed.Charges[0].Group != group || listed.Charges[0].Reason != state.NoAnswer {
		t.Fatalf("listed: %+v", listed)
	}
	for range 2 {
		if r := decode[httpapi.Resolved](t, e.post(path, nothing, key("ada")...)); r.Confirmed ||
			r.Charge.Resolutions[0].StatedBy != "ada" {
			t.Fatalf("after one statement: %+v", r)
		}
	}
	r := decode[httpapi.Resolved](t, e.post(path, nothing, key("ben")...))
	if said := r.Charge.Resolutions[0]; !r.Confirmed || said.StatedBy != "ada" || said.ConfirmedBy != "ben" {
		t.Errorf("after both statements: %+v", r)
	}
	if v := e.view(token); v.Status != pledge.Charged || len(e.Sim.Entries()) != 1 {
		t.Errorf("pledge is %s, books = %+v", v.Status, e.Sim.Entries())
	}
	e.Advance(time.Minute)
	if listed := decode[httpapi.Attention](t, e.get(path, "", key("ada")...)); len(listed.Charges) != 0 {
		t.Errorf("listed: %+v", listed)
	}
	e.wantStatus(e.post(path, []byte(`{"group":"x","nothingCharged":"yes"}`), key("ada")...), 400)
	e.wantStatus(e.post(path, state.Statement{Group: "x"}, key("ada")...), 400)
	e.wantStatus(e.post(path, state.Statement{Group: "x", NothingCharged: true}, key("ada")...), 404)
}

// Proves REC-23.
func TestResolve_OneOperatorIsNotEnough(t *testing.T) {
	for name, env := range map[string]map[string]string{"none": operators(), "one": operators("ada")} {
		t.Run(name, func(t *testing.T) {
			e, _, group := newEdgeWithUnknownCharge(t, env)
			r := e.post("/admin/resolve/"+game, state.Statement{Group: group, NothingCharged: true}, key("ada")...)
			e.wantFailure(r, 403, "This requires two operators in ADMIN_OPERATORS")
		})
	}
}

// Less was captured than requested. The charge is listed with both amounts, and is booked with the
// processor's amount after two operators accept it.
func TestResolve_AcceptAmount(t *testing.T) {
	e := newEdge(t, memory.Options{})
	_, token := e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	if err := e.Sim.InjectFaults(sim.Fault{Kind: sim.PartialCapture, Op: sim.CreateIntent}); err != nil {
		t.Fatal(err)
	}
	e.cron()
	path := "/admin/resolve/" + game
	listed := decode[httpapi.Attention](t, e.get(path, "", key("ada")...)).Charges
	pledged := e.view(token).Amount
	if len(listed) != 1 || listed[0].Reason != state.AmountDiffers || listed[0].Amount != pledged ||
		listed[0].Received != pledged/2 || listed[0].PaymentID == "" {
		t.Fatalf("listed: %+v", listed)
	}
	st := state.Statement{Group: listed[0].Group, PaymentID: listed[0].PaymentID}
	e.wantStatus(e.post(path, st, key("ada")...), 409)
	st.AcceptAmount = true
	r := decode[httpapi.Resolved](t, e.post(path, st, key("ada")...))
	if r.Confirmed || !r.Charge.Resolutions[0].AcceptAmount {
		t.Fatalf("accepted by one operator: %+v", r)
	}
	r = decode[httpapi.Resolved](t, e.post(path, st, key("ben")...))
	if !r.Confirmed || r.Charge.Amount != pledged/2 || r.Charge.Requested != pledged {
		t.Errorf("accepted by both operators: %+v", r)
	}
	e.wantChargedAmount(token, pledged, pledged/2)
	st = state.Statement{Group: listed[0].Group, NothingCharged: true, AcceptAmount: true}
	e.wantField(e.post(path, st, key("ada")...), "acceptAmount")
}

// wantChargedAmount checks that every page, report and total contains the charged amount.
func (e *edge) wantChargedAmount(token string, pledged, charged money.Cents) {
	e.t.Helper()
	v := e.view(token)
	if v.Status != pledge.Charged || v.Amount != pledged || v.ChargedAmount != charged {
		e.t.Errorf("supporter's page: %s of %s, %s", v.ChargedAmount, v.Amount, v.Status)
	}
	get := func(path, query string) httpapi.Response {
		e.t.Helper()
		e.Advance(time.Minute)
		r := e.get(path, query, e.admin()...)
		e.wantStatus(r, 200)
		return r
	}
	dollars := strings.NewReplacer("$", "", ",", "").Replace(charged.String())
	if report := decode[httpapi.Report](e.t,
		get("/admin/reports/"+game+"/pledges", "")); report.Rows[0][slices.Index(report.Columns, "charged_total")] != dollars {
		e.t.Errorf("report row = %v", report.Rows[0])
	}
	var books struct{ Journals []accounting.Journal }
	if err := json.Unmarshal(get("/admin/accounting/"+game, "").Body, &books); err != nil || len(books.Journals) != 1 ||
		books.Journals[0].Lines[0].Amount+books.Journals[0].Lines[1].Amount != charged {
		e.t.Errorf("journals = %+v, %v", books.Journals, err)
	}
	if figures := decode[analytics.Report](e.t, get("/admin/analytics/"+game, "")); figures.Total.Charged != charged ||
		figures.Total.Total != pledged {
		e.t.Errorf("figures = %+v", figures.Total)
	}
	found := decode[supporters.Found](e.t,
		e.post("/admin/supporters", supporters.Query{CampaignSlug: game, Text: "a@example.com"}, e.admin()...)).Supporters
	if len(found) != 1 || *found[0].Amount != charged {
		e.t.Errorf("search result = %+v", found)
	}
	known := decode[supporters.Timeline](e.t,
		get("/admin/supporters/timeline", "campaignSlug="+game+"&orderId="+v.OrderID))
	if known.Pledges[0].ChargedAmount != charged {
		e.t.Errorf("timeline = %+v", known.Pledges[0])
	}
	for _, event := range known.Events {
		if event.Type == "charged" && event.Source == "pledge" && *event.Amount != charged {
			e.t.Errorf("timeline charged = %s", event.Amount)
		}
	}
	st := decode[settlement.Status](e.t, e.get("/admin/settlement/"+game, "", e.settler()...))
	if st.Funds.Collected != charged || st.Funds.Pledged != pledged {
		e.t.Errorf("funds = %+v", st.Funds)
	}
	mails, err := e.Mails(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	told := slices.IndexFunc(mails, func(m notify.Mail) bool { return m.Kind == notify.Charged })
	if told < 0 || !strings.Contains(mails[told].Subject, charged.String()) ||
		!strings.Contains(mails[told].Text, "You agreed to "+pledged.String()) {
		e.t.Errorf("mails = %+v", mails)
	}
}

// If the processor's response belongs to another customer's charge, the charge is listed with the
// differing field.
func TestResolve_ListsDifferences(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	for _, op := range []sim.Op{sim.CreateIntent, sim.ListIntents, sim.ListIntents} {
		if err := e.Sim.InjectFaults(sim.Fault{Kind: sim.OtherCustomer, Op: op}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Services.Settlement.Dispatch(t.Context(), game); err != nil {
		t.Fatal(err)
	}
	listed := decode[httpapi.Attention](t, e.get("/admin/resolve/"+game, "", key("ada")...)).Charges
	if len(listed) != 1 || listed[0].Reason != state.AnswerDiffers || len(listed[0].Differences) != 2 ||
		listed[0].Differences[1].PaymentID == "" || listed[0].Differences[1].Field != "customer" {
		t.Errorf("listed: %+v", listed)
	}
}
