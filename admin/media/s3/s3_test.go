package s3

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/admin/media/s3/s3test"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The request and its signature are the example in AWS's documentation, "Authenticating requests:
// using query parameters".
func TestPresign_DocumentedSignature(t *testing.T) {
	s, err := New(Options{Bucket: "https://examplebucket.s3.amazonaws.com", Region: "us-east-1",
		KeyID: s3test.KeyID, Secret: s3test.Secret})
	if err != nil {
		t.Fatal(err)
	}
	got := s.presign(request{method: "GET", objectURL: s.objectURL("test.txt")},
		time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC), 24*time.Hour)
	const want = "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
	if got != want {
		t.Errorf("got %s", got)
	}
}

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// bucket returns a store, its fake bucket, and their clock.
func bucket(t *testing.T) (*Store, *s3test.Server, *time.Time) {
	t.Helper()
	now := start
	clock := func() time.Time { return now }
	peer := s3test.New(t, clock)
	s, err := New(Options{
		Fetch: overhttp.New(nil, time.Minute), Bucket: peer.URL + "/", Region: s3test.Region,
		KeyID: s3test.KeyID, Secret: s3test.Secret,
		Public: "https://films.example.org/", Now: clock,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, peer, &now
}

// send sends the request of a grant, like a browser.
func send(t *testing.T, g media.Grant, mime, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), g.Method, g.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", mime)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// A grant is for one file of one type and size, and expires.
func TestGrant_Scope(t *testing.T) {
	s, peer, now := bucket(t)
	g := s.Grant("incoming/a.mp4", "video/mp4", 6)
	if len(g.Header) != 1 || g.Header["Content-Type"] != "video/mp4" || g.ExpiresAt != start.Add(time.Hour) {
		t.Errorf("got %+v", g)
	}
	elsewhere := g
	elsewhere.URL = strings.Replace(g.URL, "a.mp4", "b.mp4", 1)
	reads := g
	reads.Method = "GET"
	longer := g
	longer.URL = strings.Replace(g.URL, "Expires=3600", "Expires=604800", 1)
	for about, tc := range map[string]struct {
		g          media.Grant
		mime, body string
	}{
		"another type": {g, "text/html", "frames"}, "a longer file": {g, "video/mp4", "frames!"},
		"a shorter file": {g, "video/mp4", "frame"},
		"another key":    {elsewhere, "video/mp4", "frames"}, "another method": {reads, "video/mp4", "frames"},
		"a later end": {longer, "video/mp4", "frames"},
	} {
		if status := send(t, tc.g, tc.mime, tc.body); status != 403 {
			t.Errorf("%s: %d", about, status)
		}
	}
	*now = start.Add(time.Hour + time.Second)
	if status := send(t, g, "video/mp4", "frames"); status != 403 || len(peer.Objects()) > 0 {
		t.Errorf("after it expired: %d, %v", status, peer.Objects())
	}
	*now = start.Add(time.Hour)
	if status := send(t, g, "video/mp4", "frames"); status != 200 ||
		string(peer.Objects()["incoming/a.mp4"].Bytes) != "frames" {
		t.Errorf("before it expired: %d, %v", status, peer.Objects())
	}
}

func TestStore_Requests(t *testing.T) {
	s, peer, _ := bucket(t)
	const key = "assets/videos/campaigns/paper-boat/hero.mp4"
	if _, err := s.Get(t.Context(), key); !fault.Is(err, fault.NotFound) {
		t.Errorf("missing file: %v", err)
	}
	if err := s.Put(t.Context(), key, "video/mp4", []byte("fr\x00ames")); err != nil {
		t.Fatal(err)
	}
	if o := peer.Objects()[key]; o.Type != "video/mp4" || !strings.Contains(o.Cache, "immutable") {
		t.Errorf("stored as %+v", o)
	}
	if b, err := s.Get(t.Context(), key); err != nil || !bytes.Equal(b, []byte("fr\x00ames")) {
		t.Errorf("got %q, %v", b, err)
	}
	for range 2 {
		if err := s.Delete(t.Context(), key); err != nil || len(peer.Objects()) > 0 {
			t.Errorf("removed: %v, %v", peer.Objects(), err)
		}
	}
	if got := s.URL(key); got != "https://films.example.org/"+key {
		t.Errorf("the public URL is %s", got)
	}
}

// Errors contain a remedy and no signature.
func TestStore_Errors(t *testing.T) {
	s, peer, _ := bucket(t)
	for status, code := range map[int]fault.Code{403: fault.Forbidden, 401: fault.Forbidden,
		503: fault.Unavailable, 301: fault.Unavailable} {
		peer.Fail(status)
		if _, err := s.Get(t.Context(), "a.mp4"); !fault.Is(err, code) {
			t.Errorf("%d: %v", status, err)
		}
		if err := s.Put(t.Context(), "a.mp4", "video/mp4", []byte("x")); !fault.Is(err, code) {
			t.Errorf("%d: %v", status, err)
		}
	}
	peer.Fail(0)
	wrong := *s
	wrong.Secret = "another"
	if err := wrong.Put(t.Context(), "a.mp4", "video/mp4", []byte("x")); !fault.Is(err, fault.Forbidden) {
		t.Errorf("another secret: %v", err)
	}
	gone := *s
	gone.bucket = &url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: "/films/"}
	if _, err := gone.Get(t.Context(), "a.mp4"); !fault.Is(err, fault.Unavailable) ||
		strings.Contains(err.Error(), "Signature") {
		t.Errorf("no server: %v", err)
	}
	for _, address := range []string{"", "films", "https://", "https://key:secret@films.example",
		"https://films.example?x=1", "://"} {
		if _, err := New(Options{Bucket: address}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// Check tests the key and the CORS rule.
func TestCheck(t *testing.T) {
	s, peer, _ := bucket(t)
	const origin = "https://stage.example"
	if err := s.Check(t.Context(), origin); !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), "CORS") {
		t.Errorf("without a CORS rule: %v", err)
	}
	peer.Allow(origin)
	if err := s.Check(t.Context(), origin); err != nil || len(peer.Objects()) > 0 {
		t.Errorf("Check returned %v and left %v", err, peer.Objects())
	}
	peer.Allow("https://other.example")
	if err := s.Check(t.Context(), origin); err == nil {
		t.Error("accepted a CORS rule for another origin")
	}
	peer.Fail(403)
	if err := s.Check(t.Context(), origin); !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), "key") {
		t.Errorf("invalid key: %v", err)
	}
}
