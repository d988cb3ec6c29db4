package feedback_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/feedback"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// fakeNoter is a Noter for some mails. It records the events about them.
type fakeNoter struct {
	mails  map[string]notify.Noted
	events []string
	err    error
}

func (k *fakeNoter) Note(_ context.Context, e notify.Event) (notify.Noted, bool, error) {
	noted, known := k.mails[e.Key]
	if known {
		k.events = append(k.events, e.ID+" "+string(e.Kind))
	}
	return noted, known, k.err
}

// fixture is a Service with a fakeNoter for one mail per stream.
type fixture struct {
	*feedback.Service
	keeper     *fakeNoter
	suppressed []string
	fail       error // returned by Suppress
	db         *memkv.DB
	now        time.Time
}

func newFixture() *fixture {
	d := &fixture{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), keeper: &fakeNoter{mails: map[string]notify.Noted{
		"news":   {Recipient: "ada", Stream: notify.Updates},
		"pledge": {Recipient: "ben", Stream: notify.Transactional}, "old": {},
	}}}
	clock := func() time.Time { return d.now }
	d.db = memkv.New(memkv.Options{Now: clock})
	d.Service = &feedback.Service{Store: d.db.Store(""), Now: clock, Observers: []notify.Noter{&fakeNoter{}, d.keeper},
		Suppress: func(_ context.Context, address string, reason suppression.Reason) error {
			if d.fail == nil {
				d.suppressed = append(d.suppressed, address+" "+string(reason))
			}
			return d.fail
		}}
	return d
}

func (d *fixture) apply(t *testing.T, id, key string, k notify.EventKind) feedback.Applied {
	t.Helper()
	a, err := d.Apply(t.Context(), []notify.Event{{ID: id, Key: key, Kind: k, At: d.now}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestApply_EventKinds(t *testing.T) {
	for _, tc := range []struct {
		kind notify.EventKind
		want []string
	}{
		{notify.Bounced, []string{"ada bounced"}}, {notify.Complained, []string{"ada complained"}},
		{notify.Taken, nil}, {notify.Delivered, nil}, {notify.Delayed, nil}, {notify.Returned, nil}, {notify.Unsent, nil},
	} {
		d := newFixture()
		if a := d.apply(t, "e1", "news", tc.kind); a != (feedback.Applied{Applied: 1}) {
			t.Errorf("%s: %+v", tc.kind, a)
		}
		if diff := cmp.Diff([]string{"e1 " + string(tc.kind)}, d.keeper.events); diff != "" {
			t.Errorf("%s: %s", tc.kind, diff)
		}
		if diff := cmp.Diff(tc.want, d.suppressed); diff != "" {
			t.Errorf("%s: %s", tc.kind, diff)
		}
	}
}

// Proves EML-28, KVR-53, KVR-54: an event is applied once in 35 days, by its ID.
func TestApply_Once(t *testing.T) {
	d := newFixture()
	d.apply(t, "e1", "news", notify.Complained)
	d.now = d.now.Add(35*24*time.Hour - time.Second)
	if a := d.apply(t, "e1", "news", notify.Complained); a != (feedback.Applied{Repeated: 1}) || len(d.suppressed) != 1 {
		t.Errorf("%+v, %v", a, d.suppressed)
	}
	marked := false
	for _, e := range d.db.Snapshot().Stores[""] {
		marked = marked || e.Key == "resend-webhook:v1:e1"
	}
	if !marked {
		t.Error("there is no marker")
	}
	d.apply(t, "e2", "news", notify.Complained)
	d.now = d.now.Add(time.Second)
	if a := d.apply(t, "e1", "news", notify.Complained); a != (feedback.Applied{Applied: 1}) || len(d.suppressed) != 3 {
		t.Errorf("after 35 days: %+v, %v", a, d.suppressed)
	}
}

// After a failure the same event can be applied again.
func TestApply_FailureIsRetried(t *testing.T) {
	d := newFixture()
	event := []notify.Event{{ID: "e1", Key: "news", Kind: notify.Bounced}}
	down := errors.New("down")
	d.fail = down
	if _, err := d.Apply(t.Context(), event); !errors.Is(err, down) {
		t.Errorf("suppressing: %v", err)
	}
	d.fail, d.keeper.err = nil, down
	if _, err := d.Apply(t.Context(), event); !errors.Is(err, down) {
		t.Errorf("noting: %v", err)
	}
	d.keeper.err = nil
	if a, err := d.Apply(t.Context(), event); err != nil || a.Applied != 1 || len(d.suppressed) != 1 {
		t.Errorf("%+v, %v, %v", a, d.suppressed, err)
	}
}

func TestApply_UnknownMail(t *testing.T) {
	d := newFixture()
	d.keeper.mails[""] = notify.Noted{Recipient: "everybody"}
	young := []notify.Event{{ID: "e1", Key: "unheard-of", Kind: notify.Bounced, At: d.now}}
	if _, err := d.Apply(t.Context(), young); !fault.Is(err, fault.Unavailable) {
		t.Errorf("mail that may not be visible yet: %v", err)
	}
	d.now = d.now.Add(feedback.Young)
	if a, err := d.Apply(t.Context(), young); err != nil || a != (feedback.Applied{Unknown: 1}) {
		t.Errorf("half an hour later: %+v, %v", a, err)
	}
	if a := d.apply(t, "e2", "", notify.Bounced); a != (feedback.Applied{Unknown: 1}) {
		t.Errorf("about no mail: %+v", a)
	}
	if a := d.apply(t, "e3", "old", notify.Bounced); a != (feedback.Applied{Applied: 1}) {
		t.Errorf("mail without recipient: %+v", a)
	}
	if len(d.suppressed) != 0 {
		t.Errorf("%v", d.suppressed)
	}
	for _, id := range []string{"", strings.Repeat("a", 600)} {
		if _, err := d.Apply(t.Context(),
			[]notify.Event{{ID: id, Key: "news", Kind: notify.Bounced}}); !fault.Is(err, fault.Invalid) {
			t.Errorf("an ID of %d bytes: %v", len(id), err)
		}
	}
}

func TestRateProblem(t *testing.T) {
	for name, tc := range map[string]struct {
		key                            string
		delivered, bounced, complained int
		want                           string
	}{
		"nothing sent":           {"news", 0, 0, 0, ""},
		"few, all bounced":       {"news", 0, 99, 0, ""},
		"4 % bounced":            {"news", 96, 4, 0, ""},
		"over 4 % bounced":       {"news", 95, 5, 0, "5 of 100 mails of the stream update bounced"},
		"transactional":          {"pledge", 95, 5, 0, "5 of 100 mails of the stream transactional bounced"},
		"of an earlier release":  {"old", 95, 5, 0, "5 of 100 mails of the stream transactional bounced"},
		"few, with complaints":   {"news", 999, 0, 10, ""},
		"0.08 % complained":      {"news", 1250, 0, 1, ""},
		"over 0.08 % complained": {"news", 1000, 0, 1, "1 of 1000 mails of the stream update were marked as spam"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture()
			send := func(n int, k notify.EventKind) {
				for i := range n {
					d.apply(t, fmt.Sprint(k, i), tc.key, k)
				}
			}
			send(tc.delivered/2, notify.Delivered)
			d.now = d.now.AddDate(0, 0, 1)
			for i := range tc.delivered - tc.delivered/2 {
				d.apply(t, fmt.Sprint("next", i), tc.key, notify.Delivered)
			}
			send(tc.bounced, notify.Bounced)
			send(tc.complained, notify.Complained)
			send(500, notify.Taken)
			if got, err := d.RateProblem(t.Context()); got != tc.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, tc.want)
			}
			d.now = d.now.AddDate(0, 0, 2)
			if got, err := d.RateProblem(t.Context()); got != "" || err != nil {
				t.Errorf("two days later: %q, %v", got, err)
			}
		})
	}
}
