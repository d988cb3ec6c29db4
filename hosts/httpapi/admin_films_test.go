package httpapi_test

import (
	"bytes"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/admin/media/s3"
	"github.com/pledgeworks/pledgeworks/admin/media/s3/s3test"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

const filmsAt = "https://films.example.org"

// withStore returns an edge with a media bucket.
func withStore(t *testing.T) (*edge, *s3test.Server) {
	t.Helper()
	now := func() time.Time { return memory.DefaultStart }
	peer := s3test.New(t, now)
	store, err := s3.New(s3.Options{
		Fetch: overhttp.New(nil, time.Minute), Bucket: peer.URL, Region: s3test.Region, KeyID: s3test.KeyID,
		Secret: s3test.Secret, Public: filmsAt, Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return newEdge(t, memory.Options{Films: store}), peer
}

// deliver uploads a file with a grant, as a browser does.
func (e *edge) deliver(g media.Grant, body []byte) int {
	e.t.Helper()
	r, err := http.NewRequestWithContext(e.t.Context(), g.Method, g.URL, bytes.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	for name, value := range g.Header {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		e.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func (b *browser) film(step string, q url.Values) httpapi.Response {
	b.e.t.Helper()
	return b.e.do("POST", "/admin/media/"+step, q.Encode(), nil, b.headers()...)
}

func asked(kind, use, name, size string) url.Values {
	q := url.Values{"kind": {kind}, "filename": {name}, "size": {size}, "changeId": {"change-1"}}
	if use != "" {
		q.Set("use", use)
	} else {
		q.Set("campaignSlug", game)
	}
	return q
}

// A video is uploaded from the browser to the bucket and checked before it is published: location
// metadata is removed, and the file gets a permanent, unique name.
//
// Proves MED-10, MED-11, MED-12, MED-17, MED-18.
func TestMedia_BucketUpload(t *testing.T) {
	e, peer := withStore(t)
	mine, super := e.signedIn("ada@example.com", access.CampaignUser, game),
		e.signedIn("super@example.com", access.SuperAdmin)
	told := append(filmed(), boxed("udta", boxed("\xa9xyz", "+48.20+016.37/"))...)
	for _, tc := range []struct {
		by              *browser
		kind, use, name string
		body            []byte
		want, mime      string
	}{
		{mine, "video", "", "hero.mp4", told, "/assets/videos/campaigns/" + game + "/hero-", "video/mp4"},
		{mine, "audio", "", "hello.wav", spoken(), "/assets/audio/campaigns/" + game + "/hello-", "audio/wav"},
		{super, "video", "default", "tour.mp4", filmed(), "/assets/videos/defaults/tour-", "video/mp4"},
	} {
		q := asked(tc.kind, tc.use, tc.name, strconv.Itoa(len(tc.body)))
		if tc.use != "" {
			e.wantStatus(mine.film("grant", q), 403)
			e.wantStatus(mine.film("take", q), 403)
		}
		if r := tc.by.film("take", q); r.Status != 404 {
			t.Errorf("%s before its upload: status %d: %s", tc.name, r.Status, r.Body)
		}
		r := tc.by.film("grant", q)
		e.wantStatus(r, 200)
		g := decode[media.Grant](t, r)
		if status := e.deliver(g, append(bytes.Clone(tc.body), 0)); status != 403 {
			t.Errorf("%s with another size: status %d", tc.name, status)
		}
		if status := e.deliver(g, tc.body); status != 200 {
			t.Fatalf("%s: %d", tc.name, status)
		}
		s := e.uploaded(tc.by.film("take", q))
		key, public := strings.CutPrefix(s.Path, filmsAt+"/")
		kept := peer.Objects()[key]
		if !public || !strings.HasPrefix("/"+key, tc.want) || kept.Type != tc.mime ||
			s.Type != tc.mime || int(s.Size) != len(kept.Bytes) {
			t.Errorf("%s = %+v, stored as %s", tc.name, s, kept.Type)
		}
		if bytes.Contains(kept.Bytes, []byte("+48.20")) || len(kept.Bytes) != len(tc.body) {
			t.Errorf("%s contains its location: %q", tc.name, kept.Bytes)
		}
		if again := e.uploaded(tc.by.film("take", q)); again.Path != s.Path {
			t.Errorf("repeated %s = %s, first was %s", tc.name, again.Path, s.Path)
		}
	}
	var acts []string
	for ev, err := range e.Services.Audit.All(t.Context(), audit.Filter{Action: "media.take"}) {
		if err != nil {
			t.Fatal(err)
		}
		acts = append(acts, ev.AdminEmail+" "+ev.CampaignSlug+" "+ev.Target)
	}
	if len(acts) < 6 || !strings.Contains(strings.Join(acts, "\n"), "ada@example.com "+game+" hero.mp4") {
		t.Errorf("audited actions = %q", acts)
	}
	l := decode[media.Listing](t, mine.get("/admin/media/"+game, ""))
	if !l.Direct || l.Limits.Video != 100<<20 || l.Limits.Audio != 32<<20 || l.Limits.Image != 8<<20 {
		t.Errorf("accepted uploads = %+v", l.Limits)
	}
}

// Files that are not videos get no grant or are deleted before publication.
//
// Proves MED-02, MED-05, MED-13, MED-14, MED-15.
func TestMedia_BucketRejects(t *testing.T) {
	e, peer := withStore(t)
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	for field, q := range map[string]url.Values{
		"size": asked("video", "", "hero.mp4", "104857601"), "filename": asked("video", "", "../hero.mp4", "9"),
		"changeId": asked("video", "", "hero.mp4", "9"),
	} {
		if field == "changeId" {
			q.Del("changeId")
		}
		e.wantField(b.film("grant", q), field)
	}
	for _, size := range []string{"", "0", "-1", "1.5", "9999999999999999999999"} {
		e.wantField(b.film("grant", asked("video", "", "hero.mp4", size)), "size")
	}
	for _, name := range []string{"hero.svg", "hero.html", "hero.mp4.html", "HERO.mp4", "hero.wav"} {
		e.wantField(b.film("grant", asked("video", "", name, "9")), "filename")
	}
	if r := b.film("grant", asked("image", "", "box.png", "9")); r.Status != 503 {
		t.Errorf("a picture: %d %s", r.Status, r.Body)
	}
	other := asked("video", "", "hero.mp4", "9")
	other.Set("campaignSlug", film)
	e.wantStatus(b.film("grant", other), 404)
	for about, body := range map[string][]byte{
		"a page": []byte("<html><script>1</script>"), "half a film": filmed()[:60],
		"a recording": spoken(), "a picture": drawn(t, 3),
	} {
		q := asked("video", "", "hero.mp4", strconv.Itoa(len(body)))
		g := decode[media.Grant](t, b.film("grant", q))
		if status := e.deliver(g, body); status != 200 {
			t.Fatalf("%s: %d", about, status)
		}
		e.wantField(b.film("take", q), "file")
		if left := peer.Objects(); len(left) > 0 {
			t.Errorf("%s was not deleted: %v", about, left)
		}
	}
	peer.Fail(503)
	if r := b.film("take", asked("video", "", "hero.mp4", "9")); r.Status != 503 {
		t.Errorf("unavailable bucket: status %d: %s", r.Status, r.Body)
	}
	plain := newEdge(t, memory.Options{})
	c := plain.signedIn("ada@example.com", access.CampaignUser, game)
	if r := c.film("grant", asked("video", "", "hero.mp4", "9")); r.Status != 503 ||
		!strings.Contains(string(r.Body), "MEDIA_STORE_URL") {
		t.Errorf("without a bucket: status %d: %s", r.Status, r.Body)
	}
	if l := decode[media.Listing](t, c.get("/admin/media/"+game, "")); l.Direct || l.Limits.Video != 32<<20 {
		t.Errorf("accepted uploads without a bucket = %+v", l)
	}
}
