package nethttp_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/notify/resend"
	"github.com/pledgeworks/pledgeworks/notify/resend/resendtest"
)

var crowd = flag.Int("recipients", 100_000, "number of recipients of the broadcast during which supporters pledge")

// fakeProvider is a mail provider in this process with a latency of a tenth of a second.
type fakeProvider struct {
	http.Handler
	mu      sync.Mutex
	taken   map[string]time.Time // by idempotency key
	refused int
}

func (p *fakeProvider) Send(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	time.Sleep(100 * time.Millisecond)
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return fetch.Response{}, err
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	res := httptest.NewRecorder()
	p.ServeHTTP(res, req)
	p.mu.Lock()
	defer p.mu.Unlock()
	if res.Code == http.StatusOK {
		p.taken[r.Header["Idempotency-Key"]] = time.Now()
	} else {
		p.refused++
	}
	return fetch.Response{Status: res.Code, Header: res.Header().Get, Body: res.Body.Bytes()}, nil
}

// With one pledge per second during a broadcast, at the provider's limit of five requests per
// second, 99 of 100 confirmations are sent within five seconds. The broadcast uses the remaining
// rate.
func TestBroadcast_ConfirmationsFirst(t *testing.T) {
	n := *crowd
	synctest.Test(t, func(t *testing.T) {
		h, p := newMailHost(t, n)
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { nethttp.NewWorker(slog.New(slog.DiscardHandler)).Run(ctx, h.Services) })
		all.Go(func() { // the host's clock follows the test's
			for ctx.Err() == nil {
				time.Sleep(10 * time.Millisecond)
				h.Advance(10 * time.Millisecond)
			}
		})
		m := broadcast.Message{Kind: notify.Announcement, Identity: "one", Campaign: "film", Lang: "en",
			Letters: map[string]broadcast.Letter{"en": {Subject: "News", Text: "Hello\n"}}}
		b, err := h.Services.Broadcasts.Launch(ctx, m, "")
		if err != nil {
			t.Fatal(err)
		}
		began, asked := time.Now(), []time.Time{}
		chance := rand.New(rand.NewPCG(uint64(n), 5))
		for b.Phase == broadcast.Sending {
			time.Sleep(time.Duration(chance.IntN(2000)) * time.Millisecond)
			asked = append(asked, time.Now())
			if err := h.Services.Outbox.Queue(ctx,
				notify.Message{Kind: notify.Confirmation, Identity: fmt.Sprint("confirmation:", len(asked)),
					To: "ana@example.com", Lang: "en", Subject: "Hello", Text: "A pledge.\n"}); err != nil {
				t.Fatal(err)
			}
			if b, err = h.Services.Broadcasts.Get(ctx, b.ID); err != nil {
				t.Fatal(err)
			}
		}
		took := time.Since(began)
		time.Sleep(10 * time.Second)
		stop()
		all.Wait()
		var waited []time.Duration
		for i, at := range asked {
			left, taken := p.taken[notify.Hash(fmt.Sprint("confirmation:", i+1))]
			if !taken {
				t.Errorf("confirmation %d was not sent", i+1)
			}
			waited = append(waited, left.Sub(at))
		}
		slices.Sort(waited)
		p99 := waited[len(waited)*99/100]
		requests := len(p.taken) + p.refused
		t.Logf("%d recipients and %d confirmations in %s, %.1f requests per second: half of the confirmations were sent within %s, 99%% within %s, all within %s",
			n, len(asked), took.Round(time.Second), float64(requests)/took.Seconds(), waited[len(waited)/2].Round(
				time.Millisecond), p99.Round(time.Millisecond), waited[len(waited)-1].Round(time.Millisecond))
		if p99 > 5*time.Second || p.refused > 0 || float64(requests) < 3*took.Seconds() {
			t.Errorf("%d requests in %s, %d of them rejected", requests, took, p.refused)
		}
	})
}

// newMailHost returns a host with the given number of supporters that sends mails to the fake provider.
func newMailHost(t *testing.T, n int) (*memory.Host, *fakeProvider) {
	t.Helper()
	h := newHost(t)
	p := &fakeProvider{Handler: &resendtest.Server{Now: h.Now, Rate: 5}, taken: map[string]time.Time{}}
	s, err := resend.New(resend.Options{Key: resendtest.Key, Fetch: p})
	if err != nil {
		t.Fatal(err)
	}
	services := h.Services
	services.Outbox.Sender, services.Broadcasts.Sender, services.Broadcasts.Audience = s, s, readers(n)
	return h, p
}
