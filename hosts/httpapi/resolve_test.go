package httpapi_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement"
)

func operators(keys ...string) map[string]string {
	list := ""
	for _, key := range keys {
		list += key + ":" + config.KeySum(key+"'s key") + ","
	}
	return map[string]string{"ADMIN_OPERATORS": list}
}

func key(of string) []string { return []string{"Authorization", "Bearer " + of + "'s key"} }

// ambiguous is an edge with a charge of which nobody knows whether it happened.
func ambiguous(t *testing.T, env map[string]string) (e *edge, token, group string) {
	t.Helper()
	return ambiguousWith(t, memory.Options{Env: env})
}

func ambiguousWith(t *testing.T, o memory.Options) (e *edge, token, group string) {
	t.Helper()
	e = newEdge(t, o)
	started, token := e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	if err := e.Sim.Order(sim.Fault{Kind: sim.ServerError, Op: sim.CreateIntent}); err != nil {
		t.Fatal(err)
	}
	for range 27 {
		e.cron()
		e.Advance(time.Hour)
	}
	return e, token, settlement.OwnGroupHash(game, started.Campaigns[0].OrderID)
}

// Two people with keys of their own say the same; one alone, in two words, is not enough.
//
// Proves REC-23.
func TestTwoOperatorsResolve(t *testing.T) {
	e, token, group := ambiguous(t, nil)
	path := "/admin/resolve/" + game
	nothing := settlement.Statement{Group: group, NothingCharged: true}
	for _, header := range [][]string{nil, key("cleo"), e.admin(), e.settler()} {
		e.Advance(time.Minute)
		e.wantStatus(e.post(path, nothing, header...), 401)
		e.wantStatus(e.get(path, "", header...), 401)
	}
	e.Advance(time.Minute)
	listed := decode[httpapi.Attention](t, e.get(path, "", key("ada")...))
	if len(listed.Charges) != 1 || listed.Charges[0].Group != group || listed.Charges[0].Reason != settlement.NoAnswer {
		t.Fatalf("listed: %+v", listed)
	}
	for range 2 {
		if r := decode[httpapi.Resolved](t, e.post(path, nothing, key("ada")...)); r.Confirmed || r.Charge.Resolutions[0].StatedBy != "ada" {
			t.Fatalf("said by one: %+v", r)
		}
	}
	r := decode[httpapi.Resolved](t, e.post(path, nothing, key("ben")...))
	if said := r.Charge.Resolutions[0]; !r.Confirmed || said.StatedBy != "ada" || said.ConfirmedBy != "ben" {
		t.Errorf("said by both: %+v", r)
	}
	if v := e.view(token); v.Status != pledge.Charged || len(e.Sim.Books()) != 1 {
		t.Errorf("the pledge is %s, and the books have %+v", v.Status, e.Sim.Books())
	}
	e.Advance(time.Minute)
	if listed := decode[httpapi.Attention](t, e.get(path, "", key("ada")...)); len(listed.Charges) != 0 {
		t.Errorf("listed: %+v", listed)
	}
	e.wantStatus(e.post(path, []byte(`{"group":"x","nothingCharged":"yes"}`), key("ada")...), 400)
	e.wantStatus(e.post(path, settlement.Statement{Group: "x"}, key("ada")...), 400)
	e.wantStatus(e.post(path, settlement.Statement{Group: "x", NothingCharged: true}, key("ada")...), 404)
}

// Proves REC-23.
func TestResolvingTakesTwoOperators(t *testing.T) {
	for name, env := range map[string]map[string]string{"none": operators(), "one": operators("ada")} {
		t.Run(name, func(t *testing.T) {
			e, _, group := ambiguous(t, env)
			r := e.post("/admin/resolve/"+game, settlement.Statement{Group: group, NothingCharged: true}, key("ada")...)
			e.wantFailure(r, 403, "This takes two operators, whom ADMIN_OPERATORS names")
		})
	}
}

// Less was captured than was requested. The charge is listed with both amounts, and booked with
// the processor's once two operators accept it.
func TestResolve_AcceptAmount(t *testing.T) {
	e := newEdge(t, memory.Options{})
	_, token := e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	if err := e.Sim.Order(sim.Fault{Kind: sim.PartialCapture, Op: sim.CreateIntent}); err != nil {
		t.Fatal(err)
	}
	e.cron()
	path := "/admin/resolve/" + game
	listed := decode[httpapi.Attention](t, e.get(path, "", key("ada")...)).Charges
	pledged := e.view(token).Amount
	if len(listed) != 1 || listed[0].Reason != settlement.AmountDiffers || listed[0].Amount != pledged || listed[0].Received != pledged/2 || listed[0].PaymentID == "" {
		t.Fatalf("listed: %+v", listed)
	}
	st := settlement.Statement{Group: listed[0].Group, PaymentID: listed[0].PaymentID}
	e.wantStatus(e.post(path, st, key("ada")...), 409)
	st.AcceptAmount = true
	r := decode[httpapi.Resolved](t, e.post(path, st, key("ada")...))
	if r.Confirmed || !r.Charge.Resolutions[0].AcceptAmount {
		t.Fatalf("accepted by one: %+v", r)
	}
	r = decode[httpapi.Resolved](t, e.post(path, st, key("ben")...))
	if !r.Confirmed || r.Charge.Amount != pledged/2 || r.Charge.Requested != pledged {
		t.Errorf("accepted by both: %+v", r)
	}
	if v := e.view(token); v.Status != pledge.Charged || v.Amount != pledged {
		t.Errorf("the pledge of %s is %s", v.Amount, v.Status)
	}
	st = settlement.Statement{Group: listed[0].Group, NothingCharged: true, AcceptAmount: true}
	e.wantField(e.post(path, st, key("ada")...), "acceptAmount")
}

// The processor's answer is about another customer's charge: it is listed with the field that
// differs.
func TestResolve_ListsDifferences(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	for _, op := range []sim.Op{sim.CreateIntent, sim.ListIntents, sim.ListIntents} {
		if err := e.Sim.Order(sim.Fault{Kind: sim.OtherCustomer, Op: op}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Services.Settlement.Dispatch(t.Context(), game); err != nil {
		t.Fatal(err)
	}
	listed := decode[httpapi.Attention](t, e.get("/admin/resolve/"+game, "", key("ada")...)).Charges
	if len(listed) != 1 || listed[0].Reason != settlement.AnswerDiffers || len(listed[0].Differences) != 2 || listed[0].Differences[1].PaymentID == "" || listed[0].Differences[1].Field != "customer" {
		t.Errorf("listed: %+v", listed)
	}
}
