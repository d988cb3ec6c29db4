package workers_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/repository/forge/forgetest"
	"github.com/pledgeworks/pledgeworks/internal/workerd"
)

// An operator opens a draft that is only in the repository, previews its page, publishes a change,
// and uploads and downloads a picture. Files pass the bridge to the program unchanged.
func TestContent_OnTheEdge(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a worker")
	}
	draft := strings.NewReplacer("title: Bench", "title: Drafted", "slug: bench", "slug: drafted",
		"published: true", "published: false\npreview_enabled: true").Replace(benchCampaign)
	host := forgetest.New(t, map[string]string{"campaigns/bench.md": benchCampaign, "campaigns/drafted.md": draft})
	forgetest.AsGitea(host)
	to, err := url.Parse(host.Serve())
	check(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(to) }}
	var asked atomic.Int64
	gitea := httptest.NewServer(http.StripPrefix("/api/v1", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		proxy.ServeHTTP(w, r)
	})))
	t.Cleanup(gitea.Close)

	m := startService(t)
	check(t, m.Kill())
	m.options.Variables["CONTENT_REPOSITORY"] = "gitea:" + gitea.URL + "/o/n"
	m.options.Variables["CONTENT_TOKEN"], m.options.Variables["CONTENT_FOLDER"] = forgetest.Token, "site"
	m.Worker = run(t, m.options)

	before := asked.Load()
	for _, path := range []string{"/admin/content?campaignSlug=drafted", "/admin/campaigns", "/admin/nothing"} {
		res, err := (&http.Client{Transport: workerd.Transport}).Get(m.URL + path)
		check(t, err)
		check(t, res.Body.Close())
	}
	if n := asked.Load() - before; n != 0 {
		t.Errorf("requests without credentials cost %d requests to the Git host", n)
	}
	opened := m.operate(t, "GET", "/admin/content?campaignSlug=drafted", "", nil)
	var file struct {
		File        string
		Publishable bool
		Fields      map[string]json.RawMessage
	}
	check(t, json.Unmarshal(opened, &file))
	if file.File != "campaigns/drafted.md" || !file.Publishable || string(file.Fields["title"]) != `"Drafted"` {
		t.Fatalf("opened %s", opened)
	}
	change := `{"campaignSlug":"drafted","changeId":"1","edits":[{"path":"title","was":"Drafted","value":"Título «nuevo»"}]}`
	m.operate(t, "POST", "/admin/content/publish", "application/json", []byte(change))
	if text, err := host.Git("show", "main:site/campaigns/drafted.md"); err != nil || !strings.Contains(text, "Título «nuevo»") {
		t.Errorf("the repository has %s, %v", text, err)
	}
	page := m.operate(t, "POST", "/admin/content/page", "application/json", []byte(`{"campaignSlug":"drafted","edits":[]}`))
	if !bytes.Contains(page, []byte("Título «nuevo»")) {
		t.Errorf("the drawn page lacks the new title: %.300s", page)
	}
	picture := noise(t)
	stored := m.operate(t, "POST", "/admin/settings/image-upload?campaignSlug=drafted&filename=noise.png", "image/png", picture)
	var made struct{ Path string }
	check(t, json.Unmarshal(stored, &made))
	kept, err := host.Git("cat-file", "blob", "main:site"+made.Path)
	check(t, err)
	loaded := m.operate(t, "GET", "/admin/media/drafted/file?path="+url.QueryEscape(made.Path), "", nil)
	if string(loaded) != kept {
		t.Errorf("%s has %d bytes in the repository, and %d were downloaded", made.Path, len(kept), len(loaded))
	}
	if pixels, err := png.Decode(bytes.NewReader(loaded)); err != nil || pixels.Bounds().Dx() != noiseWidth {
		t.Errorf("the downloaded picture: %v", err)
	}
}

// noiseWidth is the width of the test picture in pixels. Noise does not compress, so the file is
// larger than one chunk of a request body.
const noiseWidth = 640

func noise(t *testing.T) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // not a secret
	m := image.NewNRGBA(image.Rect(0, 0, noiseWidth, noiseWidth))
	for i := range m.Pix {
		m.Pix[i] = byte(r.UintN(255)) | 1
	}
	var b bytes.Buffer
	check(t, png.Encode(&b, m))
	if b.Len() < 1<<20 {
		t.Fatalf("the picture has only %d bytes", b.Len())
	}
	return b.Bytes()
}

// operate sends a request with the host's admin secret and returns the body of a 200 response.
func (m *service) operate(t testing.TB, method, path, mime string, body []byte) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, m.URL+path, bytes.NewReader(body))
	check(t, err)
	r.Header.Set("X-Admin-Key", m.options.Variables["ADMIN_SECRET"])
	r.Header.Set("CF-Connecting-IP", "192.0.2.7")
	if mime != "" {
		r.Header.Set("Content-Type", mime)
	}
	client := http.Client{Transport: workerd.Transport}
	res, err := client.Do(r)
	check(t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	check(t, err)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: status %d: %s", method, path, res.StatusCode, answer)
	}
	return answer
}
