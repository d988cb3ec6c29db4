package repository

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
)

// PushHeader is the header with the signature of a Git host's webhook for a push.
const PushHeader = "X-Hub-Signature-256"

// Signed reports whether a body is signed with the secret. A signature is "sha256=" and the
// hexadecimal HMAC-SHA256. With an empty secret it returns false. The body is not kept in memory, and
// not read if the signature is malformed. Signed fails with the body's error.
func Signed(secret []byte, signature string, body io.Reader) (bool, error) {
	digest, ok := strings.CutPrefix(signature, "sha256=")
	given, err := hex.DecodeString(digest)
	if !ok || err != nil || len(given) != sha256.Size || len(secret) == 0 {
		return false, nil //nolint:nilerr // no signature
	}
	mac := hmac.New(sha256.New, secret)
	if _, err := io.Copy(mac, body); err != nil {
		return false, err
	}
	return hmac.Equal(given, mac.Sum(nil)), nil
}
