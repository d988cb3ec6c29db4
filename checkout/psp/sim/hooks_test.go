package sim_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const secret = "whsec_a"

// completeSession returns a simulator in which a session was just completed. The session's event is
// the only due delivery.
func completeSession(t testing.TB, faults ...sim.HookFault) *sim.Sim {
	t.Helper()
	s := sim.New(sim.Options{WebhookSecret: secret, WebhookURL: "https://x.example/hook"})
	ses := open(t, s, "1")
	if err := s.InjectHookFaults(faults...); err != nil {
		t.Fatal(err)
	}
	if err := s.Complete(ses.ID, sim.CardOK); err != nil {
		t.Fatal(err)
	}
	for _, d := range s.Due() {
		if d.Type != psp.SessionCompleted {
			s.RecordResponse(d, 200)
		}
	}
	return s
}

func TestRetrySchedule(t *testing.T) {
	for _, status := range []int{0, 199, 301, 404, 500} {
		s := completeSession(t)
		start := s.Now()
		var at []time.Duration
		for {
			for _, d := range s.Due() {
				if d.Attempt != len(at)+1 || d.URL != "https://x.example/hook" {
					t.Errorf("attempt %d: %+v", len(at)+1, d)
				}
				if _, err := sim.Verify(d.Body, d.Signature, secret, s.Now()); err != nil {
					t.Errorf("attempt %d has no fresh signature: %v", d.Attempt, err)
				}
				at = append(at, s.Now().Sub(start))
				s.RecordResponse(d, status)
			}
			next, ok := s.NextHook()
			if !ok {
				break
			}
			s.Advance(next.Sub(s.Now()))
		}
		h := time.Hour
		want := []time.Duration{0, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * h, 5 * h,
			10 * h, 22 * h, 34 * h, 46 * h, 58 * h, 70 * h, 72 * h}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("status %d (-want +got):\n%s", status, diff)
		}
	}
}

func TestDeliveryEnds(t *testing.T) {
	for _, status := range []int{200, 204, 299} {
		s := completeSession(t)
		d := s.Due()
		if len(d) != 1 {
			t.Fatalf("%d deliveries", len(d))
		}
		if again := s.Due(); len(again) != 1 {
			t.Error("Due removed a delivery")
		}
		s.RecordResponse(d[0], status)
		s.RecordResponse(d[0], 500) // a late report about a finished delivery
		s.Advance(time.Hour)
		if got := count(s, psp.SessionCompleted); got != 0 {
			t.Errorf("delivered again after status %d", status)
		}
	}
	s := completeSession(t)
	s.Advance(73 * time.Hour)
	if got := count(s, psp.SessionCompleted); got != 0 {
		t.Error("an unfetched delivery is still due after three days")
	}
}

func TestHookFaults(t *testing.T) {
	for _, tt := range []struct {
		kind  sim.HookKind
		wait  time.Duration
		check func(t *testing.T, s *sim.Sim, d []sim.Delivery)
	}{
		{sim.LoseHook, 0, func(t *testing.T, s *sim.Sim, d []sim.Delivery) {
			if len(d) != 0 {
				t.Errorf("%d deliveries", len(d))
			}
		}},
		{sim.DuplicateHook, 0, func(t *testing.T, s *sim.Sim, d []sim.Delivery) {
			if len(d) != 2 || d[0].Event != d[1].Event || d[0].ID == d[1].ID || !bytes.Equal(d[0].Body, d[1].Body) {
				t.Errorf("%+v", d)
			}
		}},
		{sim.TwinHook, 0, func(t *testing.T, s *sim.Sim, d []sim.Delivery) {
			if len(d) != 2 || d[0].Event == d[1].Event || hint(t, s, d[0]).ObjectID != hint(t, s, d[1]).ObjectID {
				t.Errorf("%+v", d)
			}
		}},
		{sim.LateHook, 10 * time.Minute, func(t *testing.T, s *sim.Sim, d []sim.Delivery) {
			if len(d) != 0 {
				t.Error("the webhook was not delayed")
			}
			s.Advance(10 * time.Minute)
			if d := s.Due(); len(d) != 1 || d[0].Attempt != 1 {
				t.Errorf("%+v", d)
			}
		}},
		{sim.WrongModeHook, 0, func(t *testing.T, s *sim.Sim, d []sim.Delivery) {
			if h := hint(t, s, d[0]); h.Mode != psp.Live {
				t.Errorf("%+v", h)
			}
		}},
		{sim.OldHook, 0, func(t *testing.T, s *sim.Sim, d []sim.Delivery) {
			if h := hint(t, s, d[0]); h.ObjectID == "" || bytes.Contains(d[0].Body, []byte(psp.Version)) {
				t.Errorf("%+v %s", h, d[0].Body)
			}
		}},
		{sim.SkewHook, time.Hour, func(t *testing.T, s *sim.Sim, d []sim.Delivery) {
			if _, err := sim.Verify(d[0].Body, d[0].Signature, secret, s.Now()); !fault.Is(err, fault.Unauthorized) {
				t.Error(err)
			}
			if _, err := sim.Verify(d[0].Body, d[0].Signature, secret, s.Now().Add(time.Hour)); err != nil {
				t.Error(err)
			}
		}},
		{sim.ForgedHook, 0, func(t *testing.T, s *sim.Sim, d []sim.Delivery) {
			if _, err := sim.Verify(d[0].Body, d[0].Signature, secret, s.Now()); !fault.Is(err, fault.Unauthorized) {
				t.Error(err)
			}
		}},
	} {
		t.Run(string(tt.kind), func(t *testing.T) {
			s := completeSession(t, sim.HookFault{Kind: tt.kind, Type: psp.SessionCompleted, For: tt.wait})
			tt.check(t, s, s.Due())
		})
	}
}

func hint(t testing.TB, s *sim.Sim, d sim.Delivery) psp.Hint {
	t.Helper()
	h, err := sim.Verify(d.Body, d.Signature, secret, s.Now())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestEndpoints_EventTypes(t *testing.T) {
	s := sim.New(sim.Options{})
	a := s.Serve(call("POST", "/v1/webhook_endpoints",
		"url=https://x.example/hook&enabled_events[]=checkout.session.expired", ""))
	ep := id(t, a)
	if !strings.Contains(string(a.Body), `"secret":"whsec_`) {
		t.Errorf("no secret in the response to the creation: %s", a.Body)
	}
	again := s.Serve(call("GET", "/v1/webhook_endpoints/"+ep, "", ""))
	if strings.Contains(string(again.Body), "whsec_") {
		t.Errorf("secret in a later response: %s", again.Body)
	}
	open(t, s, "1")
	if d := s.Due(); len(d) != 0 {
		t.Errorf("delivery of another event type: %+v", d)
	}
	s.Advance(24 * time.Hour)
	if d := s.Due(); len(d) != 1 || d[0].Type != psp.SessionExpired {
		t.Errorf("%+v", d)
	}
	if a := s.Serve(call("DELETE", "/v1/webhook_endpoints/"+ep, "", "")); a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if d := s.Due(); len(d) != 0 {
		t.Error("delivery to a deleted endpoint")
	}
}

// Every endpoint gets the events and the version that it was created with, regardless of other
// endpoints. The version defaults to the pinned one.
func TestEndpoints_Independent(t *testing.T) {
	s := sim.New(sim.Options{})
	for _, form := range []string{
		"url=https://x.example/1&enabled_events[]=checkout.session.expired",
		"url=https://x.example/2&enabled_events[]=customer.created",
		"url=https://x.example/3&enabled_events[]=*&api_version=2019-12-03",
	} {
		if a := s.Serve(call("POST", "/v1/webhook_endpoints", form, "")); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	open(t, s, "1") // creates a customer
	versions := map[string]string{}
	for _, d := range s.Due() {
		var event struct {
			Version string `json:"api_version"`
		}
		if err := json.Unmarshal(d.Body, &event); err != nil {
			t.Fatal(err)
		}
		versions[d.URL] = event.Version
	}
	want := map[string]string{"https://x.example/2": psp.Version, "https://x.example/3": "2019-12-03"}
	if diff := cmp.Diff(want, versions); diff != "" {
		t.Errorf("versions sent (-want +got):\n%s", diff)
	}
}

func FuzzSignatureHeader(f *testing.F) {
	body, now := []byte(`{"id":"evt_1"}`), sim.Epoch
	good := sim.Sign(body, secret, now)
	for _, seed := range []string{good, "", "t=", "t=1,v1=00", good + ",v1=00",
		"t=99999999999999999999,v1=aa", strings.ToUpper(good)} {
		f.Add(seed)
	}
	stamp, sum, _ := strings.Cut(good, ",")
	f.Fuzz(func(t *testing.T, header string) {
		_, err := sim.Verify(body, header, secret, now)
		if fault.Is(err, fault.Unauthorized) {
			return
		}
		// Accepted headers contain exactly the right time and sum.
		if !strings.Contains(header, stamp) ||
			!strings.Contains(strings.ToLower(header), strings.TrimPrefix(sum, "v1=")) {
			t.Errorf("%q passed: %v", header, err)
		}
	})
}

func FuzzWebhookBody(f *testing.F) {
	d := completeSession(f).Due()[0]
	for _, seed := range []string{string(d.Body), "", "{}",
		`{"object":"event","id":"evt_1","type":"x","livemode":null}`, `[1]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		h, err := sim.Verify(body, sim.Sign(body, secret, sim.Epoch), secret, sim.Epoch)
		if err != nil && (!fault.Is(err, fault.Invalid) || h != (psp.Hint{})) {
			t.Errorf("%+v, %v", h, err)
		}
		if err == nil && (h.EventID == "" || h.Type == "" || h.ObjectID == "" || h.Mode == "") {
			t.Errorf("incomplete hint: %+v", h)
		}
		if _, err := sim.Verify(append(body, 'x'), sim.Sign(body, secret, sim.Epoch), secret,
			sim.Epoch); !fault.Is(err, fault.Unauthorized) {
			t.Errorf("longer body with the same signature: %v", err)
		}
	})
}

func FuzzForm(f *testing.F) {
	for _, seed := range []string{"", "email=a", "metadata[a]=b", "metadata[a][b]=c", "expand[]=data",
		"expand[0]=x", "metadata[=", "a=%zz", "metadata[]]=x", "&&=&", "email[]=a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, form string) {
		s := sim.New(sim.Options{})
		a := s.Serve(call("POST", "/v1/customers", form, "k"))
		if a.Status != 200 && a.Status != 400 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		// The same bytes with the same key always get the same response.
		b := s.Serve(call("POST", "/v1/customers", form, "k"))
		if b.Status != a.Status || a.Status == 200 && !b.Replayed {
			t.Errorf("%d, then %d", a.Status, b.Status)
		}
	})
}
