package projection_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The pages of an index, of whatever size, are what a walk over it finds, also where a
// record is missing.
func TestIndexPages(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.p.SegmentSize = 3
	if _, _, err := w.p.IndexPage(ctx, "film", 0, 10); !fault.Is(err, fault.CampaignIndexRequired) {
		t.Errorf("without an index: %v", err)
	}
	var third string
	for n := range 7 {
		if p := w.booked("a@example.org", tier("thanks", 500, 1)); n == 2 {
			third = p.OrderID
		}
	}
	for range 2 {
		var want []string
		for p, err := range w.p.Indexed(ctx, "film") {
			w.must(err)
			want = append(want, p.OrderID)
		}
		for limit := 1; limit <= 8; limit++ {
			var got []string
			for cursor := 0; ; {
				page, next, err := w.p.IndexPage(ctx, "film", cursor, limit)
				w.must(err)
				if len(page) > limit {
					t.Errorf("a page of %d has %d", limit, len(page))
				}
				for _, p := range page {
					got = append(got, p.OrderID)
				}
				if cursor = next; next == 0 {
					break
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || len(got) < 6 {
				t.Errorf("by pages of %d: %s", limit, diff)
			}
		}
		w.must(w.p.Store.Apply(ctx, []kv.Write{kv.Delete(pledge.Key(third))}))
	}
	if page, next, err := w.p.IndexPage(ctx, "film", 70, 10); len(page) != 0 || next != 0 || err != nil {
		t.Errorf("beyond the end: %v, %d, %v", page, next, err)
	}
}
