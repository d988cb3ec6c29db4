package simhttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
)

// client sends requests to a simulator, with or without a socket.
type client struct {
	t    testing.TB
	base string
	http *http.Client
}

// newClients returns a client with a socket and one without, by name.
func newClients(t *testing.T, s *sim.Sim, o simhttp.Options) map[string]client {
	srv := httptest.NewServer(simhttp.NewHandler(s, o))
	t.Cleanup(srv.Close)
	return map[string]client{
		"socket":    {t, srv.URL, srv.Client()},
		"transport": {t, "http://processor.invalid", &http.Client{Transport: simhttp.NewTransport(s, o)}},
	}
}

func (c client) request(method, path, form, key string) *http.Request {
	c.t.Helper()
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(form)
	} else if form != "" {
		path += "?" + form
	}
	r, err := http.NewRequest(method, c.base+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer sk_test_x")
	r.Header.Set("Psp-Version", psp.Version)
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	return r
}

func (c client) do(r *http.Request) (*http.Response, map[string]json.RawMessage) {
	c.t.Helper()
	res, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	var out map[string]json.RawMessage
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		c.t.Fatal(err)
	}
	return res, out
}

func TestHeaders(t *testing.T) {
	for name, c := range newClients(t, sim.New(sim.Options{NoLimits: true}), simhttp.Options{}) {
		t.Run(name, func(t *testing.T) {
			key := "k-" + name
			res, first := c.do(c.request("POST", "/v1/customers", "email=ada%40example.com", key))
			if res.StatusCode != 200 || res.Header.Get("Request-Id") == "" ||
				res.Header.Get("Idempotent-Replayed") != "" {
				t.Errorf("first: %s %v", res.Status, res.Header)
			}
			res, again := c.do(c.request("POST", "/v1/customers", "email=ada%40example.com", key))
			if res.Header.Get("Idempotent-Replayed") != "true" || res.Header.Get("Idempotency-Key") != key {
				t.Errorf("replay: %v", res.Header)
			}
			if diff := cmp.Diff(string(first["id"]), string(again["id"])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVersionAndKey(t *testing.T) {
	for name, c := range newClients(t, sim.New(sim.Options{}), simhttp.Options{Vendor: "Acme"}) {
		t.Run(name, func(t *testing.T) {
			r := c.request("GET", "/v1/customers/cus_1", "", "")
			r.Header.Set("Acme-Version", psp.Version)
			if res, _ := c.do(r); res.StatusCode != 404 {
				t.Errorf("vendor's version header: %s", res.Status)
			}
			r.Header.Del("Acme-Version")
			if res, _ := c.do(r); res.StatusCode != 400 {
				t.Errorf("no version: %s", res.Status)
			}
			r.Header.Set("Acme-Version", psp.Version)
			r.Header.Del("Authorization")
			r.SetBasicAuth("sk_test_x", "")
			if res, _ := c.do(r); res.StatusCode != 404 {
				t.Errorf("key as user name: %s", res.Status)
			}
			r.SetBasicAuth("sk_live_x", "")
			if res, _ := c.do(r); res.StatusCode != 401 {
				t.Errorf("key of the other mode: %s", res.Status)
			}
		})
	}
}

func TestNetworkFaults(t *testing.T) {
	for _, kind := range []sim.FaultKind{sim.DropRequest, sim.DropAnswer, sim.CutAnswer,
		sim.CorruptBody, sim.BadGateway, sim.Delay} {
		s := sim.New(sim.Options{NoLimits: true})
		late := errors.New("too late")
		o := simhttp.Options{Sleep: func(context.Context, time.Duration) error { return late }}
		for name, c := range newClients(t, s, o) {
			t.Run(string(kind)+"/"+name, func(t *testing.T) {
				before := s.Received(sim.CreateCustomer)
				// The first request opens the connection, so that the fault
				// affects a reused connection.
				c.do(c.request("POST", "/v1/customers", "", "warm-"+name))
				if err := s.InjectFaults(sim.Fault{Kind: kind, For: time.Hour}); err != nil {
					t.Fatal(err)
				}
				res, err := c.http.Do(c.request("POST", "/v1/customers", "", "k-"+name))
				if err == nil {
					var b []byte
					b, err = io.ReadAll(res.Body)
					res.Body.Close()
					if err == nil && json.Valid(b) {
						t.Errorf("got a usable response: %s %s", res.Status, b)
					}
				}
				want := 2
				if kind == sim.DropRequest {
					want = 1
				}
				if got := s.Received(sim.CreateCustomer) - before; got != want {
					t.Errorf("%d requests, want %d", got, want)
				}
			})
		}
	}
}

// Parameters of a POST are in the body, all others in the query.
func TestParameters(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true})
	ses := startSession(t, s, psp.NewSetup{Key: "k", UIMode: psp.Custom})
	for name, c := range newClients(t, s, simhttp.Options{}) {
		for _, tt := range []struct {
			method, path, form string
			status             int
			has                string
		}{
			{"POST", "/v1/customers", "email=ada%40example.com", 200, `"ada@example.com"`},
			{"POST", "/v1/customers", "colour=red", 400, "colour"},
			{"GET", "/v1/checkout/sessions", "status=open", 200, ses.ID},
			{"GET", "/v1/checkout/sessions", "status=expired", 200, `[]`},
			{"DELETE", "/v1/webhook_endpoints/we_1", "colour=red", 400, "colour"},
		} {
			res, out := c.do(c.request(tt.method, tt.path, tt.form, ""))
			b, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			if res.StatusCode != tt.status || !strings.Contains(string(b), tt.has) {
				t.Errorf("%s: %s %s %s: %s %s, want %d with %s", name, tt.method, tt.path, tt.form,
					res.Status, b, tt.status, tt.has)
			}
		}
		// A POST without a body has no parameters.
		r := c.request("POST", "/v1/customers", "", "")
		r.Body, r.ContentLength = nil, 0
		if res, out := c.do(r); res.StatusCode != 200 || string(out["email"]) != "null" {
			t.Errorf("%s: without a body: %s %s", name, res.Status, out)
		}
	}
}

func TestLimitedHeader(t *testing.T) {
	c := client{t, "http://processor.invalid",
		&http.Client{Transport: simhttp.NewTransport(sim.New(sim.Options{}), simhttp.Options{})}}
	for range 25 {
		if res, _ := c.do(c.request("GET", "/v1/events", "", "")); res.StatusCode != 200 {
			t.Fatalf("request within the limit: %s", res.Status)
		}
	}
	res, _ := c.do(c.request("GET", "/v1/events", "", ""))
	if res.StatusCode != 429 || res.Header.Get("Psp-Rate-Limited-Reason") != "global-rate" {
		t.Errorf("26th request at once: %s %v", res.Status, res.Header)
	}
}

func post(t *testing.T, address, body string) (int, string) {
	t.Helper()
	res, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(b)
}

func startSession(t *testing.T, s *sim.Sim, n psp.NewSetup) psp.Session {
	t.Helper()
	p := s.Processor()
	cus, err := p.CreateCustomer(context.Background(), psp.NewCustomer{Key: "c" + n.Key, Email: "<ada>@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	n.CustomerID = cus
	ses, err := p.StartSetup(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	return ses
}

func TestControls(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true})
	srv := httptest.NewServer(simhttp.NewHandler(s, simhttp.Options{}))
	defer srv.Close()
	ses := startSession(t, s, psp.NewSetup{Key: "k", UIMode: psp.Custom, ReturnURL: "https://example.com/"})
	for _, tt := range []struct {
		path, body string
		status     int
		has        string
	}{
		{"complete", `{"session":"cs_test_none","card":"ok"}`, 404, "not_found"},
		{"complete", `{"session":"` + ses.ID + `","card":"gold"}`, 400, `"field":"card"`},
		{"complete", `{"session":"` + ses.ID + `","card":"4000000000000002"}`, 409, "declined"},
		{"complete", `{"session":"` + ses.ID + `","card":"4242424242424242"}`, 200, "done"},
		{"complete", `{"session":"` + ses.ID + `","card":"ok"}`, 409, "already complete"},
		{"complete", `{"sesion":"x"}`, 400, "sesion"},
		{"complete", `{`, 400, "invalid"},
		{"faults", `[{"kind":"explode"}]`, 400, `"field":"kind"`},
		{"faults", `[{"kind":"drop_answer","op":"payment_intents.create"}]`, 200, "done"},
		{"hooks", `[{"kind":"lose"},{"kind":"vanish"}]`, 400, `"field":"kind"`},
		{"hooks", `[{"kind":"lose"}]`, 200, "done"},
		{"storm", `{"calls":1001,"hooks":0}`, 400, "thousand"},
		{"storm", `{"calls":10,"hooks":0}`, 200, "done"},
		{"calm", ``, 200, "done"},
		{"advance", `{"by":"yesterday"}`, 400, `"field":"by"`},
		{"advance", `{"by":"25h"}`, 200, `"now":"2026-01-06T13:00:00Z"`},
		{"authenticate", `{"payment":"pi_none"}`, 404, "not_found"},
	} {
		status, body := post(t, srv.URL+"/_sim/"+tt.path, tt.body)
		if status != tt.status || !strings.Contains(body, tt.has) {
			t.Errorf("%s %s: %d %s, want %d with %s", tt.path, tt.body, status, body, tt.status, tt.has)
		}
	}
	for _, path := range []string{"books", "cards", "snapshot"} {
		res, err := http.Get(srv.URL + "/_sim/" + path)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != 200 || !json.Valid(b) {
			t.Errorf("%s: %s %s", path, res.Status, b)
		}
	}
}

func TestSnapshot(t *testing.T) {
	old, fresh := sim.New(sim.Options{}), sim.New(sim.Options{Seed: 7})
	ses := startSession(t, old, psp.NewSetup{Key: "k", UIMode: psp.Custom})
	from := httptest.NewServer(simhttp.NewHandler(old, simhttp.Options{}))
	defer from.Close()
	to := httptest.NewServer(simhttp.NewHandler(fresh, simhttp.Options{}))
	defer to.Close()
	res, err := http.Get(from.URL + "/_sim/snapshot")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	put, err := http.NewRequest(http.MethodPut, to.URL+"/_sim/snapshot", res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res, err = http.DefaultClient.Do(put); err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	if err := fresh.Complete(ses.ID, sim.CardOK); err != nil {
		t.Error(err)
	}
}

func TestPage(t *testing.T) {
	var srv *httptest.Server
	s := sim.New(sim.Options{})
	srv = httptest.NewServer(simhttp.NewHandler(s, simhttp.Options{}))
	defer srv.Close()
	ses := startSession(t, s, psp.NewSetup{Key: "k", UIMode: psp.Hosted,
		SuccessURL: "https://shop.example.com/thanks?s={CHECKOUT_SESSION_ID}", CancelURL: "https://shop.example.com/"})
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func() (int, string) {
		res, err := c.Get(srv.URL + ses.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(b)
	}
	if code, page := get(); code != 200 || !strings.Contains(page, "&lt;ada&gt;@example.com") ||
		!strings.Contains(page, "4242424242424242") {
		t.Errorf("page: %d %s", code, page)
	}
	res, err := c.PostForm(srv.URL+ses.URL, url.Values{"card": {sim.CardDeclined}})
	if err != nil || res.StatusCode != 409 {
		t.Errorf("declined card: %v, %v", res, err)
	}
	res, err = c.PostForm(srv.URL+ses.URL, url.Values{"card": {sim.CardOK}})
	if err != nil || res.StatusCode != 303 ||
		res.Header.Get("Location") != "https://shop.example.com/thanks?s="+ses.ID {
		t.Errorf("valid card: %v, %v", res, err)
	}
	if _, page := get(); !strings.Contains(page, "complete") || strings.Contains(page, "<form") {
		t.Errorf("page of a complete session: %s", page)
	}
}

// A session without a return URL stays on the page, which reports success.
func TestPage_WithoutReturnURL(t *testing.T) {
	s := sim.New(sim.Options{})
	srv := httptest.NewServer(simhttp.NewHandler(s, simhttp.Options{}))
	defer srv.Close()
	ses := startSession(t, s, psp.NewSetup{Key: "k", UIMode: psp.Custom})
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.PostForm(srv.URL+"/_sim/pay/"+ses.ID, url.Values{"card": {sim.CardOK}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if b, err := io.ReadAll(res.Body); err != nil || res.StatusCode != 200 ||
		!strings.Contains(string(b), "This session is complete") {
		t.Errorf("%s %s, %v", res.Status, b, err)
	}
}

// answer is a webhook endpoint that responds with a status or an error.
type answer func(*http.Request) (status int, err error)

func (a answer) RoundTrip(r *http.Request) (*http.Response, error) {
	status, err := a(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Request: r}, nil
}

// A 2xx response ends a delivery; anything else is retried. An attempt that is interrupted by
// stopping the pump does not count, unless the response had arrived.
func TestPump_Attempts(t *testing.T) {
	gone := errors.New("gone")
	for name, tt := range map[string]struct {
		status   int
		err      error
		stop     bool
		accepted int
		next     []int // attempt numbers due a minute later
	}{
		"accepted":                        {status: 200, accepted: 1},
		"last 2xx status":                 {status: 299, accepted: 1},
		"first 3xx status":                {status: 300, next: []int{2}},
		"before the 2xx":                  {status: 199, next: []int{2}},
		"no response":                     {err: gone, next: []int{2}},
		"stopped":                         {err: gone, stop: true, next: []int{1}},
		"stopped too late":                {status: 200, stop: true, accepted: 1},
		"stopped after an error response": {status: 500, stop: true, next: []int{2}},
	} {
		s := sim.New(sim.Options{WebhookURL: "https://x.example/hook", WebhookSecret: "whsec_a"})
		if _, err := s.Processor().CreateCustomer(context.Background(), psp.NewCustomer{Key: "k"}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		p := simhttp.Pump{Sim: s, Client: &http.Client{Transport: answer(func(*http.Request) (int, error) {
			if tt.stop {
				stop()
			}
			return tt.status, tt.err
		})}}
		if got := p.Once(ctx); got != tt.accepted {
			t.Errorf("%s: %d accepted, want %d", name, got, tt.accepted)
		}
		stop()
		s.Advance(time.Minute)
		var next []int
		for _, d := range s.Due() {
			next = append(next, d.Attempt)
		}
		if diff := cmp.Diff(tt.next, next); diff != "" {
			t.Errorf("%s: due a minute later (-want +got):\n%s", name, diff)
		}
	}
}

func TestPump(t *testing.T) {
	var bodies [][]byte
	answers := []int{500, 200}
	s := sim.New(sim.Options{})
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if _, err := s.Processor().Verify(b, r.Header.Get("Psp-Signature"), "whsec_a", s.Now()); err != nil {
			t.Error(err)
		}
		w.WriteHeader(answers[min(len(bodies), 1)])
		bodies = append(bodies, b)
	}))
	defer hook.Close()
	if err := s.Restore(withEndpoint(t, hook.URL)); err != nil {
		t.Fatal(err)
	}
	p := simhttp.Pump{Sim: s, Client: hook.Client()}
	startSession(t, s, psp.NewSetup{Key: "k", UIMode: psp.Custom})
	if got := p.Once(context.Background()); got != 0 || len(bodies) != 1 {
		t.Errorf("%d accepted after %d requests with an error response", got, len(bodies))
	}
	if p.Once(context.Background()); len(bodies) != 1 {
		t.Error("retried immediately")
	}
	s.Advance(time.Minute)
	if got := p.Once(context.Background()); got != 1 || len(bodies) != 2 {
		t.Errorf("after a minute: %d accepted of %d", got, len(bodies))
	}
	s.Advance(72 * time.Hour)
	expired := p.Once(context.Background())
	if expired != 1 { // the session's expiry
		t.Errorf("%d more accepted later, want 1", expired)
	}
}

// withEndpoint returns the snapshot of a simulator that delivers to a URL.
func withEndpoint(t *testing.T, address string) []byte {
	t.Helper()
	b, err := sim.New(sim.Options{WebhookURL: address, WebhookSecret: "whsec_a"}).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
