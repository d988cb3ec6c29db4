package nethttp_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// BenchmarkBroadcast measures a whole broadcast on SQLite with a provider that does nothing,
// compared with a naive newsletter that writes each recipient separately.
func BenchmarkBroadcast(b *testing.B) {
	for name, send := range map[string]func(b *testing.B, news news){"pledgeworks": broadcasts, "bare": writesForEach} {
		b.Run(name, func(b *testing.B) {
			n := news{
				readers: readers(b.N),
				links:   suppression.Links{Base: "https://example.org", Signer: token.Signer{Secret: make([]byte, 32)}},
				text:    strings.Repeat("The boards are printed, and look as they should.\n", 60),
			}
			before := processorTime(b)
			send(b, n)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "recipients/s")
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/recipient")
		})
	}
}

// processorTime returns the CPU time used by this program, which is independent of other load.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// news is a message and its audience.
type news struct {
	readers
	links suppression.Links
	text  string
}

func (n news) unsubscribe(slug, email string) (string, error) {
	return n.links.Unsubscribe(notify.Message{Kind: notify.Announcement, To: email, Campaign: slug}, time.Now())
}

// readers is a fake source of the given number of supporters.
type readers int

func (n readers) Supporters(context.Context, string) iter.Seq2[broadcast.Supporter, error] {
	return func(yield func(broadcast.Supporter, error) bool) {
		for i := range int(n) {
			if !yield(broadcast.Supporter{Email: fmt.Sprintf("fan%07d@example.org", i), Lang: "en"}, nil) {
				return
			}
		}
	}
}

// idle is a provider that does nothing.
type idle struct{ taken int }

func (p *idle) Remembers() time.Duration { return 24 * time.Hour }
func (p *idle) MaxBatch() int            { return 100 }

func (p *idle) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	p.taken++
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: m.Key}, nil
}

func (p *idle) SendBatch(ctx context.Context, _ string, mails []notify.Mail) ([]notify.Receipt, error) {
	rs := make([]notify.Receipt, len(mails))
	for i, m := range mails {
		rs[i], _ = p.Send(ctx, m) // it never fails
	}
	return rs, nil
}

func broadcasts(b *testing.B, n news) {
	db, err := sqlitekv.Open(b.Context(), filepath.Join(b.TempDir(), "kv.db"),
		sqlitekv.Options{Now: time.Now, Classes: []*kv.Class{broadcast.Class()}})
	check(b, err)
	b.Cleanup(func() { check(b, db.Close()) })
	provider, nonces := &idle{}, 0
	s := &broadcast.Service{
		Coordinator: db.Coordinator(), Audience: n.readers, Sender: provider, Pace: &notify.Pace{Now: time.Now},
		Suppressor:  &suppression.List{Store: db.Store("pledges"), Now: time.Now, Secret: make([]byte, 32)},
		Unsubscribe: n.unsubscribe, Now: time.Now, Nonce: func() string { nonces++; return strconv.Itoa(nonces) },
		From: "news@example.org",
	}
	m := broadcast.Message{Kind: notify.Announcement, Identity: "one", Campaign: "film",
		Lang: "en", Letters: map[string]broadcast.Letter{
			"en": {Subject: "The boards are printed", Text: n.text + broadcast.UnsubscribeLink + "\n",
				HTML: "<p>" + n.text + `</p><a href="` + broadcast.UnsubscribeLink + `">Stop</a>`},
		}}
	b.ResetTimer()
	_, err = s.Launch(b.Context(), m, "")
	check(b, err)
	for more := true; more; {
		_, more, err = s.Step(b.Context())
		check(b, err)
	}
	if provider.taken != b.N {
		b.Fatalf("%d of %d have it", provider.taken, b.N)
	}
}

// writesForEach is a naive newsletter with the same durability: for each recipient it checks the
// unsubscription, sends the mail, and records it.
func writesForEach(b *testing.B, n news) {
	conn, err := sqlite.OpenConn(filepath.Join(b.TempDir(), "bare.db"), sqlite.OpenReadWrite,
		sqlite.OpenCreate, sqlite.OpenWAL)
	check(b, err)
	b.Cleanup(func() { check(b, conn.Close()) })
	check(b, sqlitex.ExecuteTransient(conn, "PRAGMA synchronous = FULL", nil))
	check(b, sqlitex.ExecuteScript(conn,
		"CREATE TABLE gone (email TEXT PRIMARY KEY); CREATE TABLE sent (email TEXT PRIMARY KEY, id TEXT);", nil))
	provider := &idle{}
	b.ResetTimer()
	for r, err := range n.Supporters(b.Context(), "film") {
		check(b, err)
		gone := false
		check(b, sqlitex.Execute(conn, "SELECT 1 FROM gone WHERE email = ?",
			&sqlitex.ExecOptions{Args: []any{r.Email}, ResultFunc: func(*sqlite.Stmt) error { gone = true; return nil }}))
		if gone {
			continue
		}
		link, err := n.unsubscribe("film", r.Email)
		check(b, err)
		receipt, err := provider.Send(b.Context(), notify.Mail{Key: r.Email, From: "news@example.org", To: r.Email,
			Subject: "The boards are printed", Text: n.text + link + "\n", Unsubscribe: link})
		check(b, err)
		check(b, sqlitex.Execute(conn, "INSERT INTO sent (email, id) VALUES (?, ?)",
			&sqlitex.ExecOptions{Args: []any{r.Email, receipt.ProviderID}}))
	}
	if provider.taken != b.N {
		b.Fatalf("%d of %d have it", provider.taken, b.N)
	}
}
