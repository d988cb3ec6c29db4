package stripe_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A hundred thousand mutations of a valid delivery, in its body, header, time or
// secret, are all rejected.
//
// Proves WHK-07.
func TestMutatedSignatures(t *testing.T) {
	p, s, _ := newRecorded(t)
	const secret, mutations = "whsec_test", 100_000
	body := []byte(`{"id":"evt_1","object":"event","type":"checkout.session.completed","livemode":false,"created":1,` +
		`"data":{"object":{"id":"cs_1","object":"checkout.session"}}}`)
	header := sim.Sign(body, secret, s.Now())
	rng := rand.New(rand.NewPCG(1, 2))
	for i, verifier := range []psp.Processor{p, s.Processor(), makeAdapter(t, adapters["rest"], nil, s.Now)} {
		name := []string{"stripe", "sim", "rest"}[i]
		if _, err := verifier.Verify(body, header, secret, s.Now()); err != nil {
			t.Fatalf("%s rejects the valid delivery: %v", name, err)
		}
		for range mutations / 2 {
			b, h, key := mutate(rng, body, header, secret)
			if _, err := verifier.Verify([]byte(b), h, key, s.Now()); err == nil {
				t.Fatalf("%s accepts body %q, header %q, secret %q", name, b, h, key)
			}
		}
	}
}

// mutate changes one part of a delivery at random.
func mutate(rng *rand.Rand, body []byte, header, secret string) (b, h, key string) {
	b, h, key = string(body), header, secret
	part := []*string{&b, &h, &h, &key}[rng.IntN(4)]
	for was := *part; *part == was || part == &h && sameSignature(was, *part); {
		s := []byte(was)
		for range 1 + rng.IntN(3) {
			at := rng.IntN(len(s))
			switch rng.IntN(4) {
			case 0:
				s[at] ^= 1 << rng.IntN(8)
			case 1:
				s = slices.Delete(s, at, at+1)
			case 2:
				s = slices.Insert(s, at, byte(32+rng.IntN(95)))
			case 3:
				s = s[:at]
			}
			if len(s) == 0 {
				break
			}
		}
		*part = string(s)
	}
	return b, h, key
}

// sameSignature reports whether two headers are equivalent: hex digits may be in
// upper case, and unknown fields may be in between.
func sameSignature(a, b string) bool {
	good := func(h string) bool {
		return strings.Contains(strings.ToLower(h), strings.ToLower(a[strings.Index(a, "v1="):]))
	}
	return good(b) && strings.HasPrefix(b, a[:strings.Index(a, ",")+1])
}

// The signature is computed from its definition: HMAC-SHA256, keyed with the
// secret, of the time, a dot and the raw body.
//
// Proves WHK-07.
func TestSignatureScheme(t *testing.T) {
	p, s, _ := newRecorded(t)
	const secret = "whsec_test"
	body := []byte(`{"id":"evt_1","object":"event","type":"checkout.session.completed","livemode":false,"created":1,` +
		`"data":{"object":{"id":"cs_1","object":"checkout.session"}}}`)
	at := s.Now().Unix()
	sign := func(h func() hash.Hash, format string) string {
		mac := hmac.New(h, []byte(secret))
		mac.Write(fmt.Appendf(nil, format, at, body))
		return hex.EncodeToString(mac.Sum(nil))
	}
	right := sign(sha256.New, "%d.%s")
	for name, verifier := range map[string]psp.Processor{"stripe": p, "sim": s.Processor(),
		"rest": makeAdapter(t, adapters["rest"], nil, s.Now)} {
		for header, want := range map[string]fault.Code{
			fmt.Sprintf("t=%d,v1=%s", at, right):                                  "",
			fmt.Sprintf("t=%d,v1=%s,v1=%s", at, sign(sha256.New, "%d:%s"), right): "", // while a secret is rotated
			fmt.Sprintf("t=%d,v0=%s", at, right):                                  fault.Unauthorized,
			fmt.Sprintf("t=%d,v1=%s", at+1, right):                                fault.Unauthorized,
			fmt.Sprintf("t=%d,v1=%s", at, sign(sha512.New, "%d.%s")):              fault.Unauthorized,
			fmt.Sprintf("t=%d,v1=%s", at, sign(sha256.New, "%d%s")):               fault.Unauthorized,
			fmt.Sprintf("t=%d,v1=%s", at, right[:len(right)-2]):                   fault.Unauthorized,
		} {
			hint, err := verifier.Verify(body, header, secret, s.Now())
			if got := fault.CodeOf(err); (err == nil) != (want == "") || want != "" && got != want {
				t.Errorf("%s: header %s: %v", name, header, err)
			}
			if err == nil && (hint.EventID != "evt_1" || hint.ObjectID != "cs_1" || hint.Type != psp.SessionCompleted) {
				t.Errorf("%s reads %+v", name, hint)
			}
		}
	}
	if got := sim.Sign(body, secret, s.Now()); got != fmt.Sprintf("t=%d,v1=%s", at, right) {
		t.Errorf("sim.Sign: %s", got)
	}
}
