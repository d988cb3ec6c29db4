package rest

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

// Verify implements psp.Processor. The signature header is "t=…,v1=…", where v1 is the HMAC-SHA256
// of the timestamp in seconds, a dot and the body. While a secret is rotated, it has several v1
// signatures.
func (p *Processor) Verify(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
	seconds, sums := parseSignature(signature)
	at, _ := strconv.ParseInt(seconds, 10, 64) // the comparison below catches parse errors
	if secret == "" || strconv.FormatInt(at, 10) != seconds || !signed(body, seconds, secret, sums) {
		return psp.Hint{}, unauthorized()
	}
	if age := now.Sub(time.Unix(at, 0)); age > psp.Tolerance || age < -psp.Tolerance {
		return psp.Hint{}, unauthorized()
	}
	return psp.ReadHint(body)
}

func unauthorized() error { return fault.New(fault.Unauthorized, "Invalid signature") }

// parseSignature parses a header's timestamp and signatures. Several timestamps
// are rejected: the signature could be valid for one and the age for another.
func parseSignature(header string) (seconds string, sums [][]byte) {
	times := 0
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			times++
			seconds = value
		case "v1":
			if sum, err := hex.DecodeString(value); err == nil {
				sums = append(sums, sum)
			}
		}
	}
	if times != 1 {
		return "", nil
	}
	return seconds, sums
}

// signed reports whether one of the signatures is valid for the timestamp and the body.
func signed(body []byte, seconds, secret string, sums [][]byte) bool {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(seconds + "."))
	h.Write(body)
	want, valid := h.Sum(nil), false
	for _, sum := range sums {
		valid = hmac.Equal(sum, want) || valid
	}
	return valid
}
