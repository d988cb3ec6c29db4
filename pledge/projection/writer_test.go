package projection_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// Two pledges of one supporter and one of another are booked concurrently. In any order, and with
// one write or several, no list is missing or overwritten by a shorter one.
func TestBook_ListsNeverShrink(t *testing.T) {
	for name, tc := range map[string]struct {
		entering []string
		busy     bool // another write is in progress, so that they are batched
	}{
		"longer list first, batched":  {[]string{"long", "short", "other"}, true},
		"shorter list first, batched": {[]string{"short", "long", "other"}, true},
		"longer list first, separate": {[]string{"long", "other", "short"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newFixture(t)
				first := w.confirmed("first@example.org", tier("thanks", 500, 1))
				pledges, listed := map[string]*pledge.Pledge{}, map[string]chan bool{}
				for _, who := range []string{"short", "long", "other"} {
					email := map[bool]string{true: "b@example.org", false: "a@example.org"}[who == "other"]
					p := w.confirmed(email, tier("thanks", 500, 1))
					pledges[who], listed["enlist:"+p.OrderID] = p, make(chan bool)
				}
				writing, longest := make(chan bool), 0
				w.fail = func(op memkv.Op) error {
					switch {
					case op.Kind == memkv.OpDo && op.After && listed[op.Command.ID] != nil:
						<-listed[op.Command.ID]
					case op.Kind == memkv.OpPut && op.Key == pledge.Key(first.OrderID):
						<-writing
					case op.Kind == memkv.OpPut && op.Key == "email:a@example.org":
						var ids []string
						if err := json.Unmarshal(op.Write.Value, &ids); err != nil || len(ids) < longest {
							t.Errorf("list of length %d replaced list of length %d, %v", len(ids), longest, err)
						}
						longest = len(ids)
					}
					return nil
				}
				var all sync.WaitGroup
				book := func(p *pledge.Pledge) {
					all.Go(func() {
						if _, err := w.p.Book(context.Background(), p, ""); err != nil {
							t.Error(err)
						}
					})
					synctest.Wait()
				}
				if tc.busy {
					book(first)
				}
				for _, who := range []string{"short", "long", "other"} {
					book(pledges[who])
				}
				for _, who := range tc.entering {
					close(listed["enlist:"+pledges[who].OrderID])
					synctest.Wait()
				}
				close(writing)
				all.Wait()
				want := []string{pledges["short"].OrderID, pledges["long"].OrderID}
				if diff := cmp.Diff(want, read[[]string](w, "email:a@example.org")); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff([]string{pledges["other"].OrderID}, read[[]string](w, "email:b@example.org")); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// A booking sends commands to the platform's object, which all campaigns share, only if
// add-ons may be involved, and to the supporter's list only as often as necessary.
func TestBook_NumberOfCommands(t *testing.T) {
	w := newFixture(t)
	asked := map[string]int{}
	w.fail = func(op memkv.Op) error {
		switch {
		case op.After:
		case op.Object.Name == inventory.Platform:
			asked["platform "+string(op.Kind)]++
		case strings.HasPrefix(op.Object.Name, "supporter:"):
			asked["list "+string(op.Kind)]++
		}
		return nil
	}
	p := w.bookPledge("a@example.org", tier("seat", 2500, 1))
	if diff := cmp.Diff(map[string]int{"list do": 1, "list query": 1}, asked); diff != "" {
		t.Errorf("new pledge: %s", diff)
	}
	clear(asked)
	p, err := w.p.Orders.Cancel(context.Background(), p.OrderID, "n", time.Time{})
	w.must(err)
	w.book(p)
	if diff := cmp.Diff(map[string]int{"list query": 2, "platform do": 1, "platform query": 1}, asked); diff != "" {
		t.Errorf("changed pledge: %s", diff)
	}
}

// A pledge that was changed before its first booking is added to its supporter's list.
func TestBook_ChangedBeforeFirstBooking(t *testing.T) {
	w := newFixture(t)
	p, err := w.p.Orders.Cancel(context.Background(),
		w.confirmed("a@example.org", tier("seat", 2500, 1)).OrderID, "n", time.Time{})
	w.must(err)
	w.book(p)
	if diff := cmp.Diff([]string{p.OrderID}, read[[]string](w, "email:a@example.org")); diff != "" {
		t.Error(diff)
	}
}
