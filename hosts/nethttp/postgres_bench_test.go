package nethttp_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }

// twoServers returns two servers of the service with one database.
func twoServers(b *testing.B, others ...string) *subject {
	url := cluster.Database(b)
	serve := func(s *subject) http.Handler {
		s.others = others
		db, err := postgreskv.Open(context.Background(), url, postgreskv.Options{Now: time.Now, Classes: compose.Classes()})
		check(b, err)
		b.Cleanup(func() { check(b, db.Close()) })
		return s.service(b, compose.Stores{Pledges: db.Store("pledges"), Votes: db.Store("votes"),
			RateLimit: db.Store("ratelimit")}, db.Coordinator())
	}
	s := newSubject(b, serve)
	s.serve(b, serve(s))
	return s
}

// twoBare returns two naive servers with as many connections.
func twoBare(b *testing.B) *subject {
	url := cluster.Database(b)
	var pools []*pgxpool.Pool
	serve := func(s *subject) http.Handler {
		pool := connect(b, url)
		pools = append(pools, pool)
		return s.plain(func(query string, args ...any) error {
			_, err := pool.Exec(context.Background(), strings.ReplaceAll(query, "?", "$"), args...)
			return err
		})
	}
	s := newSubject(b, serve)
	_, err := pools[0].Exec(context.Background(), strings.ReplaceAll(plainSchema, "INTEGER", "BIGINT"))
	check(b, err)
	s.serve(b, serve(s))
	return s
}

// twoStraight returns two servers of the service with a transaction for each write.
func twoStraight(b *testing.B) *subject {
	url := cluster.Database(b)
	serve := func(s *subject) http.Handler {
		pool := connect(b, url)
		_, err := pool.Exec(context.Background(), straightSchema)
		check(b, err)
		engine := &straight{pool: pool, classes: map[string]*kv.Class{}}
		for _, c := range compose.Classes() {
			engine.classes[c.Name()] = c
		}
		return s.service(b, compose.Stores{Pledges: straightStore{engine, "pledges"}, Votes: straightStore{engine, "votes"},
			RateLimit: straightStore{engine, "ratelimit"}}, engine)
	}
	s := newSubject(b, serve)
	s.serve(b, serve(s))
	return s
}

func connect(b *testing.B, url string) *pgxpool.Pool {
	config, err := pgxpool.ParseConfig(url)
	check(b, err)
	config.MaxConns = 16
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	check(b, err)
	b.Cleanup(pool.Close)
	return pool
}

// BenchmarkPledgePostgres measures durable pledges on two servers with one database, compared with
// the service with a transaction for each write, and with two naive servers.
func BenchmarkPledgePostgres(b *testing.B) {
	b.Run("server=pledgeworks", func(b *testing.B) { twoServers(b).measure(b) })
	b.Run("server=straight", func(b *testing.B) { twoStraight(b).measure(b) })
	b.Run("server=bare", func(b *testing.B) { twoBare(b).measure(b) })
}

// BenchmarkHotPostgres measures one popular campaign, compared with a hundred campaigns.
func BenchmarkHotPostgres(b *testing.B) {
	var cold []string
	for i := range 100 {
		cold = append(cold, fmt.Sprintf("cold-%d", i))
	}
	b.Run("campaigns=1", func(b *testing.B) { twoServers(b).measure(b) })
	b.Run("campaigns=100", func(b *testing.B) { twoServers(b, cold...).measure(b) })
}
