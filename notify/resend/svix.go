package resend

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// tolerance is the maximum difference between a request's timestamp and the clock.
const tolerance = 5 * time.Minute

// signed is the ID and the timestamp of a request with a valid signature.
type signed struct {
	id string
	at time.Time
}

// verify checks a request's signature by Svix's scheme, which Resend uses
// (https://docs.svix.com/receiving/verifying-payloads/how-manual): the HMAC-SHA256 of ID,
// timestamp and body, joined by dots. While a secret is rotated there are several signatures.
func verify(secret []byte, now time.Time, header func(string) string, body []byte) (signed, error) {
	prefix := "svix-"
	if header("svix-id") == "" {
		prefix = "webhook-"
	}
	id, stamp := header(prefix+"id"), header(prefix+"timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	// With a dot in the ID, bytes could be moved between ID and timestamp without changing the
	// signature.
	if id == "" || strings.Contains(id, ".") || err != nil {
		return signed{}, unauthorized()
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	want, valid := mac.Sum(nil), false
	for signature := range strings.FieldsSeq(header(prefix + "signature")) {
		version, sum, _ := strings.Cut(signature, ",")
		got, err := base64.StdEncoding.DecodeString(sum)
		valid = version == "v1" && err == nil && hmac.Equal(got, want) || valid
	}
	at := time.Unix(seconds, 0).UTC()
	if !valid || now.Sub(at).Abs() > tolerance {
		return signed{}, unauthorized()
	}
	return signed{id, at}, nil
}

func unauthorized() error { return fault.New(fault.Unauthorized, "Invalid signature") }

// parseSecret decodes a secret as Resend displays it: "whsec_" and base64.
func parseSecret(s string) ([]byte, bool) {
	text, ok := strings.CutPrefix(s, "whsec_")
	secret, err := base64.StdEncoding.DecodeString(text)
	return secret, ok && err == nil && len(secret) > 0
}
