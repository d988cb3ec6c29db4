//go:build !demo && !nopostgres

package app

import (
	"context"
	"errors"
	"iter"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
)

func openPostgres(ctx context.Context, o EngineOptions) (*Engine, error) {
	db, err := postgreskv.Open(ctx, o.DatabaseURL, postgreskv.Options{Now: o.Now, MaySweep: o.MaySweep,
		Classes: compose.Classes(), Connections: o.Connections, Log: o.Log})
	if err != nil {
		return nil, err
	}
	return &Engine{
		store:       func(ns string) kv.Store { return db.Store(ns) },
		coordinator: db.Coordinator(),
		rateLimit:   db.Store("ratelimit"), // shared by all servers
		checkWrite:  db.CheckWrite,
		backup:      func(ctx context.Context, dest string) error { return sqlitekv.Write(ctx, dest, db.Export(ctx)) },
		schema:      db.Schema,
		name:        "PostgreSQL",
		close:       db.Close,
	}, nil
}

func fillPostgres(ctx context.Context, o EngineOptions, rows iter.Seq2[kv.Row, error]) error {
	db, err := postgreskv.Open(ctx, o.DatabaseURL, postgreskv.Options{Now: o.Now, Connections: 2, Log: o.Log})
	if err != nil {
		return err
	}
	return errors.Join(db.Import(ctx, rows), db.Close())
}
