package httpapi_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

func (e *edge) webhooks(days string) httpapi.WebhookSummary {
	e.t.Helper()
	return decode[httpapi.WebhookSummary](e.t, e.get("/admin/observability/webhooks", days, e.admin()...))
}

func (e *edge) hook(body, secret string) httpapi.Response {
	e.t.Helper()
	return e.do("POST", "/webhooks/psp", "", []byte(body), "Psp-Signature", sim.Sign([]byte(body), secret, e.Now()))
}

func anEvent(id string, kind psp.EventType, live string) string {
	return `{"id":"` + id + `","object":"event","type":"` + string(kind) + `","livemode":` +
		live + `,"created":1,"data":{"object":{"id":"pi_1"}}}`
}

// Every delivery is counted by its outcome: a mode mismatch only if the signature is valid, and an
// unsigned delivery without any of its content.
//
// Proves OBS-01, OBS-02, OBS-03, WHK-24 and WHK-27.
func TestObservability_Webhooks(t *testing.T) {
	e := newEdge(t, memory.Options{})
	secret := e.Config.PSPWebhookSecret().Reveal()
	// Each outcome has a different count.
	times := func(n int, body, secret string, status int) {
		t.Helper()
		for range n {
			e.wantStatus(e.hook(body, secret), status)
		}
	}
	times(1+5, anEvent("evt_failed", psp.PaymentFailed, "false"), secret, 200)
	times(1, anEvent("evt_topup", "topup.succeeded", "false"), secret, 200)
	times(2, anEvent("evt_live", psp.PaymentFailed, "true"), secret, 200)
	times(3, anEvent("evt_MARKER", psp.PaymentFailed, "true"), "whsec_another", 401)
	times(4, `{}`, secret, 400)
	e.Advance(26 * time.Hour)
	s, _ := e.pledge("a@example.com", gameCart(1), cardOK)
	e.Deliver(t.Context())
	got := e.webhooks("days=1")
	if got.Applied == 0 || got.SignatureFailures != 0 || got.Types[string(psp.SessionCompleted)] != 1 ||
		len(got.Recent) != got.Received {
		t.Errorf("today, with the checkout %s: %+v", s.OrderID, got)
	}
	today := got
	got = e.webhooks("")
	want := httpapi.WebhookSummary{Days: 7, Received: today.Received + 16, Applied: today.Applied + 1,
		Skipped: today.Skipped + 1, Duplicates: 5,
		SignatureFailures: 3, Invalid: 4, ModeMismatches: 2, Types: map[string]int{}, Recent: got.Recent}
	maps.Copy(want.Types, today.Types)
	want.Types[string(psp.PaymentFailed)] += 8
	want.Types["other"]++
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the week (-want +got):\n%s", diff)
	}
	var first []string // of the week, newest first
	for _, o := range got.Recent[today.Received:] {
		first = append(first, o.EventID+" "+o.Type+" "+o.Outcome)
	}
	failed := string(psp.PaymentFailed)
	wantFirst := slices.Concat(slices.Repeat([]string{"evt_live " + failed + " mode_mismatch"}, 2),
		[]string{"evt_topup topup.succeeded skipped"},
		slices.Repeat([]string{"evt_failed " + failed + " duplicate"}, 5), []string{"evt_failed " + failed + " applied"})
	if diff := cmp.Diff(wantFirst, first); diff != "" {
		t.Errorf("the first outcomes (-want +got):\n%s", diff)
	}
	for _, entry := range e.DB.Snapshot().Stores["PLEDGES"] {
		if strings.Contains(string(entry.Value), "MARKER") {
			t.Errorf("%s contains content of unsigned deliveries", entry.Key)
		}
	}
	for _, days := range []string{"0", "36", "x", "-1", "1.5"} {
		e.Advance(time.Minute)
		e.wantStatus(e.get("/admin/observability/webhooks", "days="+days, e.admin()...), 400)
	}
	e.Advance(time.Minute)
	e.wantStatus(e.get("/admin/observability/webhooks", ""), 401)
	e.Advance(36 * 24 * time.Hour)
	if got := e.webhooks("days=35"); got.Received != 0 {
		t.Errorf("after 36 days: %+v", got)
	}
}

// Proves OBS-04.
func TestObservability_Timings(t *testing.T) {
	var e *edge
	var takes time.Duration
	e = newEdge(t, memory.Options{Fail: func(op memkv.Op) error {
		if op.Kind == memkv.OpIncrement && op.After {
			e.Advance(takes)
		}
		return nil
	}})
	for n := range 20 {
		takes = 40 * time.Millisecond
		switch n {
		case 18:
			takes = 300 * time.Millisecond
		case 19:
			takes = 3 * time.Second
		}
		e.post("/tax/quote", gameCart(1))
		e.get("/pledge", "") // reads are not counted
	}
	takes = 0
	got := decode[httpapi.PerformanceSummary](t, e.get("/admin/observability/performance", "", e.admin()...))
	quotes := httpapi.RouteTiming{Route: "/tax/quote", Count: 20, P50: 50, P95: 500, P99: 5000, Longest: 3000}
	want := httpapi.PerformanceSummary{
		Days: 7, Routes: []httpapi.RouteTiming{quotes},
		Slowest: []httpapi.SlowDay{{Date: e.Now().UTC().Format(time.DateOnly), RouteTiming: quotes}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The observations of two processes are added up without losing any.
func TestObservability_TwoProcesses(t *testing.T) {
	e := newEdge(t, memory.Options{})
	other, err := httpapi.New(e.Services, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"campaignSlug":"` + game + `","items":[{"id":"` + game + `__the-game"}]}`)
	header := func(name string) string {
		return map[string]string{"Content-Type": "application/json", "Origin": string(e.Config.Site.Base)}[name]
	}
	var wg sync.WaitGroup
	for i := range 20 {
		api := []*httpapi.API{e.API, other}[i%2]
		wg.Go(func() {
			api.Serve(t.Context(),
				httpapi.Request{Method: "POST", Path: "/tax/quote", Body: body, ClientIP: "192.0.2.1", Header: header})
		})
	}
	wg.Wait()
	e.Advance(time.Minute)
	for _, api := range []*httpapi.API{e.API, other} { // each writes with its next change
		r := api.Serve(t.Context(), httpapi.Request{Method: "POST", Path: "/pledge/links",
			Body: []byte(`{"email":"a@example.com"}`), ClientIP: "192.0.2.1", Header: header})
		e.wantStatus(r, 200)
	}
	got := decode[httpapi.PerformanceSummary](t, e.get("/admin/observability/performance", "days=2", e.admin()...))
	counts := map[string]int{}
	for _, r := range got.Routes {
		counts[r.Route] = r.Count
		if r.P50 > r.P95 || r.P95 > r.P99 {
			t.Errorf("%+v", r)
		}
	}
	if diff := cmp.Diff(map[string]int{"/tax/quote": 20, "/pledge/links": 2}, counts); diff != "" {
		t.Errorf("the counts (-want +got):\n%s", diff)
	}
	e.wantStatus(e.get("/admin/observability/performance", ""), 401)
}

// The slowest routes of seven days are computed from the same observations.
//
// Proves PLN-08, PLN-09, PLN-10.
func TestObservability_Slowest(t *testing.T) {
	e := newEdge(t, memory.Options{})
	keep := func(daysAgo int, process, timings, longest string) {
		t.Helper()
		key := "observed:v1:" + e.Now().UTC().AddDate(0, 0, -daysAgo).Format(time.DateOnly) + ":" + process
		text := `{"timings":` + timings + `,"longest":` + longest + `}`
		if err := e.Services.Stores.Pledges.Apply(t.Context(), []kv.Write{kv.Put(key, []byte(text))}); err != nil {
			t.Fatal(err)
		}
	}
	// Classes end at 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000 and 30000 ms.
	keep(0, "a", `{"/votes":[0,0,0,9,0,0,0,0,0,0,0,0,0,0,0]}`, `{"/votes":9000000}`)
	keep(0, "b", `{"/votes":[0,0,0,0,0,0,0,0,0,1,0,0,0,0,0]}`, `{"/votes":700000000}`)
	keep(2, "a", `{"/votes":[0,0,0,90,0,0,8,0,2,0,0,0,0,0,0],"/tax/quote":[5,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}`,
		`{"/votes":300000000,"/tax/quote":800000}`)
	// The first of the seven days: one in twenty requests is slow, and the median is slower, too.
	keep(6, "a", `{"/pledge/modify":[0,0,0,0,0,19,0,0,0,0,0,1,0,0,0]}`, `{"/pledge/modify":4000000000}`)
	keep(7, "a", `{"/pledge/cancel":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,3]}`, `{"/pledge/cancel":40000000000}`)
	got := decode[httpapi.PerformanceSummary](t, e.get("/admin/observability/performance", "", e.admin()...))
	day := func(ago int) string { return e.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	want := []httpapi.SlowDay{
		{Date: day(0),
			RouteTiming: httpapi.RouteTiming{Route: "/votes", Count: 10, P50: 10, P95: 1000, P99: 1000, Longest: 700}},
		{Date: day(2),
			RouteTiming: httpapi.RouteTiming{Route: "/votes", Count: 100, P50: 10, P95: 100, P99: 500, Longest: 300}},
		{Date: day(6),
			RouteTiming: httpapi.RouteTiming{Route: "/pledge/modify", Count: 20, P50: 50, P95: 50, P99: 5000, Longest: 4000}},
		{Date: day(2), RouteTiming: httpapi.RouteTiming{Route: "/tax/quote", Count: 5, P50: 1, P95: 1, P99: 1}},
	}
	if diff := cmp.Diff(want, got.Slowest); diff != "" || got.Days != 7 {
		t.Errorf("slowest routes of %d days (-want +got):\n%s", got.Days, diff)
	}
}
