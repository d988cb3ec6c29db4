package sim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// newShop returns a simulator with two customers, created ten seconds apart, who
// saved a card and were charged, and a third, ten seconds later, who only opened
// a session. names maps short names to their IDs and creation times.
func newShop(t testing.TB) (s *sim.Sim, names map[string]string) {
	t.Helper()
	s, names = sim.New(sim.Options{NoLimits: true}), map[string]string{}
	for _, n := range []string{"1", "2", "3"} {
		ses := open(t, s, n)
		names["time"+n], names["cs"+n] = fmt.Sprint(s.Now().Unix()), ses.ID
		if n == "3" {
			break
		}
		if err := s.Complete(ses.ID, sim.CardOK); err != nil {
			t.Fatal(err)
		}
		ses, err := s.Processor().Session(ctx, ses.ID)
		if err != nil {
			t.Fatal(err)
		}
		paid := s.Processor().Charge(ctx, charge(s, ses.CustomerID, ses.PaymentMethodID, "k"+n)).Payment
		names["cus"+n], names["seti"+n], names["pm"+n] = ses.CustomerID, ses.SetupIntentID, ses.PaymentMethodID
		names["pi"+n], names["ch"+n], names["txn"+n] = paid.ID, paid.ChargeID, paid.Financials.BalanceTransactionID
		s.Advance(10 * time.Second)
	}
	return s, names
}

// A list contains the objects that match all filters, newest first; "…" means that there are
// more.
func TestLists(t *testing.T) {
	s, names := newShop(t)
	var fill, name []string
	for short, id := range names {
		fill, name = append(fill, "{"+short+"}", id), append(name, id, short)
	}
	filled, named := strings.NewReplacer(fill...), strings.NewReplacer(name...)
	for _, tt := range []struct{ path, query, want string }{
		{"checkout/sessions", "", "cs3 cs2 cs1"},
		{"checkout/sessions", "customer={cus1}", "cs1"},
		{"checkout/sessions", "status=open", "cs3"},
		{"checkout/sessions", "status=complete", "cs2 cs1"},
		{"checkout/sessions", "status=expired", ""},
		{"checkout/sessions", "customer={cus1}&status=open", ""},
		{"checkout/sessions", "created[gte]={time2}", "cs3 cs2"},
		{"checkout/sessions", "created[lt]={time2}", "cs1"},
		{"checkout/sessions", "created[gte]={time2}&created[lt]={time3}", "cs2"},
		{"checkout/sessions", "created[gte]={time2}&customer={cus1}", ""},
		{"checkout/sessions", "created[lt]={time2}&customer={cus2}", ""},
		{"checkout/sessions", "created[lt]={time2}&status=open", ""},
		{"checkout/sessions", "payment_intent={pi1}", ""}, // setup sessions have no payment
		{"setup_intents", "customer={cus1}", "seti1"},
		{"setup_intents", "payment_method={pm2}", "seti2"},
		{"setup_intents", "customer={cus1}&payment_method={pm2}", ""},
		{"payment_methods", "customer={cus2}", "pm2"},
		{"payment_methods", "type=card", "pm2 pm1"},
		{"payment_methods", "type=us_bank_account", ""},
		{"payment_methods", "type=us_bank_account&customer={cus2}", ""},
		{"payment_intents", "customer={cus1}", "pi1"},
		{"payment_intents", "created[gte]={time2}", "pi2"},
		{"payment_intents", "created[lt]={time2}", "pi1"},
		{"payment_intents", "created[gte]={time1}&created[lt]={time2}", "pi1"},
		{"payment_intents", "created[gte]={time2}&customer={cus1}", ""},
		{"payment_intents", "created[lt]={time2}&customer={cus2}", ""},
		{"charges", "customer={cus1}", "ch1"},
		{"charges", "payment_intent={pi2}", "ch2"},
		{"charges", "customer={cus1}&payment_intent={pi2}", ""},
		{"balance_transactions", "source={ch1}", "txn1"},
		{"checkout/sessions", "limit=1", "cs3 …"},
		{"checkout/sessions", "limit=3", "cs3 cs2 cs1"},
		{"checkout/sessions", "limit=100", "cs3 cs2 cs1"},
		{"checkout/sessions", "limit=1&starting_after={cs3}", "cs2 …"},
		{"checkout/sessions", "limit=1&starting_after={cs2}", "cs1"},
		{"checkout/sessions", "starting_after={cs1}", ""},
		{"checkout/sessions", "ending_before={cs3}", ""},
		{"checkout/sessions", "ending_before={cs1}", "cs3 cs2"},
		{"checkout/sessions", "starting_after={cs3}&ending_before={cs1}", "cs2"},
	} {
		a := s.Serve(call("GET", "/v1/"+tt.path, filled.Replace(tt.query), ""))
		var page struct {
			HasMore bool `json:"has_more"`
			Data    []struct{ ID string }
		}
		if err := json.Unmarshal(a.Body, &page); err != nil || a.Status != 200 {
			t.Errorf("%s?%s: %d %s", tt.path, tt.query, a.Status, a.Body)
			continue
		}
		var got []string
		for _, o := range page.Data {
			got = append(got, named.Replace(o.ID))
		}
		if page.HasMore {
			got = append(got, "…")
		}
		if list := strings.Join(got, " "); list != tt.want {
			t.Errorf("%s?%s lists %q, want %q", tt.path, tt.query, list, tt.want)
		}
	}
}

// Paths of expand[] are expanded; unknown paths change nothing.
func TestExpandPaths(t *testing.T) {
	s, names := newShop(t)
	for _, tt := range []struct {
		path, expand string
		whole        bool // the charge's customer is expanded
	}{
		{"charges/" + names["ch1"], "", false},
		{"charges/" + names["ch1"], "customer", true},
		{"charges/" + names["ch1"], "payment_intent", false},
		{"charges", "data.customer", true},
		{"charges", "customer", false},
		{"charges", "source.customer", false},
	} {
		form := ""
		if tt.expand != "" {
			form = "expand[]=" + tt.expand
		}
		a := s.Serve(call("GET", "/v1/"+tt.path, form, ""))
		if whole := strings.Contains(string(a.Body), `"customer":{`); a.Status != 200 || whole != tt.whole {
			t.Errorf("%s, expanding %q: %d, customer expanded: %v, want %v", tt.path, tt.expand, a.Status, whole,
				tt.whole)
		}
	}
}
