package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

func TestIdempotency_KeyLength(t *testing.T) {
	s := sim.New(sim.Options{})
	for length, status := range map[int]int{255: 200, 256: 400} {
		if a := s.Serve(call("POST", "/v1/customers", "", strings.Repeat("k", length))); a.Status != status {
			t.Errorf("key of %d characters: %d %s", length, a.Status, a.Body)
		}
	}
}

func TestIdempotency(t *testing.T) {
	for _, tt := range []struct {
		name     string
		keep     time.Duration
		age      time.Duration
		replayed bool
	}{
		{"at once", 0, 0, true},
		{"22:59", 0, 22*time.Hour + 59*time.Minute, true},
		{"23:59:59", 0, 24*time.Hour - time.Second, true},
		{"forgotten at exactly 24 hours", 0, 24 * time.Hour, false},
		{"24:01", 0, 24*time.Hour + time.Minute, false},
		{"kept longer", 48 * time.Hour, 24*time.Hour + time.Minute, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sim.New(sim.Options{KeepKeys: tt.keep})
			cus, pm := saveCard(t, s, sim.CardOK)
			form := "amount=100&currency=usd&confirm=true&off_session=true&customer=" + cus + "&payment_method=" + pm
			first := s.Serve(call("POST", "/v1/payment_intents", form, "k"))
			s.Advance(tt.age)
			// The order of the parameters does not matter.
			form = "payment_method=" + pm + "&off_session=true&confirm=true&currency=usd&amount=100&customer=" + cus
			again := s.Serve(call("POST", "/v1/payment_intents", form, "k"))
			if again.Status != 200 || again.Replayed != tt.replayed || (id(t, first) == id(t, again)) != tt.replayed {
				t.Errorf("%d, replayed %v", again.Status, again.Replayed)
			}
			want := 2
			if tt.replayed {
				want = 1
				if diff := cmp.Diff(string(first.Body), string(again.Body)); diff != "" {
					t.Error(diff)
				}
			}
			if got := len(s.Entries()); got != want {
				t.Errorf("%d charges, want %d", got, want)
			}
		})
	}
}

// Keys store only responses of started requests, including declines and failures.
func TestIdempotency_StoredResponses(t *testing.T) {
	for _, tt := range []struct {
		name     string
		card     string
		fault    sim.FaultKind
		status   int
		replayed bool
	}{
		{"success", sim.CardOK, "", 200, true},
		{"decline", sim.CardChargeDeclined, "", 402, true},
		{"authentication required", sim.CardAuthAlways, "", 402, true},
		{"500 before", sim.CardOK, sim.ServerError, 500, true},
		{"500 after", sim.CardOK, sim.ServerErrorAfter, 500, true},
		{"429", sim.CardOK, sim.RateLimit, 429, false},
		{"lock", sim.CardOK, sim.LockTimeout, 429, false},
		{"409", sim.CardOK, sim.KeyInUse, 409, false},
		{"proxy page", sim.CardOK, sim.BadGateway, 502, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sim.New(sim.Options{})
			cus, pm := saveCard(t, s, tt.card)
			if tt.fault != "" {
				if err := s.InjectFaults(sim.Fault{Kind: tt.fault, Op: sim.CreateIntent}); err != nil {
					t.Fatal(err)
				}
			}
			c := call("POST", "/v1/payment_intents",
				"amount=100&currency=usd&confirm=true&off_session=true&customer="+cus+"&payment_method="+pm, "k")
			first, again := s.Serve(c), s.Serve(c)
			if first.Status != tt.status || again.Replayed != tt.replayed {
				t.Errorf("%d, then %d, replayed %v", first.Status, again.Status, again.Replayed)
			}
			if tt.replayed != (again.Status == tt.status) {
				t.Errorf("response status changed from %d to %d", first.Status, again.Status)
			}
			if n := len(s.Entries()); n > 1 {
				t.Errorf("%d charges", n)
			}
		})
	}
}

func TestIdempotency_DelayedResponse(t *testing.T) {
	s := sim.New(sim.Options{})
	if err := s.InjectFaults(sim.Fault{Kind: sim.Delay, For: time.Minute}); err != nil {
		t.Fatal(err)
	}
	c := call("POST", "/v1/customers", "email=a%40example.com", "k")
	first := s.Serve(c)
	if first.Wait != time.Minute {
		t.Errorf("response delayed by %v", first.Wait)
	}
	twin := s.Serve(c)
	if _, code, _ := parseProblem(t, twin); twin.Status != 409 || code != "idempotency_key_in_use" {
		t.Errorf("same key while running: %d %s", twin.Status, code)
	}
	s.Advance(time.Minute)
	if a := s.Serve(c); !a.Replayed || id(t, a) != id(t, first) {
		t.Errorf("same key afterwards: %d %s", a.Status, a.Body)
	}
}
