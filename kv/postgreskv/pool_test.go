package postgreskv_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
)

// What an address says to other programs about their pools and caches is not told to the
// database, which would refuse it.
func TestAnAddressThatOtherProgramsShare(t *testing.T) {
	url := cluster.Database(t)
	mark := "?"
	if strings.Contains(url, "?") {
		mark = "&"
	}
	db := open(t, url+mark+"pool_max_conns=4&pool_max_conn_lifetime=1h&default_query_exec_mode=exec&statement_cache_capacity=8", time.Now)
	if err := db.Store("A").Apply(t.Context(), []kv.Write{{Key: "k", Value: []byte("v")}}); err != nil {
		t.Fatal(err)
	}
	if v, err := db.Store("A").Get(t.Context(), "k"); err != nil || string(v) != "v" {
		t.Errorf("it has %q (%v)", v, err)
	}
}

// Where a column's type is changed under a server, the plan of a statement is over. It is
// told once, and the server goes on by another connection.
func TestAPlanThatIsOver(t *testing.T) {
	url := cluster.Database(t)
	db, err := postgreskv.Open(t.Context(), url, postgreskv.Options{Now: time.Now, Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := db.Store("A")
	if err := s.Apply(t.Context(), []kv.Write{{Key: "k", Value: []byte("v")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.List(t.Context(), kv.Query{}); err != nil {
		t.Fatal(err)
	}
	exec(t, connect(t, url), `ALTER TABLE store ALTER COLUMN key TYPE varchar`)
	if _, err := s.List(t.Context(), kv.Query{}); err == nil {
		t.Skip("this database plans anew by itself")
	}
	page, err := s.List(t.Context(), kv.Query{})
	if err != nil || len(page.Entries) != 1 || string(page.Entries[0].Value) != "v" {
		t.Errorf("it has %v (%v)", page, err)
	}
}
