package nethttp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/search"
)

// BenchmarkSupporters searches among ten thousand and a hundred thousand pledges on SQLite, and
// among a million if PLEDGEWORKS_SOAK is set. Every name is shared by many supporters. It also
// measures indexing, in pledges per second.
func BenchmarkSupporters(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if os.Getenv("PLEDGEWORKS_SOAK") != "" {
		sizes = append(sizes, 1_000_000)
	}
	for _, size := range sizes {
		b.Run(fmt.Sprintf("pledges=%d", size), func(b *testing.B) {
			db, err := sqlitekv.Open(context.Background(), filepath.Join(b.TempDir(), "kv.db"), sqlitekv.Options{Now: time.Now})
			check(b, err)
			b.Cleanup(func() { check(b, db.Close()) })
			x := search.Index{Store: db.Store("pledges")}
			fill(b, x.Store, size)
			began := time.Now()
			for n := 1; n > 0; {
				n, err = x.Update(b.Context(), "film", 5000)
				check(b, err)
			}
			followed := float64(size) / time.Since(began).Seconds()
			b.Run("search=follow", func(b *testing.B) {
				for b.Loop() {
					_, err := x.Update(b.Context(), "film", 5000)
					check(b, err)
				}
				b.ReportMetric(followed, "pledges/s")
			})
			for name, text := range map[string]string{
				"all": "", "letter": "a", "name": "ada lovelace", "surname": "LOVE",
				"address":        fmt.Sprintf("s%d@example.org", size/2),
				"address-begins": fmt.Sprintf("s%d@", size/2), "order": benchOrder(size / 2), "nobody": "nobody",
			} {
				b.Run("search="+name, func(b *testing.B) {
					found := 0
					for b.Loop() {
						page, err := x.Find(b.Context(), "film", text, true, "", 25)
						check(b, err)
						found = len(page.Pledges)
					}
					b.ReportMetric(float64(found), "found")
				})
			}
		})
	}
}

func benchOrder(n int) string { return fmt.Sprintf("pw-%026d", n) }

// fill writes pledge records of the usual length, and their index.
func fill(b *testing.B, store kv.Store, size int) {
	b.Helper()
	names := []string{"Ada Lovelace", "Zoë Müller", "Ada Byron", "山田 太郎", "Sinéad O’Connor"}
	var writes []kv.Write
	var segment []string
	record := func(key string, v any) {
		w, err := kv.Record(key, v, time.Time{})
		check(b, err)
		writes = append(writes, w)
	}
	for n := range size {
		p := pledge.Pledge{OrderID: benchOrder(n), CampaignSlug: "film", Email: fmt.Sprintf("s%d@example.org", n),
			Status:          pledge.Active,
			ShippingAddress: &pledge.Address{Name: names[n%len(names)]}, Explanation: []pledge.Derivation{
				{Source: strings.Repeat("x", 2000)}}}
		record(pledge.Key(p.OrderID), p)
		record(pledge.EmailKey(p.Email), []string{p.OrderID})
		if segment = append(segment, p.OrderID); len(segment) == pledge.IndexSegment || n == size-1 {
			record(pledge.IndexKey("film", n/pledge.IndexSegment), segment)
			check(b, store.Apply(b.Context(), writes))
			segment, writes = nil, nil
		}
	}
}
