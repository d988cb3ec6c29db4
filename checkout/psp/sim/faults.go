package sim

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// FaultKind names a way for a call to go wrong.
type FaultKind string

// Faults on the way. They may befall any call.
const (
	DropRequest     FaultKind = "drop_request"      // the request is lost: nothing runs, no answer
	DropAnswer      FaultKind = "drop_answer"       // it runs, and the answer is lost
	CutAnswer       FaultKind = "cut_answer"        // it runs, and the body ends half way
	Garble          FaultKind = "garble"            // it runs, and the body is not JSON
	BadGateway      FaultKind = "bad_gateway"       // a proxy's HTML 502; nothing runs
	BadGatewayAfter FaultKind = "bad_gateway_after" // a proxy's HTML 502, though it ran
	Delay           FaultKind = "delay"             // it runs at once, and the answer takes For
	RateLimit       FaultKind = "rate_limit"        // 429 of the rate limiter
	KeyInUse        FaultKind = "key_in_use"        // 409: the same key is being worked on
	APIKeyRevoked   FaultKind = "api_key_revoked"   // 401: the caller's key is not taken
)

// Answers that do not fit the question. They may befall any call, which runs as usual; the
// books and later answers are right.
const (
	Misreport     FaultKind = "misreport"      // every amount is a cent too large
	OtherCustomer FaultKind = "other_customer" // every customer is OtherCustomerID
	OtherMethod   FaultKind = "other_method"   // every payment method is OtherMethodID
	OtherGroup    FaultKind = "other_group"    // every settlement group in metadata is another one
	OtherMode     FaultKind = "other_mode"     // livemode is the opposite
	ShortCapture  FaultKind = "short_capture"  // half of what was captured is reported
)

// The IDs that OtherCustomer and OtherMethod put into an answer. Both are unknown.
const (
	OtherCustomerID = "cus_other"
	OtherMethodID   = "pm_other"
)

// Faults in the work. They wait for a call that gets as far as running, and
// those from Decline on for one that confirms a payment.
const (
	LockTimeout      FaultKind = "lock_timeout"       // 429 over a locked object; nothing ran
	ServerError      FaultKind = "server_error"       // 500 that is remembered; nothing ran
	ServerErrorAfter FaultKind = "server_error_after" // 500 that is remembered, though it ran
	Refuse           FaultKind = "refuse"             // 400 with Code: the request is not accepted; nothing ran
	Decline          FaultKind = "decline"            // the issuer refuses, with DeclineCode
	Challenge        FaultKind = "challenge"          // the issuer wants the supporter present, said as a decline code
	RollForward      FaultKind = "roll_forward"       // 500, and after For the payment succeeds
	RollBack         FaultKind = "roll_back"          // 500, and after For the payment fails
	PartialCapture   FaultKind = "partial_capture"    // the payment succeeds, and half of it is captured
)

var networkFaults = []FaultKind{DropRequest, DropAnswer, CutAnswer, Garble, BadGateway, BadGatewayAfter, Delay, RateLimit, KeyInUse, APIKeyRevoked}

// wayFaults are those that befall a call on its way.
var wayFaults = slices.Concat(networkFaults, []FaultKind{Misreport, OtherCustomer, OtherMethod, OtherGroup, OtherMode, ShortCapture})

var workFaults = []FaultKind{LockTimeout, ServerError, ServerErrorAfter, Refuse}

var paymentFaults = []FaultKind{Decline, Challenge, RollForward, RollBack, PartialCapture}

// usualFaults are what a storm draws from if it names no kinds: trouble that passes, with
// answers that are true.
var usualFaults = slices.Concat(networkFaults, []FaultKind{LockTimeout, ServerError, ServerErrorAfter, RollForward, RollBack})

func knownFault(k FaultKind) bool {
	return slices.Contains(slices.Concat(wayFaults, workFaults, paymentFaults), k)
}

// Fault is one thing to go wrong, once.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Op is the operation to befall; empty means the next call that it can.
	Op Op `json:"op,omitempty"`
	// For is how long a Delay lasts and when a RollForward or RollBack comes
	// to pass, in nanoseconds where it is written as JSON.
	For time.Duration `json:"for,omitempty"`
	// DeclineCode is the issuer's reason, with Decline; empty means "generic_decline".
	DeclineCode string `json:"decline_code,omitempty"`
	// Code is the processor's reason, with Refuse; empty means "parameter_unknown".
	Code string `json:"code,omitempty"`
}

// Order makes a fault befall the next call that fits it. Faults that fit the
// same call befall it one after another, in the order given.
func (s *Sim) Order(faults ...Fault) error {
	for _, f := range faults {
		if !knownFault(f.Kind) {
			return fault.New(fault.Invalid, "There is no fault %q", f.Kind).In("kind")
		}
		if f.For < 0 {
			return fault.New(fault.Invalid, "A fault cannot last a negative time").In("for")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st.Faults = append(s.st.Faults, faults...)
	return nil
}

// Storm is trouble drawn from the seed.
type Storm struct {
	// Calls is how many of a thousand calls meet a fault, and Kinds which
	// faults these are; empty means all but Decline, Challenge, Refuse, PartialCapture and
	// the answers that do not fit the question.
	Calls int         `json:"calls"`
	Kinds []FaultKind `json:"kinds,omitempty"`
	// Hooks is how many of a thousand webhook deliveries are lost, doubled,
	// told twice, late, or of the wrong mode or version.
	Hooks int `json:"hooks"`
	// For is how long a Delay lasts and when 500s come to pass; zero means a minute.
	For time.Duration `json:"for,omitempty"`
}

// SetStorm starts trouble, and the zero Storm ends it. Faults that were ordered
// and have not befallen a call yet are kept.
func (s *Sim) SetStorm(storm Storm) error {
	for _, k := range storm.Kinds {
		if !knownFault(k) {
			return fault.New(fault.Invalid, "There is no fault %q", k).In("kinds")
		}
	}
	if storm.Calls < 0 || storm.Calls > 1000 || storm.Hooks < 0 || storm.Hooks > 1000 {
		return fault.New(fault.Invalid, "A chance is from 0 to 1000 in a thousand").In("calls")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st.Storm = storm
	return nil
}

// ClearFaults forgets every fault that has been ordered and ends the storm.
func (s *Sim) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st.Faults, s.st.Hooks, s.st.Storm = nil, nil, Storm{}
}

// takeNetworkFault decides what befalls a call on its way. A fault that the
// storm sends into the work is put in front of those ordered for later.
func (st *state) takeNetworkFault(op Op) Fault {
	if f, ok := st.takeFault(op, wayFaults); ok {
		return f
	}
	f, ok := st.gust(op)
	if !ok {
		return Fault{}
	}
	if slices.Contains(wayFaults, f.Kind) {
		return f
	}
	st.Faults = slices.Insert(st.Faults, 0, f)
	return Fault{}
}

func (st *state) takeFault(op Op, kinds []FaultKind) (Fault, bool) {
	for i, f := range st.Faults {
		if (f.Op == "" || f.Op == op) && slices.Contains(kinds, f.Kind) {
			st.Faults = slices.Delete(st.Faults, i, i+1)
			return f, true
		}
	}
	return Fault{}, false
}

// gust draws a fault of the storm for a call.
func (st *state) gust(op Op) (Fault, bool) {
	if !st.chance(st.Storm.Calls) {
		return Fault{}, false
	}
	kinds := st.Storm.Kinds
	if len(kinds) == 0 {
		kinds = usualFaults
	}
	f := Fault{Kind: kinds[st.pick(len(kinds))], Op: op, For: st.Storm.For}
	if f.For == 0 {
		f.For = time.Minute
	}
	if slices.Contains(paymentFaults, f.Kind) && op != CreateIntent && op != ConfirmIntent {
		return Fault{}, false
	}
	return f, true
}
