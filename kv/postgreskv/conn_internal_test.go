package postgreskv

import (
	"errors"
	"testing"
)

// What is said once says how many rows its last statement has changed, or what failed.
func TestWhatIsSaidOnce(t *testing.T) {
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

// A transaction that the database has rolled back has failed, though nobody said so.
func TestATransactionThatIsRolledBack(t *testing.T) {
	p := newTestPool(t)
	for name, tt := range map[string]struct {
		sql  string
		want error
	}{
		"well":   {"SELECT 1", nil},
		"failed": {"SELECT nothing", errRolledBack},
	} {
		err := p.transact(t.Context(), "BEGIN", func(c *conn) error {
			_, _ = c.exec(t.Context(), tt.sql) // its error is overlooked
			return nil
		})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
