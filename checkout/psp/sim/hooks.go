package sim

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// HookKind names a way for a webhook to go wrong.
type HookKind string

// The faults of webhooks.
const (
	LoseHook      HookKind = "lose"       // never delivered
	DuplicateHook HookKind = "duplicate"  // the same event is delivered twice
	TwinHook      HookKind = "twin"       // a second event, with an ID of its own, tells the same
	LateHook      HookKind = "late"       // the first attempt comes after For, behind later events
	WrongModeHook HookKind = "wrong_mode" // the payload says the other mode
	OldHook       HookKind = "old"        // the payload has the shape of an old API version
	SkewHook      HookKind = "skew"       // the signature is dated For from now, which may be negative
	ForgedHook    HookKind = "forged"     // signed with another secret
)

var hookKinds = []HookKind{LoseHook, DuplicateHook, TwinHook, LateHook, WrongModeHook, OldHook, SkewHook, ForgedHook}

// HookFault is one webhook to go wrong.
type HookFault struct {
	Kind HookKind `json:"kind"`
	// Type is the event to befall; empty means the next of any type.
	Type psp.EventType `json:"type,omitempty"`
	For  time.Duration `json:"for,omitempty"`
}

// OrderHook makes faults befall the next events that fit them.
func (s *Sim) OrderHook(faults ...HookFault) error {
	for _, f := range faults {
		if !slices.Contains(hookKinds, f.Kind) {
			return fault.New(fault.Invalid, "There is no webhook fault %q", f.Kind).In("kind")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st.Hooks = append(s.st.Hooks, faults...)
	return nil
}

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
	honest := []HookKind{LoseHook, DuplicateHook, TwinHook, LateHook, WrongModeHook, OldHook}
	return HookFault{Kind: honest[st.pick(len(honest))], For: time.Duration(1+st.pick(180)) * time.Minute}
}

// retries are the times after the first attempt at which a delivery that has
// not been accepted is tried again. After the last it is given up.
var retries = []time.Duration{0, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 22 * time.Hour, 34 * time.Hour, 46 * time.Hour, 58 * time.Hour, 70 * time.Hour, giveUp}

// giveUp is the age at which a delivery is lost even if nobody pumped it.
const giveUp = 72 * time.Hour

type delivery struct {
	ID, Event, Endpoint string
	Attempt             int // of retries
	First, At           time.Time
	WrongMode, Old      bool
	Forged              bool
	Skew                time.Duration

	body []byte // rendered by the first look at it
}

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
	d.ID = "whd_" + st.word(16)
	st.Deliveries = append(st.Deliveries, &d)
}

// Delivery is one attempt to deliver an event. The signature is made for the
// attempt and dated at the moment Due was called.
type Delivery struct {
	ID        string
	URL       string
	Body      []byte
	Signature string // value of the signature header
	Attempt   int    // from 1
	Event     string // the event's ID
	Type      psp.EventType
}

// Due returns the deliveries that should be made now, the longest due first.
// Each stays due until Done reports how it went, so a pump that dies between
// the two delivers again.
func (s *Sim) Due() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.present()
	s.st.Deliveries = slices.DeleteFunc(s.st.Deliveries, func(d *delivery) bool {
		return now.Sub(d.First) > giveUp || s.st.Endpoints[d.Endpoint] == nil
	})
	due := slices.DeleteFunc(slices.Clone(s.st.Deliveries), func(d *delivery) bool { return d.At.After(now) })
	slices.SortStableFunc(due, func(a, b *delivery) int { return a.At.Compare(b.At) })
	out := make([]Delivery, 0, len(due))
	for _, d := range due {
		out = append(out, s.sign(now, d))
	}
	return out
}

// Again returns the delivery signed as of now: it stays what it was where the processor has
// given it up, or had an answer.
func (s *Sim) Again(d Delivery) Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.st.Deliveries, func(q *delivery) bool { return q.ID == d.ID })
	if i < 0 || s.st.Endpoints[s.st.Deliveries[i].Endpoint] == nil {
		return d
	}
	return s.sign(s.present(), s.st.Deliveries[i])
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

// Done reports the HTTP status that a delivery was answered with, or 0 when
// there was no answer. Any 2xx ends it; anything else has it tried again on
// the schedule, for three days.
func (s *Sim) Done(d Delivery, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.present()
	i := slices.IndexFunc(s.st.Deliveries, func(q *delivery) bool { return q.ID == d.ID })
	if i < 0 {
		return
	}
	q := s.st.Deliveries[i]
	if status >= 200 && status <= 299 || !q.postpone(now) {
		s.st.Deliveries = slices.Delete(s.st.Deliveries, i, i+1)
	}
}

// postpone moves a delivery to its next attempt after now and says whether
// there is one.
func (d *delivery) postpone(now time.Time) bool {
	for d.Attempt++; d.Attempt < len(retries); d.Attempt++ {
		d.At = d.First.Add(retries[d.Attempt])
		if d.At.After(now) {
			return true
		}
	}
	return false
}

// NextHook tells when the next delivery falls due, so that a pump knows how
// long to rest.
func (s *Sim) NextHook() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.present()
	for _, d := range s.st.Deliveries {
		if !ok || d.At.Before(at) {
			at, ok = d.At, true
		}
	}
	return at, ok
}
