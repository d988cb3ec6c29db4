package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
)

// links returns the mails with links that were sent.
func (e *edge) links() []notify.Mail {
	e.t.Helper()
	all, err := e.Mails(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	var out []notify.Mail
	for _, m := range all {
		if m.Kind == notify.LinksAgain {
			out = append(out, m)
		}
	}
	return out
}

// The response does not reveal whether an address has pledges. The address gets the links to its
// active pledges.
func TestLinks_SentAgain(t *testing.T) {
	e := newEdge(t, memory.Options{})
	_, first := e.pledge("a@example.com", gameCart(1), cardOK)
	e.pledge("a@example.com", filmCart(), cardOK)
	_, gone := e.pledge("b@example.com", filmCart(), cardOK)
	e.wantStatus(e.post("/pledge/cancel", map[string]any{"token": gone}), 200)
	unknown := e.post("/pledge/links", checkout.LinksRequest{Email: "nobody@example.com"})
	e.wantStatus(unknown, 200)
	for _, email := range []string{" A@example.com", "b@example.com", "a@example.com"} {
		e.Advance(10 * time.Minute)
		r := e.post("/pledge/links", checkout.LinksRequest{Email: email})
		if diff := cmp.Diff(string(unknown.Body), string(r.Body)); diff != "" || r.Status != 200 ||
			!cmp.Equal(unknown.Header, r.Header) {
			t.Errorf("%s: status %d: %s %v", email, r.Status, r.Body, r.Header)
		}
	}
	mails := e.links()
	if len(mails) != 1 || mails[0].To != "a@example.com" || strings.Count(mails[0].Text, "/manage/#t=") != 2 {
		t.Fatalf("mails = %+v", mails)
	}
	_, after, _ := strings.Cut(mails[0].Text, "/manage/#t=")
	link, _, _ := strings.Cut(after, "\n")
	if v := e.view(link); v.OrderID != e.view(first).OrderID {
		t.Errorf("first link = %s", v.OrderID)
	}
	e.Advance(time.Hour)
	e.post("/pledge/links", checkout.LinksRequest{Email: "a@example.com"})
	if n := len(e.links()); n != 2 {
		t.Errorf("%d mails after an hour", n)
	}
	e.wantFailure(e.post("/pledge/links", checkout.LinksRequest{Email: "nobody"}), 400, "Invalid email format")
	e.wantStatus(e.post("/pledge/links", checkout.LinksRequest{Email: "a@example.com"},
		"Origin", "https://elsewhere.example"), 403)
}

func TestLinks_AddressSpellings(t *testing.T) {
	for name, stored := range map[string]string{"new": "", "stored in Unicode": "zoë@übung.example",
		"stored decomposed": "zoe\u0308@u\u0308bung.example"} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, memory.Options{})
			if stored != "" {
				if _, err := e.Services.Checkout.Orders.AddToList(t.Context(), stored,
					"pw-00000000000000000000000000"); err != nil {
					t.Fatal(err)
				}
			}
			e.pledge("Zoë@Übung.example", gameCart(1), cardOK)
			e.pledge("zoe\u0308@xn--bung-zra.example", filmCart(), cardOK)
			e.wantStatus(e.post("/pledge/links", checkout.LinksRequest{Email: "zoë@xn--bung-zra.example"}), 200)
			mails := e.links()
			if len(mails) != 1 || mails[0].To != "zoë@xn--bung-zra.example" || strings.Count(mails[0].Text, "/manage/#t=") != 2 {
				t.Fatalf("mails = %+v", mails)
			}
			_, after, _ := strings.Cut(mails[0].Text, "/manage/#t=")
			link, _, _ := strings.Cut(after, "\n")
			e.wantStatus(e.post("/pledge/cancel", map[string]any{"token": link}), 200)
		})
	}
}

func TestLinks_Spanish(t *testing.T) {
	e := newEdge(t, memory.Options{})
	cart := filmCart()
	started := decode[checkout.Started](t,
		e.post("/checkout-intent/start", checkout.StartRequest{Cart: cart, Email: "a@example.com", PreferredLang: "es-MX"}))
	if err := e.Sim.Complete(started.SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	e.post("/checkout-intent/complete", checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID})
	e.post("/pledge/links", checkout.LinksRequest{Email: "a@example.com"})
	if m := e.links(); len(m) != 1 || m[0].Subject != "Tus aportaciones" || !strings.Contains(m[0].Text, "Estos enlaces") {
		t.Errorf("mails = %+v", m)
	}
}

func TestLinks_RateLimit(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for range 5 {
		e.wantStatus(e.post("/pledge/links", checkout.LinksRequest{Email: "nobody@example.com"}), 200)
	}
	e.wantStatus(e.post("/pledge/links", checkout.LinksRequest{Email: "nobody@example.com"}), 429)
}
