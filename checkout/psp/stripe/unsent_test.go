package stripe_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
)

// A charge or refund is NotStarted if it is certain that nothing was written; after any
// other failure it may have arrived.
func TestCharge_NotSent(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	hangsUp := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(hangsUp.Close)
	for name, tt := range map[string]struct {
		base      string
		transport http.RoundTripper
		want      psp.Status
	}{
		"connection refused":         {gone.URL, nil, psp.NotStarted},
		"failed handshake":           {"https://" + plain.Listener.Addr().String(), nil, psp.NotStarted},
		"no response":                {hangsUp.URL, nil, psp.Unknown},
		"transport without progress": {gone.URL, untraced{}, psp.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := stripe.New(stripe.Options{Key: "sk_test_1", Now: time.Now, BaseURL: tt.base,
				Transport: tt.transport})
			if err != nil {
				t.Fatal(err)
			}
			o := p.Charge(t.Context(), psp.NewCharge{Key: "k", Group: "g", Amount: 100, CustomerID: "cus_1",
				PaymentMethodID: "pm_1", NotAfter: time.Now().Add(time.Hour)})
			if o.Status != tt.want {
				t.Errorf("outcome %s %s, want %s", o.Status, o.Code, tt.want)
			}
			r := p.Refund(t.Context(), psp.NewRefund{Key: "k", ID: "rf_1", Amount: 100, PaymentID: "pi_1",
				NotAfter: time.Now().Add(time.Hour)})
			if r.Status != tt.want {
				t.Errorf("refund outcome %s %s, want %s", r.Status, r.Code, tt.want)
			}
		})
	}
}

// untraced is a transport that fails without calling the request's trace.
type untraced struct{}

func (untraced) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
}
