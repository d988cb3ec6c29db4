package sqlitekv_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
)

// List returns stored entries and the command's changes in byte order.
func TestTx_ListMergesOwnWrites(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now)
	put := func(tx kv.Tx, keys ...string) {
		for _, key := range keys {
			if err := tx.Put(key, []byte(key)); err != nil {
				t.Error(err)
			}
		}
	}
	if err := db.RunInTx(ctx, board,
		func(tx kv.Tx) error { put(tx, "a", "k/b", "k/d", "k/f", "z"); return nil }); err != nil {
		t.Fatal(err)
	}
	err := db.RunInTx(ctx, board, func(tx kv.Tx) error {
		put(tx, "0", "k/a", "k/c", "k/d", "k/g", "y")
		if err := tx.Delete("k/f"); err != nil {
			return err
		}
		for _, tt := range []struct {
			prefix, after string
			limit         int
			want          []string
		}{
			{"k/", "", 10, []string{"k/a", "k/b", "k/c", "k/d", "k/g"}},
			{"k/", "k/c", 10, []string{"k/d", "k/g"}},
			{"k/", "k/b", 2, []string{"k/c", "k/d"}},
			{"k/", "k/d", 1, []string{"k/g"}},
			{"k/", "k/g", 10, nil},
			{"k/", "", 0, nil},
		} {
			all, err := tx.List(tt.prefix, tt.after, tt.limit)
			if err != nil {
				return err
			}
			var got []string
			for _, e := range all {
				got = append(got, e.Key)
				if string(e.Value) != e.Key {
					t.Errorf("%q is %q", e.Key, e.Value)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%d of %q after %q (-want +got):\n%s", tt.limit, tt.prefix, tt.after, diff)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
