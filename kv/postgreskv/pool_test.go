package postgreskv_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
)

// Pool and cache parameters of other programs in the URL are not sent to the database,
// which would reject them.
func TestOpen_IgnoresPoolParameters(t *testing.T) {
	url := cluster.Database(t)
	mark := "?"
	if strings.Contains(url, "?") {
		mark = "&"
	}
	db := open(t,
		url+mark+"pool_max_conns=4&pool_max_conn_lifetime=1h&default_query_exec_mode=exec&statement_cache_capacity=8",
		time.Now)
	if err := db.Store("A").Apply(t.Context(), []kv.Write{{Key: "k", Value: []byte("v")}}); err != nil {
		t.Fatal(err)
	}
	if v, err := db.Store("A").Get(t.Context(), "k"); err != nil || string(v) != "v" {
		t.Errorf("it has %q (%v)", v, err)
	}
}

// If a column's type changes, the plans of prepared statements become invalid. One
// request fails, and the server continues with another connection.
func TestPool_ReplacesStalePlans(t *testing.T) {
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
		t.Skip("this database replans by itself")
	}
	page, err := s.List(t.Context(), kv.Query{})
	if err != nil || len(page.Entries) != 1 || string(page.Entries[0].Value) != "v" {
		t.Errorf("it has %v (%v)", page, err)
	}
}
