package workers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/internal/responses"
)

// testSite checks that the deployment serves the site and the API at one origin: each file with the
// body and the headers that the server sends, and missing pages in the language of their path.
func (m *service) testSite(t *testing.T) {
	page := map[string]string{"Accept": "text/html", "Sec-Fetch-Mode": "navigate"}
	for _, c := range []struct {
		path, contains string
		status         int
	}{
		{"/", "Bench", 200},
		{"/campaigns/bench/", "Bench", 200},
		{"/es/campaigns/bench/", `lang="es"`, 200},
		{"/admin/", "<title>Dashboard", 200},
		{"/nothing/", "This page doesn&#39;t exist", 404},
		{"/es/nothing/", "Esta página no existe", 404},
		{"/stats/nothing", "This page doesn&#39;t exist", 404},
		{"//nothing", "This page doesn&#39;t exist", 404},
	} {
		if status, _, body := m.get(t, c.path, page); status != c.status || !strings.Contains(body, c.contains) {
			t.Errorf("%s: status %d without %q: %.300s", c.path, status, c.contains, body)
		}
	}
	if status, h, body := m.get(t, "/stats/bench", page); status != 200 || h.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("an API route that a browser visits: status %d, %s", status, body)
	}
	if status, _, body := m.get(t, "/nothing", nil); status != 404 || !strings.HasPrefix(body, `{"error":`) {
		t.Errorf("a missing API route: status %d, %s", status, body)
	}
	if status, h, _ := m.get(t, "/campaigns/bench", page); status != 307 || h.Get("Location") != "/campaigns/bench/" {
		t.Errorf("without the final slash: status %d to %q", status, h.Get("Location"))
	}
	for _, p := range m.tree.Paths() {
		url := "/" + strings.TrimSuffix(p, "index.html")
		if p == "_headers" || strings.HasSuffix(url, ".html") { // the not-found pages
			continue
		}
		w := httptest.NewRecorder()
		m.tree.Serve(w, httptest.NewRequest(http.MethodGet, url, nil), http.NotFoundHandler())
		status, got, body := m.get(t, url, nil)
		if status != 200 || body != w.Body.String() {
			t.Errorf("%s: status %d with %d bytes, want %d", url, status, len(body), w.Body.Len())
		}
		compareHeaders(t, url, w.Result().Header, got)
	}
	_, got, _ := m.get(t, "/es/nothing/", page)
	w := httptest.NewRecorder()
	m.tree.NotFound(w, httptest.NewRequest(http.MethodGet, "/es/nothing/", nil))
	if got.Get("X-Request-Id") == "" {
		t.Error("the not-found page has no X-Request-Id")
	}
	compareHeaders(t, "/es/nothing/", w.Result().Header, got)
}

// compareHeaders compares the headers that do not depend on the file's encoding.
func compareHeaders(t *testing.T, url string, want, got http.Header) {
	t.Helper()
	for _, h := range []http.Header{want, got} {
		kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
		h.Set("Content-Type", kind)
		for _, name := range []string{"Content-Length", "Content-Encoding", "Transfer-Encoding", "Vary", "Etag", "Last-Modified", "Accept-Ranges",
			"Date", "Cf-Cache-Status", "X-Request-Id", "X-Mf-Additional-Response-Log"} {
			h.Del(name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: headers (-server +worker)\n%s", url, diff)
	}
}

// get sends a GET request without following redirects.
func (m *service) get(t testing.TB, path string, header map[string]string) (status int, h http.Header, body string) {
	t.Helper()
	r := responses.Over(m.URL)(t, responses.Request{Method: http.MethodGet, Path: path, Header: header})
	return r.Status, r.Header, string(r.Body)
}
