//go:build demo || nopostgres

package app

import (
	"context"
	"errors"
	"iter"

	"github.com/pledgeworks/pledgeworks/kv"
)

// A single server does not need PostgreSQL, whose driver takes up a tenth of the program.
var errPostgres = errors.New("this program was built without PostgreSQL: build it without -tags nopostgres and -tags demo, or unset DATABASE_URL")

func openPostgres(context.Context, EngineOptions) (*Engine, error) { return nil, errPostgres }

func fillPostgres(context.Context, EngineOptions, iter.Seq2[kv.Row, error]) error { return errPostgres }
