package postgreskv

import "testing"

// A move leads to another version and back, and no two are the same.
func TestMove(t *testing.T) {
	seen := map[version]bool{}
	for range 1000 {
		by := newMove()
		if by <= 0 || seen[by] {
			t.Fatalf("%d, a move that cannot be one or was one before", by)
		}
		seen[by] = true
		for _, v := range []version{0, 1, 7, 1<<63 - 1} {
			if next := v.moved(by); next < 0 || next == v || next.moved(by) != v {
				t.Errorf("%d is moved by %d to %d and back to %d", v, by, next, next.moved(by))
			}
		}
	}
}
