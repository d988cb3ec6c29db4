package repository

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// PushHeader is the header with the signature of a Git host's webhook for a push.
const PushHeader = "X-Hub-Signature-256"

// Signed reports whether a body is signed with the secret. A signature is "sha256=" and the
// hexadecimal HMAC-SHA256. With an empty secret it returns false.
func Signed(secret []byte, signature string, body []byte) bool {
	digest, ok := strings.CutPrefix(signature, "sha256=")
	given, err := hex.DecodeString(digest)
	if !ok || err != nil || len(secret) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return hmac.Equal(given, mac.Sum(nil))
}
