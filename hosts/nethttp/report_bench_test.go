package nethttp_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/pledge/projection"
)

// BenchmarkReports reads a campaign with ten thousand and a hundred thousand pledges from SQLite,
// and one with a million if PLEDGEWORKS_SOAK is set, and writes its report files. It reports
// the peak memory while a file is written.
func BenchmarkReports(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if os.Getenv("PLEDGEWORKS_SOAK") != "" {
		sizes = append(sizes, 1_000_000)
	}
	for _, size := range sizes {
		b.Run(fmt.Sprintf("pledges=%d", size), func(b *testing.B) {
			db, err := sqlitekv.Open(context.Background(), filepath.Join(b.TempDir(), "kv.db"), sqlitekv.Options{Now: time.Now})
			check(b, err)
			b.Cleanup(func() { check(b, db.Close()) })
			store := db.Store("pledges")
			fill(b, store, size)
			p := projection.New(projection.Deps{Store: store})
			for suffix, write := range map[string]func(io.Writer, report.Pledges) (report.Summary, error){
				"csv": report.PledgeReport.WriteCSV, "xlsx": report.PledgeReport.WriteXLSX,
			} {
				b.Run("file="+suffix, func(b *testing.B) {
					var w watermark
					for b.Loop() {
						w = watermark{every: size / 2000}
						_, err := write(&w, p.Indexed(b.Context(), "film"))
						check(b, err)
					}
					b.ReportMetric(float64(w.most-w.least)/(1<<20), "MiB-more")
				})
			}
		})
	}
}

// watermark discards a file and records the peak memory use.
type watermark struct {
	every, writes int // samples every this many writes
	least, most   uint64
}

func (w *watermark) Write(b []byte) (int, error) {
	if w.writes++; w.writes%w.every != 0 {
		return len(b), nil
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if w.least == 0 {
		w.least = m.HeapAlloc
	}
	w.least, w.most = min(w.least, m.HeapAlloc), max(w.most, m.HeapAlloc)
	return len(b), nil
}
