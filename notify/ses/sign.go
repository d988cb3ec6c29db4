package ses

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
)

const algorithm = "AWS4-HMAC-SHA256"

// key is an access key with the region and service it is used for.
type key struct{ id, secret, region, service string }

// sign adds a Signature Version 4 to a request without a query
// (https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html).
func (k key) sign(r *fetch.Request, target *url.URL, now time.Time) {
	stamp := now.UTC().Format("20060102T150405Z")
	day := stamp[:8]
	r.Header["X-Amz-Date"] = stamp
	fields := map[string]string{"host": target.Host}
	for name, value := range r.Header {
		fields[strings.ToLower(name)] = value
	}
	names := slices.Sorted(maps.Keys(fields))
	signed := strings.Join(names, ";")
	var canonical strings.Builder
	canonical.WriteString(r.Method + "\n" + target.EscapedPath() + "\n\n")
	for _, name := range names {
		canonical.WriteString(name + ":" + strings.TrimSpace(fields[name]) + "\n")
	}
	canonical.WriteString("\n" + signed + "\n" + digest(r.Body))
	scope := strings.Join([]string{day, k.region, k.service, "aws4_request"}, "/")
	secret := []byte("AWS4" + k.secret)
	for part := range strings.SplitSeq(scope, "/") {
		secret = mac(secret, part)
	}
	signature := mac(secret, strings.Join([]string{algorithm, stamp, scope, digest(canonical.String())}, "\n"))
	r.Header["Authorization"] = algorithm + " Credential=" + k.id + "/" + scope + ", SignedHeaders=" +
		signed + ", Signature=" + hex.EncodeToString(signature)
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func mac(secret []byte, s string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(s))
	return h.Sum(nil)
}
