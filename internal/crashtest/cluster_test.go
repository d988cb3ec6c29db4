package crashtest

import (
	"log"
	"os"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
)

func TestMain(m *testing.M) {
	var err error
	if buildFolder, err = os.MkdirTemp("", "crashtest-"); err != nil {
		log.Fatal(err)
	}
	status := cluster.Main(m)
	_ = os.RemoveAll(buildFolder)
	os.Exit(status)
}

// pair is a database and its standby.
type pair struct {
	first, second *cluster.Cluster
	url           string
}

func newPair(t *testing.T) *pair {
	t.Helper()
	cluster.Shared(t) // skips the test without PostgreSQL
	first, err := cluster.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.Remove)
	p := &pair{first: first, url: first.Database(t)}
	if p.second, err = first.Standby(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.second.Remove)
	p.url = first.WithStandby(p.url, p.second)
	return p
}

// lag stops the replication: later commits are lost when the primary fails.
func (p *pair) lag(t *testing.T) {
	t.Helper()
	if err := p.second.Lag(t.Context(), p.first); err != nil {
		t.Fatal(err)
	}
}

// failOver kills the primary and promotes the standby.
func (p *pair) failOver(t *testing.T) {
	t.Helper()
	p.first.Kill()
	if err := p.second.Promote(); err != nil {
		t.Error(err)
	}
}

// Two servers with clocks ten minutes apart share a database. One of them is
// repeatedly killed under load, and the database fails over to its standby.
//
// Proves SET-03.
func TestKill_TwoServers(t *testing.T) {
	if testing.Short() {
		t.Skip("kills real programs for a minute")
	}
	db := newPair(t)
	if err := db.first.SetSynchronous(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := newFixture(t, launchServer(t), map[string]string{"DATABASE_URL": db.url}, 0, 10*time.Minute)
	w.write("film", 10)
	w.write("dream", 900_000)
	w.fleet.start()
	n := killCount()
	w.chaos(n*3/10, w.actAsSupporter)

	w.chaosWith(n/5, w.actAsSupporter, func(kill int) {
		if kill != n/10 {
			return
		}
		db.failOver(t)
	})
	w.deliverAll()
	w.checkPledgesExist()

	w.shift(40 * 24 * time.Hour)
	w.chaos(n/5, w.actAsOperator)
	w.settle()
	w.checkBooks()
	w.checkReconciliation()
	w.checkConfirmations()
	t.Logf("%d kills of two servers whose clocks are ten minutes apart and one failover of their database: %d pledges, %d requests, no double charges",
		w.kills, len(w.pledges), w.fleet.requests.Load())
}
