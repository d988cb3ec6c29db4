package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	linktoken "github.com/pledgeworks/pledgeworks/pledge/token"
)

// Every GET with a token accepts it in a header. The query parameter of earlier releases still
// works.
func TestBearer_HeaderAndQuery(t *testing.T) {
	e := newEdge(t, memory.Options{})
	given := e.start("a@example.com", filmCart())
	_, token := e.pledge("b@example.com", filmCart(), cardOK)
	mail := e.mailToken(notify.Blast)
	tried := map[string]bool{}
	for path, one := range map[string]struct{ header, name, token, more string }{
		"/pledge":                  {"X-Link-Token", "token", token, ""},
		"/pledges":                 {"X-Link-Token", "token", token, ""},
		"/pledge/changes":          {"X-Link-Token", "token", token, ""},
		"/pledge/joining":          {"X-Link-Token", "token", token, ""},
		"/votes":                   {"X-Link-Token", "token", token, ""},
		"/subscription":            {"X-Link-Token", "t", mail, ""},
		"/checkout-intent/summary": {"X-Checkout-Token", "token", given.Token, "orderId=" + given.OrderID},
	} {
		tried[path] = true
		byHeader := e.get(path, one.more, one.header, one.token)
		byQuery := e.get(path, strings.TrimPrefix(one.more+"&"+one.name+"="+one.token, "&"))
		e.wantStatus(byHeader, 200)
		if string(byHeader.Body) != string(byQuery.Body) {
			t.Errorf("%s: by header %s, by query %s", path, byHeader.Body, byQuery.Body)
		}
		e.wantStatus(e.get(path, one.more, one.header, "forged."+one.token), 401)
		// the header takes precedence
		e.wantStatus(e.get(path, one.more+"&"+one.name+"="+one.token, one.header, "forged"), 401)
		e.wantStatus(e.get(path, one.more), 401)
	}
	for _, r := range e.API.Routes() {
		if len(r.Bearers) > 0 && !tried[r.Pattern] && !strings.HasPrefix(r.Pattern, "/admin/campaign-preview/") {
			t.Errorf("%s accepts a token that is not tested", r.Pattern)
		}
		for _, q := range r.Query {
			if r.Method == "GET" && r.Pattern != "/unsubscribe" && r.Pattern != "/launch-reminders/unsubscribe" &&
				(q.Name == "t" || strings.Contains(strings.ToLower(q.Name), "token")) {
				t.Errorf("GET %s accepts a token only in its query", r.Pattern)
			}
		}
	}
}

// The secrets for joining pledges are accepted in headers, too.
func TestBearer_Joining(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.pledge("ada@example.com", filmCart(), cardOK)
	_, token := e.pledge("ada@example.com", filmCart(), cardOK)
	all, err := e.Services.Checkout.Links.Signer.Sign(linktoken.Claims{Scope: linktoken.Join,
		Email: "ada@example.com", CampaignSlug: film, Expires: e.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	joining := decode[checkout.Joining](t, e.get("/pledge/joining", "", "X-Link-Token", token, "X-Join-Token", all))
	if joining.Others != 1 {
		t.Errorf("%+v", joining)
	}
	e.wantStatus(e.get("/pledge/joining", "", "X-Link-Token", token, "X-Join-Token", "forged"), 400)
	e.wantStatus(e.get("/pledge/joining", "", "X-Link-Token", token, "X-Browser-Session", "short"), 400)
}
