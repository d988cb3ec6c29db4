package sim

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// HookKind is a kind of fault in a webhook.
type HookKind string

// Webhook faults.
const (
	LoseHook      HookKind = "lose"       // never delivered
	DuplicateHook HookKind = "duplicate"  // the same event is delivered twice
	TwinHook      HookKind = "twin"       // a second event with its own ID describes the same change
	LateHook      HookKind = "late"       // the first attempt is delayed by For, behind later events
	WrongModeHook HookKind = "wrong_mode" // the payload has the other mode
	OldHook       HookKind = "old"        // the payload has the shape of an old API version
	SkewHook      HookKind = "skew"       // the signature's time is off by For, which may be negative
	ForgedHook    HookKind = "forged"     // signed with another secret
)

var hookKinds = []HookKind{LoseHook, DuplicateHook, TwinHook, LateHook, WrongModeHook, OldHook, SkewHook, ForgedHook}

// HookFault is a webhook fault to inject once. For is the delay of a LateHook or the clock skew of
// a SkewHook.
type HookFault struct {
	Kind HookKind `json:"kind"`
	// Type is the affected event type; empty means any.
	Type psp.EventType `json:"type,omitempty"`
	For  time.Duration `json:"for,omitempty"`
}

// InjectHookFaults injects faults into the next events of their type.
func (s *Sim) InjectHookFaults(faults ...HookFault) error {
	for _, f := range faults {
		if !slices.Contains(hookKinds, f.Kind) {
			return fault.New(fault.Invalid, "Unknown webhook fault %q", f.Kind).In("kind")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st.Hooks = append(s.st.Hooks, faults...)
	return nil
}

// takeHook removes and returns the pending webhook fault for an event type, or draws one from the
// storm.
func (st *state) takeHook(kind string) HookFault {
	for i, h := range st.Hooks {
		if h.Type == "" || string(h.Type) == kind {
			st.Hooks = slices.Delete(st.Hooks, i, i+1)
			return h
		}
	}
	if !st.chance(st.Storm.Hooks) {
		return HookFault{}
	}
	stormHooks := []HookKind{LoseHook, DuplicateHook, TwinHook, LateHook, WrongModeHook, OldHook}
	return HookFault{Kind: stormHooks[st.pick(len(stormHooks))], For: time.Duration(1+st.pick(180)) * time.Minute}
}

// retries are the delays after the first attempt at which a delivery is attempted, until it is
// accepted. After the last, the delivery is dropped.
var retries = []time.Duration{0, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 22 * time.Hour, 34 * time.Hour, 46 * time.Hour, 58 * time.Hour, 70 * time.Hour, maxDeliveryAge}

// maxDeliveryAge is the age at which a delivery is dropped even if it was never
// attempted.
const maxDeliveryAge = 72 * time.Hour

type delivery struct {
	ID, Event, Endpoint string
	Attempt             int // index into retries
	First, At           time.Time
	WrongMode, Old      bool
	Forged              bool
	Skew                time.Duration

	body []byte // rendered when first needed
}

// queue adds the deliveries of an event to an endpoint, as changed by a webhook fault.
func (st *state) queue(now time.Time, ev *event, ep *endpoint, h HookFault) {
	if h.Kind == LoseHook {
		return
	}
	d := delivery{Event: ev.ID, Endpoint: ep.ID, First: now, WrongMode: h.Kind == WrongModeHook,
		Old: h.Kind == OldHook, Forged: h.Kind == ForgedHook}
	switch h.Kind {
	case LateHook:
		d.First = now.Add(h.For)
	case SkewHook:
		d.Skew = h.For
	default:
	}
	d.At = d.First
	st.push(d)
	if h.Kind == DuplicateHook {
		st.push(d)
	}
}

func (st *state) push(d delivery) {
	d.ID = "whd_" + st.randomID(16)
	st.Deliveries = append(st.Deliveries, &d)
}

// Delivery is one attempt to deliver an event. Each attempt has a new signature, with the time of
// the call to Due.
type Delivery struct {
	ID        string
	URL       string
	Body      []byte
	Signature string // value of the signature header
	Attempt   int    // from 1
	Event     string // the event's ID
	Type      psp.EventType
}

// Due returns the deliveries to make now, longest due first. Each stays due until Done records its
// result, so a pump that crashes in between delivers it again.
func (s *Sim) Due() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	s.st.Deliveries = slices.DeleteFunc(s.st.Deliveries, func(d *delivery) bool {
		return now.Sub(d.First) > maxDeliveryAge || s.st.Endpoints[d.Endpoint] == nil
	})
	due := slices.DeleteFunc(slices.Clone(s.st.Deliveries), func(d *delivery) bool { return d.At.After(now) })
	slices.SortStableFunc(due, func(a, b *delivery) int { return a.At.Compare(b.At) })
	out := make([]Delivery, 0, len(due))
	for _, d := range due {
		out = append(out, s.sign(now, d))
	}
	return out
}

// Redeliver returns the delivery with a fresh signature. A delivery that is no longer queued is
// returned unchanged.
func (s *Sim) Redeliver(d Delivery) Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.st.Deliveries, func(q *delivery) bool { return q.ID == d.ID })
	if i < 0 || s.st.Endpoints[s.st.Deliveries[i].Endpoint] == nil {
		return d
	}
	return s.sign(s.runDueTasks(), s.st.Deliveries[i])
}

func (s *Sim) sign(now time.Time, d *delivery) Delivery {
	ev, ep := s.st.Events[d.Event], s.st.Endpoints[d.Endpoint]
	live, version := ev.Live, ep.APIVersion
	if d.WrongMode {
		live = !live
	}
	if d.Old {
		version = "2019-12-03"
	}
	secret := ep.Secret
	if d.Forged {
		secret = "whsec_forged"
	}
	if d.body == nil {
		d.body = encode(ev.render(live, version))
	}
	return Delivery{ID: d.ID, URL: ep.URL, Body: d.body, Signature: Sign(d.body, secret, now.Add(d.Skew)),
		Attempt: d.Attempt + 1, Event: ev.ID, Type: psp.EventType(ev.Type)}
}

// RecordResponse records the HTTP status of a delivery's response, or 0 if there was none. A 2xx
// status ends the delivery; after any other it is retried on a schedule for three days.
func (s *Sim) RecordResponse(d Delivery, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()
	i := slices.IndexFunc(s.st.Deliveries, func(q *delivery) bool { return q.ID == d.ID })
	if i < 0 {
		return
	}
	q := s.st.Deliveries[i]
	if status >= 200 && status <= 299 || !q.scheduleRetry(now) {
		s.st.Deliveries = slices.Delete(s.st.Deliveries, i, i+1)
	}
}

// scheduleRetry moves a delivery to its next attempt after now and reports
// whether there is one.
func (d *delivery) scheduleRetry(now time.Time) bool {
	for d.Attempt++; d.Attempt < len(retries); d.Attempt++ {
		d.At = d.First.Add(retries[d.Attempt])
		if d.At.After(now) {
			return true
		}
	}
	return false
}

// NextHook returns the time at which the next delivery is due; ok is false if there is none.
func (s *Sim) NextHook() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runDueTasks()
	for _, d := range s.st.Deliveries {
		if !ok || d.At.Before(at) {
			at, ok = d.At, true
		}
	}
	return at, ok
}
