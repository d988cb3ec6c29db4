package postgreskv

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestReason_ByError(t *testing.T) {
	code := func(c string) error { return fmt.Errorf("writing: %w", &pgconn.PgError{Code: c}) }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{code("53100"), "the database's disk is full"},
		{code("53300"), "the database is out of connections or memory"},
		{code("53200"), "the database is out of connections or memory"},
		{code("25006"), "the database is read-only"},
		{code("08006"), "the connection to the database was lost"},
		{code("57P01"), "the database is shutting down or starting"},
		{code("57P03"), "the database is shutting down or starting"},
		{code("57014"), "the database took too long"},
		{code("55P03"), "the database took too long"},
		{code("28P01"), "the database rejected the login"},
		{code("3D000"), "the database does not exist"},
		{code("42501"), "the database user lacks a permission"},
		{code("42P01"), "unexpected database error"},
		{code(""), "unexpected database error"},
		{errors.Join(errors.New("EOF"), errBroken), "the connection to the database was lost"},
		{errors.Join(errors.New("EOF"), errLost), "the connection to the database was lost"},
		{errors.Join(context.DeadlineExceeded, errBroken), "the database took too long"},
		{fmt.Errorf("acquiring: %w", &pgconn.ConnectError{}), "cannot connect to the database"},
		{pgconn.ErrReadOnlyConnection, "the database is read-only"},
		{errors.New("another error"), "unexpected database error"},
	} {
		if got := reason(tt.err); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}
