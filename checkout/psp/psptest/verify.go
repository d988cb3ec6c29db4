package psptest

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// deliverCompleted saves a card and returns the session and its webhook.
func deliverCompleted(t testing.TB, p psp.Processor, b Bench) (ses psp.Session, body []byte, signature string) {
	t.Helper()
	ses = saveCard(t, p, b, "a", Good)
	body, signature = b.Delivery(t, psp.SessionCompleted)
	return ses, body, signature
}

func wantRefused(t testing.TB, what string, h psp.Hint, err error) {
	t.Helper()
	if !fault.Is(err, fault.Unauthorized) || h != (psp.Hint{}) {
		t.Errorf("%s: got %+v, %v, want unauthorized", what, h, err)
	}
}

func verifyValid(t testing.TB, p psp.Processor, b Bench) {
	ses, body, signature := deliverCompleted(t, p, b)
	h, err := p.Verify(body, signature, b.Secret(), b.Now())
	if err != nil {
		t.Fatal(err)
	}
	if h.EventID == "" || h.Type != psp.SessionCompleted || h.ObjectID != ses.ID ||
		h.Mode != psp.Test || h.Created.IsZero() {
		t.Errorf("hint %+v", h)
	}
	live := bytes.ReplaceAll(body, []byte(`"livemode": false`), []byte(`"livemode": true`))
	live = bytes.ReplaceAll(live, []byte(`"livemode":false`), []byte(`"livemode":true`))
	h, err = p.Verify(live, b.Sign(live, b.Secret(), b.Now()), b.Secret(), b.Now())
	if err != nil || h.Mode != psp.Live {
		t.Errorf("live event: %+v, %v", h, err)
	}
}

func verifyTolerance(t testing.TB, p psp.Processor, b Bench) {
	_, body, _ := deliverCompleted(t, p, b)
	now := b.Now().Truncate(time.Second)
	for _, tt := range []struct {
		at   time.Duration // offset of the signature's time from now
		good bool
	}{
		{0, true}, {-psp.Tolerance, true}, {psp.Tolerance, true},
		{-psp.Tolerance - time.Second, false}, {psp.Tolerance + time.Second, false},
		{-72 * time.Hour, false}, {365 * 24 * time.Hour, false},
	} {
		h, err := p.Verify(body, b.Sign(body, b.Secret(), now.Add(tt.at)), b.Secret(), now)
		if tt.good && err != nil {
			t.Errorf("signed at %v from now: %v", tt.at, err)
		}
		if !tt.good {
			wantRefused(t, "signed at "+tt.at.String()+" from now", h, err)
		}
	}
	// Verify uses the caller's time and not the system clock.
	far := now.AddDate(20, 0, 0)
	if _, err := p.Verify(body, b.Sign(body, b.Secret(), far), b.Secret(), far); err != nil {
		t.Errorf("clock twenty years ahead: %v", err)
	}
}

func verifyEmptySecret(t testing.TB, p psp.Processor, b Bench) {
	_, body, signature := deliverCompleted(t, p, b)
	h, err := p.Verify(body, signature, "", b.Now())
	wantRefused(t, "empty secret", h, err)
	h, err = p.Verify(body, b.Sign(body, "", b.Now()), "", b.Now())
	wantRefused(t, "signed with the empty secret", h, err)
}

func verifySecret(t testing.TB, p psp.Processor, b Bench) {
	_, body, signature := deliverCompleted(t, p, b)
	h, err := p.Verify(body, signature, b.Secret()+"x", b.Now())
	wantRefused(t, "another secret", h, err)
}

func verifyBytes(t testing.TB, p psp.Processor, b Bench) {
	_, body, signature := deliverCompleted(t, p, b)
	for i := range body {
		changed := bytes.Clone(body)
		changed[i] ^= 1
		h, err := p.Verify(changed, signature, b.Secret(), b.Now())
		if !fault.Is(err, fault.Unauthorized) || h != (psp.Hint{}) {
			t.Fatalf("byte %d changed: got %+v, %v, want unauthorized", i, h, err)
		}
	}
	h, err := p.Verify(append(bytes.Clone(body), '\n'), signature, b.Secret(), b.Now())
	wantRefused(t, "additional byte", h, err)
	h, err = p.Verify(body[:len(body)-1], signature, b.Secret(), b.Now())
	wantRefused(t, "missing byte", h, err)
}

func verifyHeaders(t testing.TB, p psp.Processor, b Bench) {
	_, body, signature := deliverCompleted(t, p, b)
	stamp, sum, _ := strings.Cut(signature, ",")
	for _, header := range []string{"", ",", "t", "t=,v1=", stamp, sum, stamp + ",", stamp + ",v1=", stamp + ",v1=zz",
		stamp + ",v0=" + strings.TrimPrefix(sum, "v1="), "t=x," + sum, "t=-1," + sum, "t=1e9," + sum,
		signature[:len(signature)-1], signature + "0", stamp + "," + stamp + "9," + sum} {
		h, err := p.Verify(body, header, b.Secret(), b.Now())
		wantRefused(t, "header "+header, h, err)
	}
}

func verifyRotation(t testing.TB, p psp.Processor, b Bench) {
	_, body, signature := deliverCompleted(t, p, b)
	stamp, sum, _ := strings.Cut(signature, ",")
	old := "v1=" + strings.Repeat("0", 64)
	for _, header := range []string{stamp + "," + old + "," + sum, stamp + "," + sum + "," + old,
		stamp + ",v0=aa," + sum} {
		if _, err := p.Verify(body, header, b.Secret(), b.Now()); err != nil {
			t.Errorf("header %s: %v", header, err)
		}
	}
}

func verifyNoEvent(t testing.TB, p psp.Processor, b Bench) {
	for _, body := range []string{"", "{}", "null", "[]", "hello", `{"id": 7}`, `{"object": "event"}`,
		`{"id": "evt_1", "object": "charge", "type": "charge.updated", "livemode": false, "data": {"object": {"id": "ch_1"}}}`,
		`{"id": "evt_1", "object": "event", "type": "charge.updated", "data": {"object": {"id": "ch_1"}}}`} {
		_, err := p.Verify([]byte(body), b.Sign([]byte(body), b.Secret(), b.Now()), b.Secret(), b.Now())
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("signed body %q: %v, want invalid", body, err)
		}
	}
}
