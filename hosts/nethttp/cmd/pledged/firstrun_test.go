package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// lockedBuffer is a buffer that a running command writes to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// operator is the browser of a new platform's operator.
type operator struct {
	t            *testing.T
	base         string
	cookie, csrf string
}

// try sends a request and returns the status and the body.
func (o *operator) try(method, path string, in any) (int, []byte, http.Header) {
	o.t.Helper()
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			o.t.Fatal(err)
		}
		body = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(o.t.Context(), method, o.base+path, body)
	if err != nil {
		o.t.Fatal(err)
	}
	for name, value := range map[string]string{"Origin": o.base, "Content-Type": "application/json",
		"Cookie": o.cookie, "X-Svc-Admin-Csrf": o.csrf} {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return res.StatusCode, b, res.Header
}

// do sends a request that must succeed, and decodes the response.
func (o *operator) do(method, path string, in, out any) http.Header {
	o.t.Helper()
	status, body, header := o.try(method, path, in)
	if status != http.StatusOK {
		o.t.Fatalf("%s %s: status %d: %s", method, path, status, body)
	}
	if err := json.Unmarshal(body, out); err != nil {
		o.t.Fatal(err)
	}
	return header
}

// waitFor repeats a GET until its response contains the text.
func (o *operator) waitFor(path, text string) {
	o.t.Helper()
	for ends := time.Now().Add(20 * time.Second); ; {
		status, body, _ := o.try("GET", path, nil)
		if status == http.StatusOK && strings.Contains(string(body), text) {
			return
		}
		if time.Now().After(ends) {
			o.t.Fatalf("%s: status %d without %s: %.300s", path, status, text, body)
		}
		<-time.After(50 * time.Millisecond) // the server watches the folder
	}
}

var setupLink = regexp.MustCompile(`/admin/#setup=(\S+)`)

// With only the commands init and serve, an operator signs in with the printed link, creates a
// campaign, edits and launches it, and a supporter pledges to it.
func TestInit_LaunchOwnCampaign(t *testing.T) {
	t.Chdir(t.TempDir())
	address, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + address
	lookup := config.Values(map[string]string{"LISTEN": address, "SITE_BASE": base,
		"WORKER_BASE": base, "LOG_LEVEL": "error"})
	var out lockedBuffer
	if code := execute(&environ{ctx: t.Context(), out: &out, err: t.Output(), lookup: lookup},
		[]string{"init", "."}); code != 0 {
		t.Fatalf("init: exit status %d: %s", code, out.String())
	}
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	defer serving.Wait()
	defer stop()
	serving.Go(func() { execute(&environ{ctx: ctx, out: &out, err: t.Output(), lookup: lookup}, []string{"serve"}) })
	if fetch([]string{"GET", base + "/readyz"}) != 0 {
		t.Fatal("the server does not respond")
	}
	match := setupLink.FindStringSubmatch(out.String())
	if match == nil || !strings.Contains(out.String(), base+"/admin/\n") {
		t.Fatalf("serve printed %s", out.String())
	}

	o := &operator{t: t, base: base}
	var session httpapi.SessionView
	header := o.do("POST", "/admin/auth/setup",
		httpapi.SetupRequest{Token: match[1], Email: "ada@example.org", Name: "Ada"}, &session)
	for _, line := range header.Values("Set-Cookie") {
		pair, _, _ := strings.Cut(line, ";")
		o.cookie += pair + "; "
	}
	o.csrf = session.CSRFToken

	var made httpapi.CampaignCreated
	o.do("POST", "/admin/campaigns/create", httpapi.CampaignRequest{Title: "Lighthouse"}, &made)
	o.waitFor("/admin/content?campaignSlug=lighthouse", `"publishable":true`)
	today := time.Now()
	edits := func(pairs ...string) map[string]any {
		var all []map[string]any
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, map[string]any{"path": pairs[i], "value": json.RawMessage(pairs[i+1])})
		}
		return map[string]any{"campaignSlug": "lighthouse", "edits": all}
	}
	var published struct{ Revision string }
	o.do("POST", "/admin/content/publish", edits(
		"start_date", `"`+today.AddDate(0, 0, -2).Format(time.DateOnly)+`"`, "goal_deadline",
		`"`+today.AddDate(0, 0, 30).Format(time.DateOnly)+`"`,
		"goal_amount", "600", "tiers", `[{"id": "download", "name": "Download", "price": 25, "category": "digital"}]`,
	), &published)
	o.waitFor("/admin/content?campaignSlug=lighthouse", `"goal_amount":600`)
	if status, _, _ := o.try("GET", "/campaigns/lighthouse/", nil); status != http.StatusNotFound {
		t.Errorf("page before the launch: status %d", status)
	}
	launch := map[string]any{"campaignSlug": "lighthouse", "edits": []map[string]any{
		{"path": "published", "was": false, "value": true}, {"path": "preview_only", "was": true, "value": false},
	}}
	o.do("POST", "/admin/content/publish", launch, &published)
	o.waitFor("/stats/lighthouse", `"goalAmount":60000`)

	supporter := &operator{t: t, base: base}
	var started checkout.Started
	supporter.do("POST", "/checkout-intent/start", checkout.StartRequest{Email: "a@example.org", Cart: checkout.Cart{
		CampaignSlug: "lighthouse", Items: []checkout.Item{{ID: "lighthouse__download"}},
	}}, &started)
	supporter.do("POST", "/_sim/complete",
		map[string]string{"session": started.SessionID, "card": sim.CardOK}, &struct{}{})
	supporter.do("POST", "/checkout-intent/complete",
		checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}, &struct{}{})
	o.waitFor("/stats/lighthouse", `"pledgeCount":1`)
}
