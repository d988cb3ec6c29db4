package httpapi_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/admin/disputes"
	"github.com/pledgeworks/pledgeworks/admin/fulfilment"
	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
)

// disputedEdge returns a fixture with a charged pledge, its ID, and a chargeback of its payment that the
// hourly run has imported.
func disputedEdge(t *testing.T, o memory.Options) (e *edge, pledgeID, disputeID string) {
	e = newEdge(t, o)
	started, _ := e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	disputeID, err := e.Sim.OpenDispute(sim.NewDispute{PaymentID: e.Sim.Entries()[0].PaymentID, Reason: "product_not_received"})
	if err != nil {
		t.Fatal(err)
	}
	e.Advance(time.Hour)
	e.cron()
	return e, started.OrderID, disputeID
}

// Operators see a campaign's disputes with their deadline, amount and pledges.
func TestDisputes(t *testing.T) {
	e, id, disputeID := disputedEdge(t, memory.Options{})
	const path = "/admin/disputes/" + game
	paid := e.Sim.Entries()[0]
	b := e.with("books@example.com", access.Money)
	out := decode[disputes.Page](t, b.get(path, "open=true"))
	if len(out.Disputes) != 1 || out.Next != "" {
		t.Fatalf("%+v", out)
	}
	d := out.Disputes[0]
	if d.ID != disputeID || d.Phase != dispute.Chargeback || d.Amount != paid.Amount || d.Reason != "product_not_received" ||
		d.AnswerBy == nil || !d.AnswerBy.Equal(d.OpenedAt.Add(10*24*time.Hour)) || len(d.Pledges) != 1 || d.Pledges[0] != id ||
		d.Withdrawn != paid.Amount || d.Fees != 1500 || !d.BlocksRefunds || d.PaymentID != paid.PaymentID {
		t.Errorf("open: %+v", d)
	}
	if err := e.Sim.CloseDispute(disputeID, false); err != nil {
		t.Fatal(err)
	}
	e.Advance(2 * time.Hour)
	e.cron()
	b = e.with("accounts@example.com", access.Money)
	packer := e.with("packer@example.com", access.Supporters, access.Fulfilment)
	if out := decode[disputes.Page](t, b.get(path, "open=true")); len(out.Disputes) != 0 {
		t.Errorf("still open: %+v", out)
	}
	d = decode[disputes.Page](t, b.get(path, "")).Disputes[0]
	if d.Phase != dispute.Lost || d.Lost != paid.Amount || d.AnswerBy != nil || d.DecidedAt == nil {
		t.Errorf("lost: %+v", d)
	}
	if rest := decode[disputes.Page](t, b.get(path, "cursor="+disputeID)); len(rest.Disputes) != 0 {
		t.Errorf("after the last: %+v", rest)
	}
	e.wantField(b.get(path, "open=maybe"), "open")
	e.wantField(b.get(path, "cursor=%2Fa"), "cursor")
	e.wantStatus(packer.get(path, ""), 403)
	e.wantStatus(b.get("/admin/disputes/nothing", ""), 404)
}

// The evidence has the terms, the promise, the emails with their delivery, the address and the parcels of the
// disputed pledge. The download needs the permissions for supporters and money, and is in the audit log.
func TestDisputes_Evidence(t *testing.T) {
	e, id, disputeID := disputedEdge(t, memory.Options{})
	const path = "/admin/disputes/" + game + "/evidence"
	body := []byte(`{"disputeId":"` + disputeID + `"}`)
	note := []byte(`{"campaignSlug":"` + game + `","orderId":"` + id + `","text":"Sounded angry","changeId":"n-1"}`)
	e.wantStatus(e.post("/admin/supporters/note", note, e.admin()...), 200)
	r := e.post(path, body, e.admin()...)
	e.wantStatus(r, 200)
	files := unzip(t, r)
	for name, want := range map[string][]string{
		"README.txt":      {disputeID, "summary.txt", "consent-1.txt", "parcels-1.json"},
		"summary.txt":     {id, "a@example.com", "product_not_received", home.Line1, `email "charged" `, checkout.ConsentVersion, "Answer due by"},
		"consent-1.txt":   {checkout.ConsentVersion, "By saving your card you agree"},
		"pledge-1.json":   {`"campaignRevision"`, `"explanation"`, `"promise"`},
		"timeline-1.json": {`"charged"`, `"confirmation"`},
		"parcels-1.json":  {`"to_pack"`},
		"dispute.json":    {disputeID},
	} {
		for _, part := range want {
			if !strings.Contains(files[name], part) {
				t.Errorf("%s does not contain %q:\n%s", name, part, files[name])
			}
		}
	}
	for name, text := range files {
		if strings.Contains(text, "Sounded angry") {
			t.Errorf("%s contains an operator's note", name)
		}
	}
	e.wantStatus(e.post(path, []byte(`{"disputeId":"du_no"}`), e.admin()...), 404)
	if log := e.get("/admin/audit", "action=dispute.evidence", e.admin()...); !strings.Contains(string(log.Body), game) {
		t.Errorf("audit log: %s", log.Body)
	}
	for name, permissions := range map[string][]access.Permission{"money": {access.Money},
		"supporters": {access.Supporters, access.Fulfilment}} {
		user := e.with(name+"@example.com", permissions...)
		e.wantStatus(user.send(path, map[string]string{"disputeId": disputeID}), 403)
	}
}

// The parcels of a disputed pledge are held and in no list until an operator releases them, and can be held
// again. Both are in the audit log and in the evidence, with the reason.
func TestDisputes_HoldParcels(t *testing.T) {
	e, id, disputeID := disputedEdge(t, memory.Options{})
	books, packer := e.with("books@example.com", access.Money), e.with("packer@example.com", access.Supporters, access.Fulfilment)
	list := func() httpapi.Report {
		e.Advance(time.Minute)
		return decode[httpapi.Report](t, packer.get("/admin/reports/"+game+"/fulfillment", "left=1"))
	}
	csv := func() string { return string(packer.get("/admin/reports/"+game+"/fulfillment.csv", "").Body) }
	parcels := func() inventory.Parcels { return *packer.summaries()[game].Parcels }
	choose := func(b *browser, change string, c pledge.HoldChoice) httpapi.Response {
		return b.send("/admin/disputes/"+game+"/parcels",
			httpapi.HoldRequest{OrderID: id, Choice: c, Reason: "Spoke to the supporter", ChangeID: change})
	}
	mark := func(change string) fulfilment.Result {
		return decode[httpapi.MarkedParcels](t, packer.send("/admin/fulfilment/mark", httpapi.MarkRequest{CampaignSlug: game,
			ChangeID: change, Marks: []fulfilment.Mark{{OrderID: id, Status: pledge.Packed}}})).Results[0]
	}
	checkHeld := func(when string) {
		t.Helper()
		if r := list(); len(r.Rows) != 0 || r.Held == nil || *r.Held != (report.Held{Pledges: 1, Disputed: 1}) {
			t.Errorf("%s: %+v, held %+v", when, r.Rows, r.Held)
		}
		if n := parcels(); n.Held != 1 || n.ToPack != 0 || strings.Contains(csv(), id) {
			t.Errorf("%s: parcels %+v\n%s", when, n, csv())
		}
		if p := decode[supporters.Timeline](t, packer.timeline(game, id)).Pledges[0]; p.Held != pledge.HeldByDispute || p.CanHold {
			t.Errorf("%s: the packer gets %+v", when, p)
		}
	}
	checkHeld("opened")
	if r := mark("1"); r.Outcome != fulfilment.Refused || r.Problem.Code != fault.Conflict {
		t.Errorf("a held parcel was marked: %+v", r)
	}
	e.wantStatus(choose(packer, "1", pledge.ReleaseParcels), 403)
	e.wantField(choose(books, "1", "ship"), "choice")
	for range 2 {
		if h := decode[fulfilment.Hold](t, choose(books, "2", pledge.ReleaseParcels)); h.OrderID != id || h.Reason != "" {
			t.Errorf("released: %+v", h)
		}
	}
	if r := list(); len(r.Rows) != 1 || r.Held != nil || parcels().ToPack != 1 || !strings.Contains(csv(), id) {
		t.Errorf("released: %+v, %+v", r, parcels())
	}
	e.wantStatus(choose(books, "3", pledge.HoldParcels), 200)
	checkHeld("held again")
	e.wantStatus(choose(books, "4", pledge.ReleaseParcels), 200)
	if r := mark("5"); r.Outcome != fulfilment.Marked {
		t.Errorf("a released parcel was not marked: %+v", r)
	}
	var acts []string
	for _, ev := range decode[httpapi.AuditPage](t, e.get("/admin/audit", "", e.admin()...)).Events {
		if strings.HasPrefix(ev.Action, "parcels.") && ev.Status == audit.Done && ev.OrderID == id {
			acts = append(acts, ev.Action+" "+ev.Reason)
		}
	}
	want := []string{"parcels.release Spoke to the supporter", "parcels.hold Spoke to the supporter",
		"parcels.release Spoke to the supporter", "parcels.release Spoke to the supporter"}
	if diff := cmp.Diff(want, acts); diff != "" {
		t.Errorf("audit log (-want +got):\n%s", diff)
	}
	evidence := e.post("/admin/disputes/"+game+"/evidence", []byte(`{"disputeId":"`+disputeID+`"}`), e.admin()...)
	if files := unzip(t, evidence); !strings.Contains(files["timeline-1.json"], "Spoke to the supporter") ||
		!strings.Contains(files["summary.txt"], "parcels_released") {
		t.Errorf("evidence: %s\n%s", files["summary.txt"], files["timeline-1.json"])
	}
}

func unzip(t *testing.T, r httpapi.Response) map[string]string {
	t.Helper()
	if err := r.Gather(); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(r.Body), int64(len(r.Body)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(b)
	}
	return files
}

// A campaign's summary has the deadline for the next answer, and the pledge's detail its dispute and early fraud
// warning; only for users who may see money.
func TestDisputes_SummaryAndTimeline(t *testing.T) {
	e, id, disputeID := disputedEdge(t, memory.Options{})
	if _, err := e.Sim.WarnOfFraud(e.Sim.Entries()[0].PaymentID, ""); err != nil {
		t.Fatal(err)
	}
	e.cron()
	b := e.with("both@example.com", access.Money, access.Supporters)
	s := b.summaries()[game].Disputes
	if s == nil || s.Open != 1 || s.Awaiting != 1 || s.AnswerBy == nil || s.OrderID != id || s.Amount != e.Sim.Entries()[0].Amount {
		t.Errorf("summary %+v", s)
	}
	p := decode[supporters.Timeline](t, b.timeline(game, id)).Pledges[0]
	if len(p.Disputes) != 1 || p.Disputes[0].ID != disputeID || p.Disputes[0].AnswerBy == nil ||
		!p.Disputes[0].AnswerBy.Equal(*s.AnswerBy) || len(p.Warnings) != 1 || p.Warnings[0].Actionable {
		t.Errorf("pledge %+v", p)
	}
	packer := e.with("packer@example.com", access.Supporters)
	if s := packer.summaries()[game].Disputes; s != nil {
		t.Errorf("summary without the money permission: %+v", s)
	}
	if p := decode[supporters.Timeline](t, packer.timeline(game, id)).Pledges[0]; len(p.Disputes)+len(p.Warnings) != 0 {
		t.Errorf("pledge without the money permission: %+v", p)
	}
	if err := e.Sim.CloseDispute(disputeID, true); err != nil {
		t.Fatal(err)
	}
	e.Advance(2 * time.Hour)
	e.cron()
	b = e.with("later@example.com", access.Money, access.Supporters)
	if s := b.summaries()[game].Disputes; s != nil {
		t.Errorf("summary after the decision: %+v", s)
	}
	if p := decode[supporters.Timeline](t, b.timeline(game, id)).Pledges[0]; p.Disputes[0].Phase != dispute.Won {
		t.Errorf("pledge after the decision: %+v", p.Disputes)
	}
}

// Users who may see the campaign's money are emailed about a new dispute, in their language, and again three days
// before the answer is due; each time once.
func TestDisputes_Mails(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.with("books@example.com", access.Money)
	e.with("packer@example.com", access.Supporters)
	e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	if _, err := e.Sim.OpenDispute(sim.NewDispute{PaymentID: e.Sim.Entries()[0].PaymentID}); err != nil {
		t.Fatal(err)
	}
	subjects := func() (all []string) {
		for _, m := range e.sent(notify.AdminDispute) {
			if strings.Contains(m.Text, "a@example.com") {
				t.Errorf("the mail names the supporter: %s", m.Text)
			}
			all = append(all, m.To+" "+strings.SplitAfterN(m.Subject, " ", 2)[0])
		}
		return all
	}
	want := []string{"books@example.com A "}
	for range 3 {
		e.Advance(time.Hour)
		e.cron()
		if diff := cmp.Diff(want, subjects()); diff != "" {
			t.Errorf("after the dispute was opened (-want +got):\n%s", diff)
		}
	}
	e.Advance(7 * 24 * time.Hour)
	for range 2 {
		e.cron()
		e.Advance(time.Hour)
	}
	if diff := cmp.Diff(append(want, "books@example.com Answer "), subjects()); diff != "" {
		t.Errorf("before the answer is due (-want +got):\n%s", diff)
	}
}

// suspectedEdge returns a fixture with a charged pledge, its ID, and an early fraud warning about its payment
// that the hourly run has imported.
func suspectedEdge(t *testing.T, o memory.Options) (e *edge, pledgeID, warningID string) {
	e = newEdge(t, o)
	started, _ := e.pledge("a@example.com", gameCart(20), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	warningID, err := e.Sim.WarnOfFraud(e.Sim.Entries()[0].PaymentID, "")
	if err != nil {
		t.Fatal(err)
	}
	e.with("books@example.com", access.Money)
	e.with("both@example.com", access.Money, access.Supporters)
	e.with("packer@example.com", access.Supporters)
	e.Advance(time.Hour)
	e.cron()
	return e, started.OrderID, warningID
}

// Users who may see the campaign's money are emailed once about a warning, with a link to the payment, and see
// it until one of them leaves the payment.
func TestDisputes_FraudWarnings(t *testing.T) {
	e, id, warningID := suspectedEdge(t, memory.Options{})
	e.Advance(time.Hour)
	e.cron()
	links := map[string]string{}
	for _, m := range e.sent(notify.AdminDispute) {
		if _, link, ok := strings.Cut(m.Text, "See the payment:\n"); ok && links[m.To] == "" {
			links[m.To], _, _ = strings.Cut(link, "\n")
		} else {
			t.Errorf("repeated, or without a link: %s: %s", m.To, m.Text)
		}
		if strings.Contains(m.Text, "a@example.com") {
			t.Errorf("the mail names the supporter: %s", m.Text)
		}
	}
	site := e.Config.Site.Base
	want := map[string]string{"books@example.com": string(site) + "/admin/#/campaigns/" + game,
		"both@example.com": string(site) + "/admin/#/supporters/" + game + "/" + id}
	if diff := cmp.Diff(want, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	b := e.with("later@example.com", access.Money, access.Supporters)
	if w := b.summaries()[game].Warnings; w == nil || w.Open != 1 || w.OrderID != id || w.Amount != e.Sim.Entries()[0].Amount {
		t.Errorf("summary %+v", w)
	}
	if packer := e.with("other@example.com", access.Supporters); packer.summaries()[game].Warnings != nil {
		t.Error("the summary without the money permission has warnings")
	}
	leave := func(b *browser, id string) httpapi.Response {
		return b.send("/admin/disputes/"+game+"/warning", httpapi.WarningRequest{WarningID: id, Reason: "A known supporter"})
	}
	e.wantStatus(leave(e.with("p@example.com", access.Supporters), warningID), 403)
	e.wantStatus(leave(b, "issfr_no"), 404)
	e.wantStatus(leave(b, "../x"), 404)
	e.wantStatus(leave(b, warningID), 200)
	e.Advance(time.Minute)
	if w := b.summaries()[game].Warnings; w != nil {
		t.Errorf("summary after the payment was left: %+v", w)
	}
	if w := decode[supporters.Timeline](t, b.timeline(game, id)).Pledges[0].Warnings[0]; w.ID != warningID || w.LeftAt == nil {
		t.Errorf("pledge %+v", w)
	}
	log := decode[httpapi.AuditPage](t, e.get("/admin/audit", "action=warning.leave", e.admin()...)).Events
	if last := log[0]; last.Status != audit.Done || last.Reason != "A known supporter" || last.CampaignSlug != game {
		t.Errorf("audit log: %+v", log)
	}
}
