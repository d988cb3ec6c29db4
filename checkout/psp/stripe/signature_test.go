package stripe_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The signature is made here from its definition: HMAC-SHA256, under the
// secret, of the time, a full stop and the raw body.
//
// Proves WHK-07.
func TestSignatureScheme(t *testing.T) {
	p, s, _ := open(t)
	const secret = "whsec_test"
	body := []byte(`{"id":"evt_1","object":"event","type":"checkout.session.completed","livemode":false,"created":1,"data":{"object":{"id":"cs_1","object":"checkout.session"}}}`)
	at := s.Now().Unix()
	sign := func(h func() hash.Hash, format string) string {
		mac := hmac.New(h, []byte(secret))
		mac.Write(fmt.Appendf(nil, format, at, body))
		return hex.EncodeToString(mac.Sum(nil))
	}
	right := sign(sha256.New, "%d.%s")
	for name, verifier := range map[string]psp.Processor{"stripe": p, "sim": s.Processor()} {
		for header, want := range map[string]fault.Code{
			fmt.Sprintf("t=%d,v1=%s", at, right):                                  "",
			fmt.Sprintf("t=%d,v1=%s,v1=%s", at, sign(sha256.New, "%d:%s"), right): "", // while a secret is rolled
			fmt.Sprintf("t=%d,v0=%s", at, right):                                  fault.Unauthorized,
			fmt.Sprintf("t=%d,v1=%s", at+1, right):                                fault.Unauthorized,
			fmt.Sprintf("t=%d,v1=%s", at, sign(sha512.New, "%d.%s")):              fault.Unauthorized,
			fmt.Sprintf("t=%d,v1=%s", at, sign(sha256.New, "%d%s")):               fault.Unauthorized,
			fmt.Sprintf("t=%d,v1=%s", at, right[:len(right)-2]):                   fault.Unauthorized,
		} {
			hint, err := verifier.Verify(body, header, secret, s.Now())
			if got := fault.CodeOf(err); (err == nil) != (want == "") || want != "" && got != want {
				t.Errorf("%s takes %s with %v", name, header, err)
			}
			if err == nil && (hint.EventID != "evt_1" || hint.ObjectID != "cs_1" || hint.Type != psp.SessionCompleted) {
				t.Errorf("%s reads %+v", name, hint)
			}
		}
	}
	if got := sim.Sign(body, secret, s.Now()); got != fmt.Sprintf("t=%d,v1=%s", at, right) {
		t.Errorf("the simulator signs %s", got)
	}
}
