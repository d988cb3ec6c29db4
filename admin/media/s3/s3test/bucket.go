// Package s3test provides a fake S3 bucket that verifies signatures, for tests.
package s3test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The bucket's credentials and region.
const (
	KeyID  = "AKIAIOSFODNN7EXAMPLE"
	Secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	Region = "auto"
)

// Object is a file of the bucket.
type Object struct {
	Type, Cache string
	Bytes       []byte
}

// Server is a fake bucket named films. Its files are public; all other requests must be
// signed.
type Server struct {
	// URL is the bucket's address.
	URL string
	// Now is the bucket's clock.
	Now func() time.Time

	mu      sync.Mutex
	objects map[string]Object
	origin  string // the origin whose pages may upload files
	down    int    // the status of every response; 0 for normal operation
}

// New starts a bucket.
func New(t testing.TB, now func() time.Time) *Server {
	p := &Server{Now: now, objects: map[string]Object{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.URL = server.URL + "/films"
	return p
}

// Allow sets the origin whose pages may upload files by CORS.
func (p *Server) Allow(origin string) { p.mu.Lock(); defer p.mu.Unlock(); p.origin = origin }

// Fail makes every request fail with status, until Fail(0) is called.
func (p *Server) Fail(status int) { p.mu.Lock(); defer p.mu.Unlock(); p.down = status }

// Objects returns the bucket's files by key.
func (p *Server) Objects() map[string]Object {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[string]Object{}
	maps.Copy(all, p.objects)
	return all
}

// ServeHTTP implements the bucket.
func (p *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down != 0 {
		refuse(w, p.down, "SlowDown")
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin == p.origin {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Allow-Methods", "PUT")
		w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
	}
	key, ours := strings.CutPrefix(r.URL.Path, "/films/")
	switch {
	case !ours || key == "":
		refuse(w, 404, "NoSuchBucket")
		return
	case r.Method == http.MethodOptions:
		if p.origin == "" || r.Header.Get("Origin") != p.origin {
			w.WriteHeader(http.StatusForbidden)
		}
		return
	case r.Method == http.MethodGet && r.URL.RawQuery == "": // public read
	default:
		if code := p.check(r); code != "" {
			refuse(w, 403, code)
			return
		}
	}
	p.do(w, r, key)
}

func (p *Server) do(w http.ResponseWriter, r *http.Request, key string) {
	switch r.Method {
	case http.MethodPut:
		b, err := io.ReadAll(r.Body)
		if err != nil || int64(len(b)) != r.ContentLength {
			refuse(w, 400, "IncompleteBody")
			return
		}
		p.objects[key] = Object{r.Header.Get("Content-Type"), r.Header.Get("Cache-Control"), b}
	case http.MethodGet:
		o, ok := p.objects[key]
		if !ok {
			refuse(w, 404, "NoSuchKey")
			return
		}
		w.Header().Set("Content-Type", o.Type)
		_, _ = w.Write(o.Bytes)
	case http.MethodDelete:
		delete(p.objects, key)
		w.WriteHeader(http.StatusNoContent)
	default:
		refuse(w, 405, "MethodNotAllowed")
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", code)
}

// check verifies a request's signature as received. It returns the error code, "" for a
// valid request.
func (p *Server) check(r *http.Request) string {
	q := r.URL.Query()
	scope := strings.Split(q.Get("X-Amz-Credential"), "/")
	at, err := time.Parse("20060102T150405Z", q.Get("X-Amz-Date"))
	lasts, wrong := strconv.Atoi(q.Get("X-Amz-Expires"))
	switch {
	case q.Get("X-Amz-Signature") == "":
		return "AccessDenied"
	case err != nil || wrong != nil || q.Get("X-Amz-Algorithm") != "AWS4-HMAC-SHA256" ||
		len(scope) != 5 || lasts > 7*24*60*60:
		return "AuthorizationQueryParametersError"
	case scope[0] != KeyID || scope[1] != at.Format("20060102") || scope[2] != Region ||
		scope[3] != "s3" || scope[4] != "aws4_request":
		return "InvalidAccessKeyId"
	case p.Now().After(at.Add(time.Duration(lasts)*time.Second)) || at.Sub(p.Now()) > 15*time.Minute:
		return "AccessDenied"
	}
	signed := strings.Split(q.Get("X-Amz-SignedHeaders"), ";")
	var lines strings.Builder
	for _, name := range signed {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = strconv.FormatInt(r.ContentLength, 10)
		}
		lines.WriteString(name + ":" + strings.TrimSpace(value) + "\n")
	}
	if !sort.StringsAreSorted(signed) || !strings.Contains(lines.String(), "host:") {
		return "AuthorizationQueryParametersError"
	}
	canonical := strings.Join([]string{r.Method, r.URL.EscapedPath(), withoutSignature(r.URL.RawQuery),
		lines.String(), strings.Join(signed, ";"), "UNSIGNED-PAYLOAD"}, "\n")
	sum := sha256.Sum256([]byte(canonical))
	key := []byte("AWS4" + Secret)
	for _, part := range append(scope[1:],
		fmt.Sprintf("AWS4-HMAC-SHA256\n%s\n%s\n%x", q.Get("X-Amz-Date"), strings.Join(scope[1:], "/"), sum)) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	if given, err := hex.DecodeString(q.Get("X-Amz-Signature")); err != nil || !hmac.Equal(given, key) {
		return "SignatureDoesNotMatch"
	}
	return ""
}

// withoutSignature returns a query in canonical order, without the signature.
func withoutSignature(raw string) string {
	var parts []string
	for part := range strings.SplitSeq(raw, "&") {
		name, _, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); err == nil && plain != "X-Amz-Signature" {
			parts = append(parts, part)
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, "&")
}
