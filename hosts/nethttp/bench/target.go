package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Target is a service in test mode with a simulated processor, and the data needed to act as its
// supporters.
type Target struct {
	URLs         []string // URLs of the servers, used in turn
	Origin       string   // SITE_BASE
	Campaigns    []string // slugs, used in turn; each campaign has the stackable tier Tier
	Tier         string
	ClientHeader string // TRUSTED_PROXY_HEADER, so that each client has its own rate limit
	Signature    string // header with the webhook signature
	Secret       string // secret of the webhook signature
	Links        token.Signer
	SaveCard     func(ctx context.Context, sessionID string) error
	Client       *http.Client

	people atomic.Int64
	mu     sync.Mutex
	made   []pledged
}

// pledged identifies a pledge that Pledge made.
type pledged struct{ order, email, slug string }

// Pledge is an Op that makes a pledge: a checkout, a saved card, and the confirming webhook.
func (t *Target) Pledge(ctx context.Context, n int) error {
	person := t.people.Add(1)
	slug := t.Campaigns[n%len(t.Campaigns)]
	email := fmt.Sprintf("bench%d@example.org", person)
	cart := map[string]any{"campaignSlug": slug, "email": email, "tipPercent": 5,
		"items": []any{map[string]any{"id": slug + "__" + t.Tier, "quantity": 2}}}
	var started struct{ OrderID, SessionID string }
	if err := t.post(ctx, n, "/checkout-intent/start", nil, cart, &started); err != nil {
		return err
	}
	if err := t.SaveCard(ctx, started.SessionID); err != nil {
		return err
	}
	now := time.Now()
	event := fmt.Appendf(nil,
		`{"id":"evt_bench_%d_%d","object":"event","type":"checkout.session.completed","livemode":false,"created":%d,"data":{"object":{"id":%q,"object":"checkout.session"}}}`,
		now.UnixNano(), person, now.Unix(), started.SessionID)
	if err := t.post(ctx, n, "/webhooks/psp", map[string]string{t.Signature: sim.Sign(event, t.Secret, now)},
		json.RawMessage(event), nil); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made = append(t.made, pledged{started.OrderID, email, slug})
	return nil
}

// Made returns the number of pledges made.
func (t *Target) Made() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.made)
}

// Read is an Op that requests one of three public routes of a campaign.
func (t *Target) Read(ctx context.Context, n int) error {
	path := []string{"/stats/", "/live/", "/inventory/"}[n%3] + t.Campaigns[n/3%len(t.Campaigns)]
	return t.send(ctx, n, http.MethodGet, path, nil, nil, nil)
}

// Modify is an Op that changes a pledge that Pledge made. It fails if there is none.
func (t *Target) Modify(ctx context.Context, n int) error {
	t.mu.Lock()
	made := t.made
	t.mu.Unlock()
	if len(made) == 0 {
		return fmt.Errorf("no pledge to modify")
	}
	p := made[n%len(made)]
	link, err := t.Links.Sign(token.Claims{Scope: token.Manage, OrderID: p.order, Email: p.email,
		CampaignSlug: p.slug, Expires: time.Now().Add(token.ManageLife)})
	if err != nil {
		return err
	}
	return t.post(ctx, n, "/pledge/modify", nil, map[string]any{
		"token": link, "items": []any{map[string]any{"id": p.slug + "__" + t.Tier, "quantity": 1 + n/len(made)%5}},
	}, nil)
}

func (t *Target) post(ctx context.Context, n int, path string, header map[string]string, body, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return t.send(ctx, n, http.MethodPost, path, header, b, into)
}

func (t *Target) send(ctx context.Context, n int, method, path string, header map[string]string,
	body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, t.URLs[n%len(t.URLs)]+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", t.Origin)
	if t.ClientHeader != "" {
		r.Header.Set(t.ClientHeader, fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
	}
	for k, v := range header {
		r.Header.Set(k, v)
	}
	res, err := t.Client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: status %d: %s", method, path, res.StatusCode, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
