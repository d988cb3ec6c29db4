package postgreskv

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// pool lends connections.
type pool struct {
	conns *puddle.Pool[*conn]
	most  int
	// How long one may rest until it is asked whether it still lives, until it is closed, and
	// how old it may become.
	rests, idles, lives time.Duration
}

// farewell is how long a database may take to hear that a connection ends.
const farewell = 15 * time.Second

// newPool opens connections when they are first needed, and calls opened for each.
func newPool(config *pgconn.Config, most int, opened func()) (*pool, error) {
	conns, err := puddle.NewPool(&puddle.Config[*conn]{
		MaxSize: int32(most), //nolint:gosec // the caller keeps it within its range
		Constructor: func(ctx context.Context) (*conn, error) {
			pg, err := pgconn.ConnectConfig(ctx, config)
			if err != nil {
				return nil, err
			}
			opened()
			return &conn{PgConn: pg, prepared: map[string]string{}}, nil
		},
		Destructor: func(c *conn) {
			ctx, cancel := context.WithTimeout(context.Background(), farewell)
			defer cancel()
			_ = c.Close(ctx)
		},
	})
	return &pool{conns: conns, most: most, rests: time.Second, idles: 30 * time.Minute, lives: time.Hour}, err
}

// parse reads a URL. What it says to other programs about their pools is left out: the
// database would not know it.
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

var errDead = errors.New("no connection to the database lives")

// acquire lends a connection that lives, until it is released.
func (p *pool) acquire(ctx context.Context) (*puddle.Resource[*conn], error) {
	for range p.most + 1 {
		r, err := p.conns.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		if r.IdleDuration() < p.rests || r.Value().Ping(ctx) == nil {
			return r, nil
		}
		r.Destroy()
	}
	return nil, errDead
}

// idle is a connection's state between transactions, as the protocol says it.
const idle = 'I'

// release takes a connection back, unless nobody else could use it.
func (p *pool) release(r *puddle.Resource[*conn]) {
	c := r.Value()
	if c.IsClosed() || c.IsBusy() || c.TxStatus() != idle || c.stale || time.Since(r.CreationTime()) > p.lives {
		r.Destroy()
		return
	}
	r.Release()
}

// lend has a connection used.
func (p *pool) lend(ctx context.Context, use func(*conn) error) error {
	r, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer p.release(r)
	return use(r.Value())
}

// exec returns how many rows a statement has changed.
func (p *pool) exec(ctx context.Context, sql string, args ...any) (n int64, err error) {
	err = p.lend(ctx, func(c *conn) error {
		n, err = c.exec(ctx, sql, args...)
		return err
	})
	return n, err
}

// transact runs what belongs together on one connection.
func (p *pool) transact(ctx context.Context, begin string, do func(*conn) error) error {
	return p.lend(ctx, func(c *conn) error {
		return c.transact(ctx, begin, func() error { return do(c) })
	})
}

// trim closes what has rested long, or is old.
func (p *pool) trim() {
	for _, r := range p.conns.AcquireAllIdle() {
		if r.IdleDuration() > p.idles || time.Since(r.CreationTime()) > p.lives {
			r.Destroy()
		} else {
			r.ReleaseUnused()
		}
	}
}

// scan reads the one row that a statement returns.
func (p *pool) scan(ctx context.Context, sql string, into ...any) error {
	return p.lend(ctx, func(c *conn) error { return c.scan(ctx, sql, into...) })
}
