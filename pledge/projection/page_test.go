package projection_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// All pages together have the same pledges as Indexed, with any page size, even if a record is
// missing.
func TestIndexPage_MatchesIndexed(t *testing.T) {
	ctx := context.Background()
	w := newFixture(t)
	w.p.SegmentSize = 3
	if _, _, err := w.p.IndexPage(ctx, "film", 0, 10); !fault.Is(err, fault.CampaignIndexRequired) {
		t.Errorf("IndexPage without an index: %v", err)
	}
	var walked error
	for _, walked = range w.p.Indexed(ctx, "film") {
	}
	if !fault.Is(walked, fault.CampaignIndexRequired) {
		t.Errorf("Indexed without an index: %v", walked)
	}
	var second string
	for n := range 7 {
		if p := w.bookPledge("a@example.org", tier("thanks", 500, 1)); n == 1 {
			second = p.OrderID
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
					t.Errorf("page limit %d, got %d pledges", limit, len(page))
				}
				for _, p := range page {
					got = append(got, p.OrderID)
				}
				if cursor = next; next == 0 {
					break
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || len(got) < 6 {
				t.Errorf("pages of %d: %s", limit, diff)
			}
		}
		w.must(w.p.Store.Apply(ctx, []kv.Write{kv.Delete(pledge.Key(second))}))
	}
	if page, next, err := w.p.IndexPage(ctx, "film", 70, 10); len(page) != 0 || next != 0 || err != nil {
		t.Errorf("page after the end: %v, %d, %v", page, next, err)
	}
}

// Indexed ends when the caller stops and at the first undecodable record.
func TestIndexed_Ends(t *testing.T) {
	w := newFixture(t)
	for range 3 {
		w.bookPledge("a@example.org", tier("thanks", 500, 1))
	}
	met := 0
	for _, err := range w.p.Indexed(context.Background(), "film") {
		w.must(err)
		met++
		break
	}
	w.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpGet && op.Key == pledge.Key("pw-00000000000000000000000002") {
			return errCut
		}
		return nil
	}
	var last error
	for _, last = range w.p.Indexed(context.Background(), "film") {
		met++
	}
	if met != 1+2 || !errors.Is(last, errCut) {
		t.Errorf("%d pledges, last error %v", met, last)
	}
}
