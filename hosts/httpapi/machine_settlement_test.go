package httpapi_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Proves SET-27, SET-28, SET-29, SET-30, SET-31, SET-32.
func TestSettlementRoutes(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for n := range 20 {
		e.pledge("fan"+string(rune('a'+n))+"@example.com", gameCart(1), cardOK)
		e.Advance(2 * time.Second) // avoids the limit of checkouts
	}
	e.wantStatus(e.post("/admin/settle/"+game, nil, e.settler()...), 409)
	e.Advance(48 * time.Hour)
	before := e.kept()
	dry := decode[settlement.Report](t, e.post("/admin/settle/"+game, map[string]bool{"dryRun": true}, e.settler()...))
	if dry.Preview == nil || dry.SupporterCount != 20 || len(dry.Supporters) != 20 {
		t.Fatalf("dry run = %+v", dry)
	}
	for _, odd := range []string{`{"dryRun":"true"}`, `{"dryRun":1}`, `{"dryRun":[true]}`} {
		e.Advance(time.Minute)
		e.wantStatus(e.post("/admin/settle/"+game, []byte(odd), e.settler()...), 400)
	}
	for _, misspelt := range []struct{ route, query, body, field string }{
		{"settle", "", `{"dry_run":true}`, "dry_run"},
		{"settle", "", `{"dryrun":true}`, "dryrun"},
		{"settle", "", `{"dryRun":true,"limit":1}`, "limit"},
		{"settle", "dryRun=true", ``, "dryRun"},
		{"settle-dispatch", "", `{"dryRun":true}`, "dryRun"},
		{"settle-dispatch", "dryRun=true", `{}`, "dryRun"},
	} {
		e.Advance(time.Minute)
		e.wantField(e.do("POST", "/admin/"+misspelt.route+"/"+game, misspelt.query, []byte(misspelt.body), e.settler()...),
			misspelt.field)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("dry run wrote: %s", diff)
	}
	p := decode[settlement.Progress](t,
		e.post("/admin/settle-dispatch/"+game, nil, append(e.settler(), "Content-Type", "")...))
	if p.CampaignSlug != game || p.BatchResult.Charged == 0 {
		t.Errorf("dispatched: %+v", p)
	}
	p = decode[settlement.Progress](t,
		e.post("/admin/settle-batch", map[string]string{"campaignSlug": game}, e.settler()...))
	if p.Status != state.JobDone || p.Progress.TotalCharged != 20 || p.Progress.AmountCharged != dry.TotalAmount {
		t.Errorf("after the last batch: %+v", p)
	}
	for _, body := range []any{nil, map[string]any{}, map[string]bool{"dryRun": false}} {
		e.Advance(time.Minute)
		done := decode[settlement.Report](t, e.post("/admin/settle/"+game, body, e.settler()...))
		if done.DryRun || done.Result == nil || !done.Success || done.CompletedAt == nil || done.SupportersCharged != 0 {
			t.Errorf("settled again with %v: %+v", body, done)
		}
	}
	if got := len(e.Sim.Entries()); got != 20 {
		t.Errorf("%d charges at the processor", got)
	}
	mails, err := e.Mails(context.Background())
	charged := 0
	for _, m := range mails {
		if m.Kind == notify.Charged {
			charged++
		}
	}
	if err != nil || charged != 20 {
		t.Errorf("%d mails about charges (%v)", charged, err)
	}
}

// Proves REC-03, REC-04.
func TestRecoverCheckoutAndCronStatus(t *testing.T) {
	e := newEdge(t, memory.Options{})
	s := e.start("a@example.com", filmCart())
	if err := e.Sim.Complete(s.SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.post("/admin/recover-checkout", map[string]string{"sessionId": "cs_test_none"}, e.admin()...), 404)
	got := decode[checkout.Completed](t,
		e.post("/admin/recover-checkout", map[string]string{"sessionId": s.SessionID}, e.admin()...))
	if !got.Persisted || !got.Recovered || got.OrderID != s.OrderID {
		t.Errorf("recovered: %+v", got)
	}
	e.wantStatus(e.get("/admin/cron/status", "", e.admin()...), 200)
	if _, err := e.Services.Cron(context.Background()); err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.get("/admin/cron/status", "", e.admin()...), 200)
	e.wantStatus(e.get("/readyz", ""), 200)
	e.wantStatus(e.get("/healthz", ""), 200)
}
