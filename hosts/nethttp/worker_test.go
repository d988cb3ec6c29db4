package nethttp_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/notify"
)

// crons collects the times of the hourly work from the worker's log.
type crons struct {
	slog.Handler
	at []time.Time
}

func (c *crons) Enabled(context.Context, slog.Level) bool { return true }

func (c *crons) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "cron" {
		c.at = append(c.at, r.Time)
	}
	return nil
}

// A new pledge's confirmation is sent within seconds.
func TestWorker_SendsMailsWithinSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan struct{})
		go func() {
			nethttp.NewWorker(slog.New(slog.DiscardHandler)).Run(ctx, h.Services)
			close(stopped)
		}()
		time.Sleep(10 * time.Second)
		m := notify.Message{Kind: notify.Confirmation, Identity: "one", To: "ana@example.com",
			Lang: "en", Subject: "Hello", Text: "A pledge.\n"}
		if err := h.Services.Outbox.Queue(ctx, m); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if d, err := h.Services.Outbox.Delivery(ctx, "one"); err != nil || d.Status != notify.Sent {
			t.Errorf("after five seconds: %+v, %v", d, err)
		}
		stop()
		<-stopped
	})
}

// The leading server does the hourly work at once and then every hour.
//
// Proves CRN-01.
func TestWorker_HourlyWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		log := &crons{Handler: slog.DiscardHandler}
		ctx, stop := context.WithCancel(t.Context())
		begun, stopped := time.Now(), make(chan struct{})
		go func() {
			nethttp.NewWorker(slog.New(log)).Run(ctx, h.Services)
			close(stopped)
		}()
		time.Sleep(2*time.Hour + time.Minute)
		stop()
		<-stopped
		var after []time.Duration
		for _, at := range log.at {
			after = append(after, at.Sub(begun).Round(time.Minute))
		}
		if diff := cmp.Diff([]time.Duration{0, time.Hour, 2 * time.Hour}, after); diff != "" {
			t.Errorf("hourly work (-want +got):\n%s", diff)
		}
		if s, err := h.Services.CronStatus(t.Context()); err != nil || s.LastRun == nil || !s.LastRun.Equal(h.Now()) {
			t.Errorf("recorded status = %+v, %v", s, err)
		}
	})
}

// slowProvider answers after a tenth of a second.
type slowProvider struct {
	mu   sync.Mutex
	sent map[string]int
}

func (p *slowProvider) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	time.Sleep(100 * time.Millisecond)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent[m.Key]++
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, nil
}

// Every server sends mails, many at the same time and without pauses; no mail is sent twice.
func TestWorker_ServersShareMails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t)
		deps := h.Services.Deps
		deps.MailWidth = 64
		var providers [2]*slowProvider
		ctx, stop := context.WithCancel(t.Context())
		var workers sync.WaitGroup
		for i := range providers {
			providers[i] = &slowProvider{sent: map[string]int{}}
			deps.Sender, deps.Node, deps.Incarnation = providers[i], fmt.Sprint("node", i), fmt.Sprint("life", i)
			s, err := compose.New(deps)
			if err != nil {
				t.Fatal(err)
			}
			workers.Go(func() { nethttp.NewWorker(slog.New(slog.DiscardHandler)).Run(ctx, s) })
		}
		time.Sleep(time.Minute) // until both know each other
		const mails = 5000
		for i := range mails {
			m := notify.Message{Kind: notify.Confirmation, Identity: fmt.Sprint(i), To: "ana@example.com",
				Lang: "en", Subject: "Hello", Text: "A pledge.\n"}
			if err := h.Services.Outbox.Queue(ctx, m); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(8 * time.Second) // 64 mails of each server take a tenth of a second
		stop()
		workers.Wait()
		a, b := len(providers[0].sent), len(providers[1].sent)
		if a+b != mails || a < mails/3 || b < mails/3 {
			t.Errorf("in eight seconds the servers sent %d and %d of %d mails", a, b, mails)
		}
		for _, p := range providers {
			for key, n := range p.sent {
				if n != 1 {
					t.Errorf("mail %s was sent %d times", key, n)
				}
			}
		}
	})
}
