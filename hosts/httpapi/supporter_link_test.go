package httpapi_test

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
)

var manageLink = regexp.MustCompile(`/manage/#t=([\w.-]+)`)

// The link in a confirmation opens its pledge for 90 days.
//
// Proves SEC-02, SEC-03.
func TestManageLink(t *testing.T) {
	e := newEdge(t, memory.Options{})
	other, _ := e.pledge("b@example.com", filmCart(), cardOK)
	own, _ := e.pledge("a@example.com", filmCart(), cardOK)
	mails, err := e.Mails(t.Context())
	if err != nil || len(mails) != 2 {
		t.Fatalf("%d mails, %v", len(mails), err)
	}
	at := slices.IndexFunc(mails, func(m notify.Mail) bool { return m.To == "a@example.com" })
	link := manageLink.FindStringSubmatch(mails[max(at, 0)].Text)
	if at < 0 || link == nil {
		t.Fatalf("no link: %+v", mails)
	}
	token := link[1]
	view := decode[checkout.PledgeView](t, e.get("/pledge", "token="+token))
	if view.OrderID != own.OrderID || view.CampaignSlug != film {
		t.Errorf("opened pledge = %+v", view)
	}
	e.wantStatus(e.post("/pledge/cancel", checkout.CancelRequest{Token: token, OrderID: other.OrderID}), 403)
	elsewhere, err := e.Token(own.OrderID, "a@example.com", game)
	if err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.get("/pledge", "token="+elsewhere), 403)
	e.Advance(90*24*time.Hour - time.Second)
	e.wantStatus(e.get("/pledge", "token="+token), 200)
	e.Advance(time.Second)
	e.wantFailure(e.get("/pledge", "token="+token), 401, "Invalid or expired token")
}
