package workers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository/forge/forgetest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/internal/workerd"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// An operator opens a draft that is only in the repository, previews its page, publishes a change,
// uploads and downloads a picture, and settles a campaign. Files pass the bridge to the program
// unchanged.
func TestContent_OnTheEdge(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a worker")
	}
	draft := strings.NewReplacer("title: Bench", "title: Drafted", "slug: bench", "slug: drafted",
		"published: true", "published: false\npreview_enabled: true").Replace(benchCampaign)
	host := forgetest.New(t, map[string]string{
		"campaigns/bench.md": benchCampaign, "campaigns/brief.md": briefCampaign(), "campaigns/drafted.md": draft})
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
	for range settlement.BatchSize + 1 {
		m.pledge(t, "brief")
	}
	check(t, m.Kill())
	const afterDeadline = 3 * 24 * time.Hour
	m.options.Variables["CLOCK_OFFSET_SECONDS"] = strconv.Itoa(int(afterDeadline.Seconds()))
	m.sim.Advance(afterDeadline)
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
	m.checkSettles(t, "brief")
	m.operate(t, "POST", "/admin/users", "application/json", []byte(firstUser(t)))
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

// firstUser returns the request body with which docs/workers.md creates the first user.
func firstUser(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/workers.md")
	check(t, err)
	_, after, _ := strings.Cut(string(text), "-d '")
	body, _, found := strings.Cut(after, "'")
	if !found {
		t.Fatal("the guide creates no user")
	}
	return body
}

// pledge completes a checkout for a campaign.
func (m *service) pledge(t *testing.T, slug string) {
	t.Helper()
	var started struct{ SessionID string }
	cart := fmt.Appendf(nil, `{"campaignSlug":%q,"email":"p%d@example.org","items":[{"id":"%s__seat","quantity":1}],"tipPercent":0}`, slug, m.events, slug)
	check(t, json.Unmarshal(m.send(t, "POST", "/checkout-intent/start", "", cart), &started))
	check(t, m.sim.Complete(started.SessionID, sim.CardOK))
	now := time.Now()
	event := fmt.Appendf(nil, `{"id":"evt_%d","object":"event","type":"checkout.session.completed","livemode":false,"created":%d,"data":{"object":{"id":%q,"object":"checkout.session"}}}`,
		m.events, now.Unix(), started.SessionID)
	m.send(t, "POST", "/webhooks/psp", sim.Sign(event, m.secret, now), event)
}

// checkSettles checks that a dispatched settlement runs to its end by itself, batch by batch, without
// the triggers of the scheduled work.
func (m *service) checkSettles(t *testing.T, slug string) {
	t.Helper()
	var started settlement.Progress
	check(t, json.Unmarshal(m.operate(t, "POST", "/admin/settle-dispatch/"+slug, "", nil), &started))
	if started.Status != state.JobRunning {
		t.Errorf("the first batch left the settlement %s", started.Status)
	}
	var now settlement.Status
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		now = settlement.Status{}
		check(t, json.Unmarshal(m.operate(t, "GET", "/admin/settlement/"+slug, "", nil), &now))
		if now.Job != nil && now.Job.Status == state.JobDone {
			break
		}
	}
	if now.Job == nil || now.Job.Status != state.JobDone || now.Job.BatchesCompleted < 2 || now.Pledges[pledge.Charged] != settlement.BatchSize+1 {
		t.Errorf("settlement %+v, pledges %v", now.Job, now.Pledges)
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
	if strings.HasPrefix(path, "/admin/settle") {
		r.Header.Set("X-Admin-Key", m.options.Variables["ADMIN_SETTLEMENT_SECRET"])
	}
	m.events++
	r.Header.Set("CF-Connecting-IP", fmt.Sprintf("10.1.%d.%d", m.events>>8&255, m.events&255)) // each address may send five a minute
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
