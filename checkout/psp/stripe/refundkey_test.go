package stripe_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/rest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// keyRecorder answers every request with an empty list, and records its key.
type keyRecorder struct{ keys map[string]string }

func (k keyRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	k.keys[r.Method+" "+r.URL.Path] = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}},
		Body: io.NopCloser(strings.NewReader(`{"id":"re_1","object":"refund","status":"succeeded","data":[]}`)), Request: r}, nil
}

// Only the request that creates a refund has the refund key. Without one, it has the other key, too.
func TestRefundKey(t *testing.T) {
	wait := func(context.Context, time.Duration) error { return nil }
	for name, open := range map[string]func(refundKey string, tr http.RoundTripper) (psp.Processor, error){
		"stripe": func(refundKey string, tr http.RoundTripper) (psp.Processor, error) {
			return stripe.New(stripe.Options{Key: "rk_test_1", RefundKey: refundKey, Now: time.Now, Transport: tr, Wait: wait})
		},
		"rest": func(refundKey string, tr http.RoundTripper) (psp.Processor, error) {
			return rest.New(rest.Options{Key: "rk_test_1", RefundKey: refundKey, Now: time.Now,
				Sender: overhttp.New(tr, time.Minute), Wait: wait})
		},
	} {
		for refundKey, want := range map[string]string{"rk_test_2": "rk_test_2", "": "rk_test_1"} {
			k := keyRecorder{map[string]string{}}
			p, err := open(refundKey, k)
			if err != nil {
				t.Fatal(err)
			}
			p.Refund(t.Context(), psp.NewRefund{ID: "rf-1", Key: "k", PaymentID: "pi_1", Amount: 100,
				NotAfter: time.Now().Add(time.Hour)})
			if _, err := p.Reversals(t.Context(), "pi_1"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := p.Account(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if k.keys["POST /v1/refunds"] != want || k.keys["GET /v1/refunds"] != "rk_test_1" ||
				k.keys["GET /v1/account"] != "rk_test_1" {
				t.Errorf("%s with the refund key %q sent %v", name, refundKey, k.keys)
			}
		}
		for _, bad := range []string{"rk_live_2", "pk_test_2"} {
			if _, err := open(bad, keyRecorder{}); !fault.Is(err, fault.Invalid) {
				t.Errorf("%s accepts the refund key %s: %v", name, bad, err)
			}
		}
	}
}
