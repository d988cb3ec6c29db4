package postgreskv

import (
	"errors"
	"testing"
)

// exec without parameters returns the rows changed by the last statement, or the error.
func TestExec_WithoutParameters(t *testing.T) {
	p := newTestPool(t)
	for _, tt := range []struct {
		sql   string
		rows  int64
		fails bool
	}{
		{"CREATE TABLE word (w text); INSERT INTO word VALUES ('a'), ('b')", 2, false},
		{"DELETE FROM word WHERE w = 'a'", 1, false},
		{"", 0, false},
		{"SELECT 1; SELECT 1/0", 0, true},
		{"SELECT nothing", 0, true},
	} {
		if n, err := p.exec(t.Context(), tt.sql); n != tt.rows || (err != nil) != tt.fails {
			t.Errorf("%s: %d rows, %v", tt.sql, n, err)
		}
	}
}

// A transaction that the database rolled back is an error, even if no statement
// returned one.
func TestTransact_RolledBackByDatabase(t *testing.T) {
	p := newTestPool(t)
	for name, tt := range map[string]struct {
		sql  string
		want error
	}{
		"well":   {"SELECT 1", nil},
		"failed": {"SELECT nothing", errRolledBack},
	} {
		err := p.transact(t.Context(), "BEGIN", func(c *conn) error {
			_, _ = c.exec(t.Context(), tt.sql) // the error is ignored
			return nil
		})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
