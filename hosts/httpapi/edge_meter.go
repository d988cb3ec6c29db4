package httpapi

import (
	"cmp"
	"context"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Each process adds up its observations in memory and writes them at most every writeAfter under
// its own key, so that processes do not conflict and few requests wait for a write. A crash loses
// observations that were not yet written. The numbers are informational only.

const (
	observedLife  = 35 * 24 * time.Hour
	writeAfter    = 10 * time.Second
	maxRecent     = 50 // webhook outcomes
	defaultDays   = 7
	maxDays       = 35
	observedStart = "observed:v1:"
)

// bounds are the upper bounds of the duration classes, in milliseconds.
var bounds = []int64{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000}

// observed holds one process's observations of one day in UTC.
type observed struct {
	Webhooks map[string]int           `json:"webhooks"` // by outcome
	Types    map[string]int           `json:"types"`    // verified events by type
	Recent   []WebhookOutcome         `json:"recent"`   // newest last
	Timings  map[string][]int         `json:"timings"`  // POST requests by route: a count for each duration class
	Longest  map[string]time.Duration `json:"longest"`
}

// WebhookOutcome is the outcome of one verified delivery.
type WebhookOutcome struct {
	At      time.Time `json:"at"`
	EventID string    `json:"eventId"`
	Type    string    `json:"eventType"`
	Outcome string    `json:"outcome"`
	Reason  string    `json:"reason,omitempty"`
}

func newObserved() *observed {
	return &observed{Webhooks: map[string]int{}, Types: map[string]int{}, Timings: map[string][]int{},
		Longest: map[string]time.Duration{}}
}

// Outcomes of webhooks.
const (
	webhookApplied   = "applied"
	webhookSkipped   = "skipped"
	webhookDuplicate = "duplicate"
	webhookMismatch  = "mode_mismatch"
	webhookSignature = "signature_failure"
	webhookInvalid   = "invalid"
	webhookPostponed = "postponed"
)

func outcomeOf(r checkout.WebhookResult, err error) string {
	switch {
	case fault.Is(err, fault.Unauthorized):
		return webhookSignature
	case fault.Is(err, fault.Invalid):
		return webhookInvalid
	case err != nil:
		return webhookPostponed
	case r.Duplicate:
		return webhookDuplicate
	case r.Skipped == checkout.SkippedMode:
		return webhookMismatch
	case r.Skipped != "":
		return webhookSkipped
	}
	return webhookApplied
}

// meter collects this process's observations.
type meter struct {
	store kv.Store
	id    string

	mu      sync.Mutex
	written time.Time
	days    map[string]*observed // by date
}

func newMeter(store kv.Store, random io.Reader, now time.Time) (*meter, error) {
	b := make([]byte, 8)
	if _, err := io.ReadFull(random, b); err != nil {
		return nil, err
	}
	return &meter{store: store, id: hex.EncodeToString(b), written: now, days: map[string]*observed{}}, nil
}

func (m *meter) day(now time.Time) *observed {
	date := now.UTC().Format(time.DateOnly)
	if m.days[date] == nil {
		m.days[date] = newObserved()
	}
	return m.days[date]
}

func (m *meter) countWebhook(now time.Time, r checkout.WebhookResult, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, outcome := m.day(now), outcomeOf(r, err)
	d.Webhooks[outcome]++
	if r.EventID == "" {
		return // unverified senders could fill the lists
	}
	d.Types[knownType(r.Type)]++
	d.Recent = append(d.Recent,
		WebhookOutcome{At: now.UTC(), EventID: r.EventID, Type: r.Type, Outcome: outcome, Reason: r.Skipped})
	d.Recent = d.Recent[max(0, len(d.Recent)-maxRecent):]
}

// knownType replaces unknown event types, to limit the size of the table.
func knownType(t string) string {
	if slices.Contains(psp.Subscriptions(), psp.EventType(t)) {
		return t
	}
	return "other"
}

func (m *meter) countTiming(now time.Time, route string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.day(now)
	if d.Timings[route] == nil {
		d.Timings[route] = make([]int, len(bounds)+1)
	}
	class, _ := slices.BinarySearch(bounds, (took + time.Millisecond - 1).Milliseconds())
	d.Timings[route][class]++
	d.Longest[route] = max(d.Longest[route], took)
}

// flush writes the observations, at most once per writeAfter unless forced.
func (m *meter) flush(ctx context.Context, now time.Time, force bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.days) == 0 || !force && now.Sub(m.written) < writeAfter {
		return nil
	}
	var batch []kv.Write
	for _, date := range slices.Sorted(maps.Keys(m.days)) {
		w, err := kv.Record(observedStart+date+":"+m.id, m.days[date], now.Add(observedLife))
		if err != nil {
			return err
		}
		batch = append(batch, w)
	}
	if err := m.store.Apply(context.WithoutCancel(ctx), batch); err != nil {
		return err
	}
	m.written = now
	maps.DeleteFunc(m.days, func(date string, _ *observed) bool { return date != now.UTC().Format(time.DateOnly) })
	return nil
}

// Flush writes the observations that are not yet stored.
func (a *API) Flush(ctx context.Context) error { return a.meter.flush(ctx, a.now(), true) }

// snapshot returns a copy of the observations in memory by date. Some of them may already be
// stored.
func (m *meter) snapshot() map[string]*observed {
	m.mu.Lock()
	defer m.mu.Unlock()
	days := map[string]*observed{}
	for date, d := range m.days {
		days[date] = newObserved()
		days[date].add(d)
	}
	return days
}

// byDay returns the observations of all processes for each of the last days, newest first. It
// writes nothing: this process's observations are taken from memory.
func (m *meter) byDay(ctx context.Context, now time.Time, days int) ([]*observed, error) {
	own := m.snapshot()
	var all []*observed
	for i := range days {
		date := now.UTC().AddDate(0, 0, -i).Format(time.DateOnly)
		sum := newObserved()
		for e, err := range kv.All(ctx, m.store, observedStart+date+":") {
			if err != nil {
				return nil, err
			}
			if e.Key == observedStart+date+":"+m.id && own[date] != nil {
				continue // memory has newer counts
			}
			d, err := kv.Decode[observed](e.Key, e.Value)
			if err != nil {
				return nil, err
			}
			sum.add(&d)
		}
		if own[date] != nil {
			sum.add(own[date])
		}
		all = append(all, sum)
	}
	return all, nil
}

// read returns the sum of the observations of all processes for the last days.
func (m *meter) read(ctx context.Context, now time.Time, days int) (*observed, error) {
	each, err := m.byDay(ctx, now, days)
	if err != nil {
		return nil, err
	}
	all := newObserved()
	for _, d := range each {
		all.add(d)
	}
	slices.Reverse(all.Recent) // for equal times, the newest first
	slices.SortStableFunc(all.Recent,
		func(a, b WebhookOutcome) int { return cmp.Compare(b.At.UnixNano(), a.At.UnixNano()) })
	all.Recent = all.Recent[:min(len(all.Recent), maxRecent)]
	return all, nil
}

func (o *observed) add(d *observed) {
	for k, n := range d.Webhooks {
		o.Webhooks[k] += n
	}
	for k, n := range d.Types {
		o.Types[k] += n
	}
	o.Recent = append(o.Recent, d.Recent...)
	for route, classes := range d.Timings {
		if o.Timings[route] == nil {
			o.Timings[route] = make([]int, len(bounds)+1)
		}
		for i, n := range classes[:min(len(classes), len(bounds)+1)] {
			o.Timings[route][i] += n
		}
		o.Longest[route] = max(o.Longest[route], d.Longest[route])
	}
}
