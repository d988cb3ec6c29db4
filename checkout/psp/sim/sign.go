package sim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Sign returns the signature header for a body: "t=…,v1=…", where v1 is the
// HMAC-SHA256 of the timestamp in seconds, a dot and the body.
func Sign(body []byte, secret string, at time.Time) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac(t, body, secret))
}

func mac(t string, body []byte, secret string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(t + "."))
	h.Write(body)
	return h.Sum(nil)
}

// Verify implements the Verify method of psp.Processor.
func Verify(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
	if secret == "" {
		return psp.Hint{}, signatureError("no signing secret is configured")
	}
	t, sums, ok := parseSignature(signature)
	if !ok {
		return psp.Hint{}, signatureError("invalid signature header")
	}
	want, valid := mac(t, body, secret), false
	for _, sum := range sums {
		if hmac.Equal(sum, want) {
			valid = true
		}
	}
	if !valid {
		return psp.Hint{}, signatureError("no signature matches the body")
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		return psp.Hint{}, signatureError("invalid signature time")
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > psp.Tolerance || age < -psp.Tolerance {
		return psp.Hint{}, signatureError("the signature's time is too far from now")
	}
	return psp.ReadHint(body)
}

func signatureError(why string) error {
	return fault.New(fault.Unauthorized, "Invalid signature: %s", why)
}

// parseSignature parses "t=1,v1=aa,v1=bb,v0=…". Schemes other than v1 are
// skipped; a second timestamp, or one that is not all digits, is rejected.
func parseSignature(header string) (t string, sums [][]byte, ok bool) {
	for part := range strings.SplitSeq(header, ",") {
		name, value, has := strings.Cut(part, "=")
		switch {
		case !has:
			return "", nil, false
		case name == "t":
			if t != "" || !digits(value) {
				return "", nil, false
			}
			t = value
		case name == "v1":
			if sum, err := hex.DecodeString(value); err == nil && len(sum) == sha256.Size {
				sums = append(sums, sum)
			}
		}
	}
	return t, sums, t != "" && len(sums) > 0
}

// digits reports whether s is a number that fits a timestamp.
func digits(s string) bool {
	if s == "" || len(s) > 11 {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}
