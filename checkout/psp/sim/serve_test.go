package sim_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

func call(method, path, form, key string) sim.Call {
	return sim.Call{Method: method, Path: path, Form: form, Key: key, APIKey: "sk_test_x", Version: psp.Version}
}

// parseProblem returns the machine-readable part of an error.
func parseProblem(t testing.TB, a sim.Answer) (kind, code, param string) {
	t.Helper()
	var body struct {
		Error struct{ Type, Code, Param string }
	}
	if err := json.Unmarshal(a.Body, &body); err != nil {
		t.Fatalf("%s: %v", a.Body, err)
	}
	return body.Error.Type, body.Error.Code, body.Error.Param
}

func id(t testing.TB, a sim.Answer) string {
	t.Helper()
	var body struct{ ID string }
	if err := json.Unmarshal(a.Body, &body); err != nil || body.ID == "" {
		t.Fatalf("%d %s: %v", a.Status, a.Body, err)
	}
	return body.ID
}

// The checks have the processor's order, so a call with several errors gets the
// first one.
func TestServe_OrderOfChecks(t *testing.T) {
	s := sim.New(sim.Options{})
	good := call("POST", "/v1/customers", "email=a%40example.com", "k")
	if a := s.Serve(good); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	bad := good
	bad.Form = "colour=red"
	limited := func(c sim.Call) sim.Call {
		if err := s.InjectFaults(sim.Fault{Kind: sim.RateLimit}); err != nil {
			t.Fatal(err)
		}
		return c
	}
	keyless, old := bad, bad
	keyless.APIKey = "sk_live_x"
	keyless.Version = "2019-12-03"
	old.Version = "2019-12-03"
	fresh := bad
	fresh.Key = "fresh"
	for _, tt := range []struct {
		name   string
		call   func() sim.Call
		status int
		kind   string
	}{
		{"API key", func() sim.Call { return limited(keyless) }, 401, "invalid_request_error"},
		{"version", func() sim.Call { return limited(old) }, 400, "invalid_request_error"},
		{"rate limiter", func() sim.Call { return limited(bad) }, 429, "invalid_request_error"},
		{"idempotency key", func() sim.Call { return bad }, 400, "idempotency_error"},
		{"parameters", func() sim.Call { return fresh }, 400, "invalid_request_error"},
	} {
		a := s.Serve(tt.call())
		if kind, _, _ := parseProblem(t, a); a.Status != tt.status || kind != tt.kind {
			t.Errorf("%s: %d %s, want %d %s", tt.name, a.Status, kind, tt.status, tt.kind)
		}
		s.ClearFaults()
	}
	// A rejected parameter is not stored under the key.
	fresh.Form = "email=b%40example.com"
	if a := s.Serve(fresh); a.Status != 200 || a.Replayed {
		t.Errorf("key of a rejected request: %d, replayed %v", a.Status, a.Replayed)
	}
}

// The simulator accepts the pinned version only, so a client that does not send
// it fails.
func TestVersion(t *testing.T) {
	s := sim.New(sim.Options{})
	for version, status := range map[string]int{psp.Version: 200, "": 400, "2025-08-27.basil": 400,
		psp.Version + " ": 400} {
		c := call("GET", "/v1/customers", "", "")
		c.Path, c.Version = "/v1/events", version
		if a := s.Serve(c); a.Status != status {
			t.Errorf("version %q: %d, want %d", version, a.Status, status)
		}
	}
}

func TestParameters(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true})
	cus, pm := saveCard(t, s, sim.CardOK)
	const session = "mode=setup&customer={cus}&payment_method_types[0]=card"
	const intent = "currency=usd&customer={cus}&payment_method={pm}&confirm=true&off_session=true"
	for _, tt := range []struct {
		path, form string
		status     int
		param      string
	}{
		{"customers", "email=a&metadata[a]=b&metadata[7]=c", 200, ""},
		{"customers", "e-mail=a", 400, "e-mail"},
		{"customers", "metadata=a", 400, "metadata"},
		{"customers", "metadata[]=a", 400, "metadata[]"},
		{"customers", "metadata[k=a", 400, "metadata[k"},
		{"customers", "metadata[" + strings.Repeat("k", 41) + "]=x", 400, "metadata[" + strings.Repeat("k", 41) + "]"},
		{"customers", "metadata[" + strings.Repeat("k", 40) + "]=x", 200, ""},
		{"customers", pairs(50), 200, ""},
		{"customers", pairs(51), 400, "metadata"},
		{"customers", "email=" + strings.Repeat("a", 512), 200, ""},
		{"customers", "email=" + strings.Repeat("a", 513), 400, "email"},
		{"customers", "metadata[k]=" + strings.Repeat("v", 501), 400, "metadata[k]"},
		{"customers", "metadata[k]=" + strings.Repeat("%C3%A9", 500), 200, ""},
		{"customers", "email=a&email=b", 400, "email"},
		{"customers", "email=%zz", 400, ""},
		{"customers", "expand[]=secrets", 400, "expand"},
		{"customers", "expand[]=customer.customer.customer.customer", 200, ""},
		{"customers", "expand[]=customer.customer.customer.customer.customer", 400, "expand"},
		{"checkout/sessions", session + "&ui_mode=custom&return_url=https://x.example/", 200, ""},
		{"checkout/sessions", session + "&ui_mode=embedded&return_url=https://x.example/", 200, ""},
		{"checkout/sessions", session + "&success_url=https://x.example/", 200, ""},
		{"checkout/sessions", session + "&ui_mode=elements", 400, "ui_mode"},
		{"checkout/sessions", session + "&ui_mode=hosted_page&success_url=https://x.example/", 400, "ui_mode"},
		{"checkout/sessions", session + "&ui_mode=custom&success_url=https://x.example/", 400, "success_url"},
		{"checkout/sessions", session + "&ui_mode=custom&cancel_url=https://x.example/", 400, "cancel_url"},
		{"checkout/sessions", session, 400, "success_url"},
		{"checkout/sessions", "mode=payment&ui_mode=custom", 400, "mode"},
		{"checkout/sessions", "mode=setup&ui_mode=custom&customer={cus}", 400, "currency"},
		{"checkout/sessions", "mode=setup&ui_mode=custom&payment_method_types[]=card", 400, "customer"},
		{"checkout/sessions", session + "&ui_mode=custom&locale=xx", 400, "locale"},
		{"checkout/sessions", session + "&ui_mode=custom&expires_at=1", 400, "expires_at"},
		{"checkout/sessions", session + "&ui_mode=custom&expires_at=soon", 400, "expires_at"},
		// Between half an hour and a day, with a second of tolerance at both
		// ends.
		{"checkout/sessions", session + "&ui_mode=custom&expires_at=" + in(30*time.Minute), 200, ""},
		{"checkout/sessions", session + "&ui_mode=custom&expires_at=" + in(30*time.Minute-time.Second), 200, ""},
		{"checkout/sessions", session + "&ui_mode=custom&expires_at=" + in(30*time.Minute-2*time.Second), 400,
			"expires_at"},
		{"checkout/sessions", session + "&ui_mode=custom&expires_at=" + in(24*time.Hour+time.Second), 200, ""},
		{"checkout/sessions", session + "&ui_mode=custom&expires_at=" + in(24*time.Hour+2*time.Second), 400,
			"expires_at"},
		{"checkout/sessions", session + "&ui_mode=custom&payment_method_types[1]=cash", 400, "payment_method_types"},
		{"payment_intents", intent + "&amount=50", 200, ""},
		{"payment_intents", intent + "&amount=99999999", 200, ""},
		{"payment_intents", intent + "&amount=49", 400, "amount"},
		{"payment_intents", intent + "&amount=100000000", 400, "amount"},
		{"payment_intents", intent + "&amount=12.50", 400, "amount"},
		{"payment_intents", intent, 400, "amount"},
		{"payment_intents", "amount=100&customer={cus}", 400, "currency"},
		{"payment_intents", "amount=100&currency=usd&off_session=true", 400, "off_session"},
		{"payment_intents", "amount=100&currency=usd&confirm=true", 400, "payment_method"},
		{"payment_intents", "amount=100&currency=usd&confirm=yes", 400, "confirm"},
		{"payment_intents", "amount=100&currency=usd&customer=cus_no", 400, "customer"},
		{"payment_intents", "amount=100&currency=usd&customer={cus}&payment_method=pm_no", 400, "payment_method"},
		{"payment_intents", "amount=100&currency=usd&payment_method={pm}", 400, "payment_method"},
		{"payment_intents", intent + "&amount=100&capture_method=manual", 400, "capture_method"},
		{"payment_intents/pi_no/confirm", "", 404, "id"},
		{"payment_intents/pi_no/cancel", "", 404, "id"},
		{"checkout/sessions/cs_test_no/expire", "", 404, "id"},
		{"webhook_endpoints", "url=nowhere&enabled_events[]=*", 400, "url"},
		{"webhook_endpoints", "url=https://[x/hook&enabled_events[]=*", 400, "url"},
		{"webhook_endpoints", "url=https:///hook&enabled_events[]=*", 400, "url"},
		{"webhook_endpoints", "url=ftp://x.example/hook&enabled_events[]=*", 400, "url"},
		{"webhook_endpoints", "url=http://x.example/hook&enabled_events[]=*", 200, ""},
		{"webhook_endpoints", "url=https://x.example/hook", 400, "enabled_events"},
		{"webhook_endpoints", "url=https://x.example/hook&enabled_events[]=*", 200, ""},
		{"refunds", "", 400, "payment_intent"},
		{"coupons", "", 404, ""},
	} {
		form := strings.NewReplacer("{cus}", cus, "{pm}", pm).Replace(tt.form)
		a := s.Serve(call("POST", "/v1/"+tt.path, form, ""))
		param := ""
		if a.Status != 200 {
			_, _, param = parseProblem(t, a)
		}
		if a.Status != tt.status || param != tt.param {
			t.Errorf("%s %s: %d %q, want %d %q\n%s", tt.path, tt.form, a.Status, param, tt.status, tt.param, a.Body)
		}
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// in returns the time d after the simulator's start as a request parameter.
func in(d time.Duration) string { return fmt.Sprint(sim.Epoch.Add(d).Unix()) }

// pairs returns a form with n metadata pairs.
func pairs(n int) string {
	form := url.Values{}
	for i := range n {
		form.Set(fmt.Sprintf("metadata[k%d]", i), "v")
	}
	return form.Encode()
}

// Unknown paths do nothing, even if they contain existing IDs.
func TestServe_UnknownPaths(t *testing.T) {
	s := sim.New(sim.Options{})
	cus, pm := saveCard(t, s, sim.CardOK)
	payment := id(t,
		s.Serve(call("POST", "/v1/payment_intents", "amount=100&currency=usd&customer="+cus+"&payment_method="+pm, "")))
	ses := open(t, s, "1")
	for _, tt := range []struct{ method, path string }{
		{"POST", "payment_intents/" + payment},
		{"POST", "payment_intents/" + payment + "/now/confirm"},
		{"POST", "payment_intents/" + payment + "/confirm/"},
		{"POST", "payment_intents//confirm"},
		{"DELETE", "payment_intents/" + payment},
		{"GET", "payment_intents/" + payment + "/charges"},
		{"GET", "payment_intents/"},
		{"POST", "checkout/sessions/" + ses.ID},
		{"POST", "payment_methods/" + pm},
	} {
		a := s.Serve(call(tt.method, "/v1/"+tt.path, "", ""))
		// Known paths with unknown IDs return resource_missing.
		if _, code, _ := parseProblem(t, a); a.Status != 404 || code != "" {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, a.Status, a.Body)
		}
	}
	read, err := s.Processor().Session(ctx, ses.ID)
	card, cardErr := s.Processor().Card(ctx, pm)
	if read.Status != psp.Open || err != nil || card.CustomerID != cus || cardErr != nil || len(s.Entries()) != 0 {
		t.Errorf("afterwards: %+v, %v, %+v, %v, %d charges", read, err, card, cardErr, len(s.Entries()))
	}
}

func TestRateLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		mode   psp.Mode
		off    bool
		within int // calls of one operation at one moment
		total  int // calls of several operations at one moment
	}{
		{"test", psp.Test, false, 25, 25},
		{"live", psp.Live, false, 25, 100},
		{"off", psp.Live, true, 200, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			get := func(s *sim.Sim, path string) sim.Answer {
				c := call("GET", path, "", "")
				c.APIKey = "sk_" + string(tt.mode) + "_x"
				return s.Serve(c)
			}
			s := sim.New(sim.Options{Mode: tt.mode, NoLimits: tt.off})
			n := 0
			for n < 200 && get(s, "/v1/events").Status == 200 {
				n++
			}
			if n != tt.within {
				t.Errorf("%d calls of one operation passed, want %d", n, tt.within)
			}
			paths := []string{"/v1/events", "/v1/charges", "/v1/setup_intents", "/v1/payment_intents",
				"/v1/payment_methods"}
			s = sim.New(sim.Options{Mode: tt.mode, NoLimits: tt.off})
			n = 0
			for n < 200 && get(s, paths[n%len(paths)]).Status == 200 {
				n++
			}
			if n != tt.total {
				t.Errorf("%d calls passed, want %d", n, tt.total)
			}
			s.Advance(time.Second)
			if a := get(s, "/v1/events"); a.Status != 200 {
				t.Errorf("one second later: %d %s", a.Status, a.Limited)
			}
		})
	}
}

func TestExpandAndPages(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true})
	cus, pm := saveCard(t, s, sim.CardOK)
	var made []string
	for i := range 7 {
		s.Advance(time.Second)
		o := s.Processor().Charge(ctx, charge(s, cus, pm, fmt.Sprint("k", i)))
		made = append([]string{o.Payment.ID}, made...)
	}
	type page struct {
		HasMore bool `json:"has_more"`
		Data    []struct {
			ID     string
			Charge struct {
				ID      string
				Balance struct{ Fee, Net int } `json:"balance_transaction"`
			} `json:"latest_charge"`
		}
	}
	var got []string
	form := url.Values{"customer": {cus}, "limit": {"3"}, "expand[0]": {"data.latest_charge.balance_transaction"}}
	for {
		var p page
		a := s.Serve(call("GET", "/v1/payment_intents", form.Encode(), ""))
		if err := json.Unmarshal(a.Body, &p); err != nil {
			t.Fatalf("%s: %v", a.Body, err)
		}
		for _, d := range p.Data {
			got = append(got, d.ID)
			if d.Charge.Balance.Fee != 103 || d.Charge.Balance.Net != 2397 {
				t.Errorf("%+v", d)
			}
		}
		if !p.HasMore {
			break
		}
		form.Set("starting_after", p.Data[len(p.Data)-1].ID)
	}
	if diff := cmp.Diff(made, got); diff != "" {
		t.Error(diff)
	}
	form = url.Values{"limit": {"10"}, "ending_before": {made[2]}}
	var p page
	form.Set("expand[]", "data.latest_charge")
	a := s.Serve(call("GET", "/v1/payment_intents", form.Encode(), ""))
	if err := json.Unmarshal(a.Body, &p); err == nil {
		t.Error("an unexpanded balance transaction is an object")
	}
	for _, bad := range []string{"limit=0", "limit=101", "starting_after=pi_no", "ending_before=pi_no", "colour=red"} {
		if a := s.Serve(call("GET", "/v1/payment_intents", bad, "")); a.Status != 400 {
			t.Errorf("%s: %d", bad, a.Status)
		}
	}
}

// Every list and read route returns the existing objects.
func TestReadRoutes(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true, WebhookSecret: "whsec_a", WebhookURL: "https://x.example/hook"})
	cus, pm := saveCard(t, s, sim.CardOK)
	s.Processor().Charge(ctx, charge(s, cus, pm, "k"))
	for _, path := range []string{"checkout/sessions", "setup_intents", "payment_methods", "payment_intents", "charges",
		"balance_transactions", "events", "webhook_endpoints"} {
		a := s.Serve(call("GET", "/v1/"+path, "", ""))
		var list struct {
			Object string
			Data   []struct{ ID, Object string }
		}
		if err := json.Unmarshal(a.Body, &list); err != nil || list.Object != "list" || len(list.Data) == 0 {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
			continue
		}
		one := s.Serve(call("GET", "/v1/"+path+"/"+list.Data[0].ID, "", ""))
		if one.Status != 200 || id(t, one) != list.Data[0].ID {
			t.Errorf("%s/%s: %d %s", path, list.Data[0].ID, one.Status, one.Body)
		}
		if a := s.Serve(call("GET", "/v1/"+path+"/"+cus, "", "")); a.Status != 404 {
			t.Errorf("%s with a customer's ID: %d", path, a.Status)
		}
	}
}
