package bench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/bench"
	"github.com/pledgeworks/pledgeworks/internal/cluster"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }

// Two real servers accept pledges and settle them within a shared rate limit.
func TestServers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real programs")
	}
	url := cluster.Database(t)
	program := filepath.Join(t.TempDir(), "pledged")
	if out, err := exec.CommandContext(t.Context(), "go", "run", "-exec", "cp", // from the build cache
		"../cmd/pledged", program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := bench.Start(t.Context(),
		bench.ServersOptions{Program: program, Servers: 2, Campaigns: 2, DatabaseURL: url, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { // before the test's context is canceled, which would kill the servers
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	const supporters = 60
	reports := 0
	load := bench.Load{Clients: 8, Count: supporters, Every: 20, Report: func(done int64, perSecond float64) {
		if reports++; done != int64(20*reports) || perSecond <= 0 {
			t.Errorf("%d done, %f per second", done, perSecond)
		}
	}}
	if r := load.Run(t.Context(), "pledge", s.Pledge); r.Good != supporters {
		t.Fatalf("%d pledges, %v", r.Good, r.Failures)
	}
	settled, err := s.Settle(t.Context(), bench.Settling{Supporters: supporters, Limit: 100})
	if err != nil || settled.Charges != supporters || settled.Kills != 0 {
		t.Errorf("%+v, %v", settled, err)
	}
	if reports != 3 {
		t.Errorf("%d progress reports", reports)
	}
}
