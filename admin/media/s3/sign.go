package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// request is a request to the store. With its presigned URL, anyone can send it until the signature
// expires.
type request struct {
	method    string
	objectURL *url.URL
	header    map[string]string // signed headers by lower-case name
}

// presign returns the request's URL with an AWS Signature Version 4 in its query. The signature
// covers the headers but not the body.
func (s *Store) presign(r request, now time.Time, expires time.Duration) string {
	now = now.UTC()
	day, at := now.Format("20060102"), now.Format("20060102T150405Z")
	scope := strings.Join([]string{day, s.Region, "s3", "aws4_request"}, "/")
	headers := map[string]string{"host": r.objectURL.Host}
	maps.Copy(headers, r.header)
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	slices.Sort(names)
	signed := strings.Join(names, ";")
	query := canonicalQuery(url.Values{
		"X-Amz-Algorithm": {"AWS4-HMAC-SHA256"}, "X-Amz-Credential": {s.KeyID + "/" + scope}, "X-Amz-Date": {at},
		"X-Amz-Expires": {strconv.Itoa(int(expires / time.Second))}, "X-Amz-SignedHeaders": {signed},
	})
	var canonical strings.Builder
	canonical.WriteString(r.method + "\n" + r.objectURL.EscapedPath() + "\n" + query + "\n")
	for _, name := range names {
		canonical.WriteString(name + ":" + strings.Join(strings.Fields(headers[name]), " ") + "\n")
	}
	canonical.WriteString("\n" + signed + "\nUNSIGNED-PAYLOAD")
	digest := sha256.Sum256([]byte(canonical.String()))
	text := "AWS4-HMAC-SHA256\n" + at + "\n" + scope + "\n" + hex.EncodeToString(digest[:])
	key := []byte("AWS4" + s.Secret)
	for _, part := range []string{day, s.Region, "s3", "aws4_request"} {
		key = hmacSHA256(key, part)
	}
	return r.objectURL.Scheme + "://" + r.objectURL.Host + r.objectURL.EscapedPath() + "?" + query +
		"&X-Amz-Signature=" + hex.EncodeToString(hmacSHA256(key, text))
}

// canonicalQuery encodes a query as it is signed: sorted, and with %20 for a space.
func canonicalQuery(q url.Values) string { return strings.ReplaceAll(q.Encode(), "+", "%20") }

func hmacSHA256(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
