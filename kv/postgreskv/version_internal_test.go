package postgreskv

import "testing"

// A move changes a version, applying it again restores it, and moves do not repeat.
func TestVersion_Move(t *testing.T) {
	seen := map[version]bool{}
	for range 1000 {
		by := newMove()
		if by <= 0 || seen[by] {
			t.Fatalf("invalid or repeated move %d", by)
		}
		seen[by] = true
		for _, v := range []version{0, 1, 7, 1<<63 - 1} {
			if next := v.moved(by); next < 0 || next == v || next.moved(by) != v {
				t.Errorf("%d moved by %d is %d and back %d", v, by, next, next.moved(by))
			}
		}
	}
}
