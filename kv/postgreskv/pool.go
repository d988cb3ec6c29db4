package postgreskv

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// pool is the connection pool.
type pool struct {
	conns    *puddle.Pool[*conn]
	maxConns int
	// How long a connection may be idle before it is pinged or closed, and its maximum age.
	pingAfter, maxIdle, maxAge time.Duration
}

// closeTimeout is how long closing a connection may take.
const closeTimeout = 15 * time.Second

// newPool returns a pool that opens connections when they are first needed and calls
// opened for each.
func newPool(config *pgconn.Config, maxConns int, opened func()) (*pool, error) {
	conns, err := puddle.NewPool(&puddle.Config[*conn]{
		MaxSize: int32(maxConns), //nolint:gosec // the caller keeps it within its range
		Constructor: func(ctx context.Context) (*conn, error) {
			pg, err := pgconn.ConnectConfig(ctx, config)
			if err != nil {
				return nil, err
			}
			opened()
			return &conn{PgConn: pg, prepared: map[string]string{}}, nil
		},
		Destructor: func(c *conn) {
			ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
			defer cancel()
			_ = c.Close(ctx)
		},
	})
	return &pool{conns: conns, maxConns: maxConns, pingAfter: time.Second, maxIdle: 30 * time.Minute, maxAge: time.Hour}, err
}

// parse parses a URL. It drops the pool parameters of other programs, which the
// database would reject.
func parse(url string) (*pgconn.Config, error) {
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	for name := range config.RuntimeParams {
		if strings.HasPrefix(name, "pool_") || name == "default_query_exec_mode" || strings.HasSuffix(name, "_cache_capacity") {
			delete(config.RuntimeParams, name)
		}
	}
	return config, nil
}

var errDead = errors.New("no working connection to the database")

// acquire returns a working connection. The caller must release it.
func (p *pool) acquire(ctx context.Context) (*puddle.Resource[*conn], error) {
	for range p.maxConns + 1 {
		r, err := p.conns.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		if r.IdleDuration() < p.pingAfter || r.Value().Ping(ctx) == nil {
			return r, nil
		}
		r.Destroy()
	}
	return nil, errDead
}

// idle is the protocol's status of a connection between transactions.
const idle = 'I'

// release returns a connection to the pool, or closes it if it cannot be reused.
func (p *pool) release(r *puddle.Resource[*conn]) {
	c := r.Value()
	if c.IsClosed() || c.IsBusy() || c.TxStatus() != idle || c.stale || time.Since(r.CreationTime()) > p.maxAge {
		r.Destroy()
		return
	}
	r.Release()
}

// withConn calls use with a connection.
func (p *pool) withConn(ctx context.Context, use func(*conn) error) error {
	r, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer p.release(r)
	return use(r.Value())
}

// exec returns the number of rows that a statement changed.
func (p *pool) exec(ctx context.Context, sql string, args ...any) (n int64, err error) {
	err = p.withConn(ctx, func(c *conn) error {
		n, err = c.exec(ctx, sql, args...)
		return err
	})
	return n, err
}

// transact runs do in a transaction on one connection.
func (p *pool) transact(ctx context.Context, begin string, do func(*conn) error) error {
	return p.withConn(ctx, func(c *conn) error {
		return c.transact(ctx, begin, func() error { return do(c) })
	})
}

// trim closes connections that are idle for too long or too old.
func (p *pool) trim() {
	for _, r := range p.conns.AcquireAllIdle() {
		if r.IdleDuration() > p.maxIdle || time.Since(r.CreationTime()) > p.maxAge {
			r.Destroy()
		} else {
			r.ReleaseUnused()
		}
	}
}

// scan reads the single row of a statement.
func (p *pool) scan(ctx context.Context, sql string, into ...any) error {
	return p.withConn(ctx, func(c *conn) error { return c.scan(ctx, sql, into...) })
}
