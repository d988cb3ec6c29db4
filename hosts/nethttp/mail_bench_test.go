package nethttp_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// BenchmarkMails measures how fast confirmations leave the outbox if the provider answers after a
// tenth of a second and accepts 500 requests in each second.
func BenchmarkMails(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		db, err := sqlitekv.Open(b.Context(), filepath.Join(b.TempDir(), "kv.db"), sqlitekv.Options{Now: time.Now})
		check(b, err)
		b.Cleanup(func() { check(b, db.Close()) })
		sendAll(b, db.Store("pledges"))
	})
	b.Run("postgres", func(b *testing.B) {
		url := cluster.Database(b)
		var stores []kv.Store
		for range 2 {
			db, err := postgreskv.Open(b.Context(), url, postgreskv.Options{Now: time.Now, Classes: compose.Classes()})
			check(b, err)
			b.Cleanup(func() { check(b, db.Close()) })
			stores = append(stores, db.Store("pledges"))
		}
		sendAll(b, stores...)
	})
}

// sendAll queues b.N mails and sends them on one server for each store.
func sendAll(b *testing.B, stores ...kv.Store) {
	p := &provider{sent: map[string]int{}}
	outboxes := make([]*notify.Outbox, len(stores))
	for i, store := range stores {
		outboxes[i] = &notify.Outbox{
			Store: store, Sender: p, Now: time.Now, From: "Acme <mail@example.org>", Width: 64,
			Pace: &notify.Pace{Now: time.Now, Servers: func() int { return len(stores) }},
			Mine: func(key string) bool { return int(key[0])%len(stores) == i },
			Sleep: func(_ context.Context, d time.Duration) error {
				time.Sleep(d)
				return nil
			},
		}
	}
	m := notify.Message{Kind: notify.Confirmation, To: "ada@example.org", Lang: "en", Subject: "Your pledge",
		Text: strings.Repeat("You have pledged $50.00.\n", 40), HTML: "<p>" + strings.Repeat("You have pledged.\n", 40) + "</p>"}
	for part := range slices.Chunk(make([]struct{}, b.N), 100) {
		var writes []kv.Write
		for i := range part {
			m.Identity = fmt.Sprint("confirmation:", p.queued+i)
			w, err := outboxes[0].Writes(b.Context(), m)
			check(b, err)
			writes = append(writes, w...)
		}
		p.queued += len(part)
		check(b, stores[0].Apply(b.Context(), writes))
	}
	b.ResetTimer()
	before := processorTime(b)
	var all sync.WaitGroup
	for _, o := range outboxes {
		all.Go(func() {
			for p.total() < b.N {
				d, err := o.Drain(b.Context(), b.N)
				check(b, err)
				time.Sleep(max(d.Wait, time.Millisecond))
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "mails/s")
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/mail")
	b.ReportMetric(float64(p.refused), "refused")
	for key, n := range p.sent {
		if n != 1 {
			b.Errorf("mail %s was sent %d times", key, n)
		}
	}
}

// requestsPerSecond is the provider's rate limit.
const requestsPerSecond = 500

// provider accepts mails at a limited rate, which it states like Resend: in windows of a second.
type provider struct {
	mu      sync.Mutex
	sent    map[string]int
	queued  int
	refused int
	window  time.Time
	used    int
}

func (p *provider) total() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sent)
}

func (p *provider) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	time.Sleep(100 * time.Millisecond)
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now().Truncate(time.Second); !now.Equal(p.window) {
		p.window, p.used = now, 0
	}
	p.used++
	quota := &notify.Quota{Limit: requestsPerSecond, Left: requestsPerSecond - p.used, Reset: time.Second}
	if quota.Left < 0 {
		p.refused++
		return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: time.Second, Quota: quota}, nil
	}
	p.sent[m.Key]++
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key, Quota: quota}, nil
}
