package sim

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// FaultKind is a kind of fault in a call.
type FaultKind string

// Network faults. They can affect any call.
const (
	DropRequest     FaultKind = "drop_request"      // the request is lost: nothing runs, no response
	DropAnswer      FaultKind = "drop_answer"       // the request runs, and the response is lost
	CutAnswer       FaultKind = "cut_answer"        // the request runs, and the body is truncated
	CorruptBody     FaultKind = "garble"            // the request runs, and the body is not JSON
	BadGateway      FaultKind = "bad_gateway"       // a proxy's HTML 502; nothing runs
	BadGatewayAfter FaultKind = "bad_gateway_after" // a proxy's HTML 502, although the request ran
	Delay           FaultKind = "delay"             // the request runs at once, and the response takes For
	RateLimit       FaultKind = "rate_limit"        // 429 from the rate limiter
	KeyInUse        FaultKind = "key_in_use"        // 409: a request with the same key is in progress
	APIKeyRevoked   FaultKind = "api_key_revoked"   // 401: the API key is rejected
)

// False responses. They can affect any call, which runs as usual; the books and
// later responses are correct.
const (
	Misreport     FaultKind = "misreport"      // every amount is one cent too large
	OtherCustomer FaultKind = "other_customer" // every customer is OtherCustomerID
	OtherMethod   FaultKind = "other_method"   // every payment method is OtherMethodID
	OtherGroup    FaultKind = "other_group"    // every settlement group in metadata is a different one
	OtherMode     FaultKind = "other_mode"     // livemode is inverted
	ShortCapture  FaultKind = "short_capture"  // half of the captured amount is reported
)

// The IDs that OtherCustomer and OtherMethod put into a response. Neither exists.
const (
	OtherCustomerID = "cus_other"
	OtherMethodID   = "pm_other"
)

// Faults during execution. They stay pending until a call is executed; Decline and the faults
// after it, until a call confirms a payment.
const (
	LockTimeout      FaultKind = "lock_timeout"       // 429 for a locked object; nothing ran
	ServerError      FaultKind = "server_error"       // 500, stored under the key; nothing ran
	ServerErrorAfter FaultKind = "server_error_after" // 500, stored under the key, although the request ran
	Refuse           FaultKind = "refuse"             // 400 with Code: the request is rejected; nothing ran
	Decline          FaultKind = "decline"            // the issuer declines, with DeclineCode
	Challenge        FaultKind = "challenge"          // the issuer requires authentication, as a decline code
	RollForward      FaultKind = "roll_forward"       // 500, and the payment succeeds after For
	RollBack         FaultKind = "roll_back"          // 500, and the payment fails after For
	PartialCapture   FaultKind = "partial_capture"    // the payment succeeds, and half of it is captured
)

var networkFaults = []FaultKind{DropRequest, DropAnswer, CutAnswer, CorruptBody, BadGateway,
	BadGatewayAfter, Delay, RateLimit, KeyInUse, APIKeyRevoked}

// callFaults are applied before a call's execution or to its response.
var callFaults = slices.Concat(networkFaults,
	[]FaultKind{Misreport, OtherCustomer, OtherMethod, OtherGroup, OtherMode, ShortCapture})

var workFaults = []FaultKind{LockTimeout, ServerError, ServerErrorAfter, Refuse}

var paymentFaults = []FaultKind{Decline, Challenge, RollForward, RollBack, PartialCapture}

// defaultStormFaults are the faults of a storm without Kinds: temporary faults with correct
// responses.
var defaultStormFaults = slices.Concat(networkFaults,
	[]FaultKind{LockTimeout, ServerError, ServerErrorAfter, RollForward, RollBack})

func knownFault(k FaultKind) bool {
	return slices.Contains(slices.Concat(callFaults, workFaults, paymentFaults), k)
}

// Fault is a fault to inject once.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Op is the affected operation; empty means any.
	Op Op `json:"op,omitempty"`
	// For is the duration of a Delay, or the time until a RollForward or
	// RollBack, in nanoseconds in JSON.
	For time.Duration `json:"for,omitempty"`
	// DeclineCode is the issuer's reason for Decline; empty means
	// "generic_decline".
	DeclineCode string `json:"decline_code,omitempty"`
	// Code is the processor's reason for Refuse; empty means "parameter_unknown".
	Code string `json:"code,omitempty"`
}

// InjectFaults injects faults into the next calls that they can affect. Several faults for the same
// kind of call affect consecutive calls, in the given order. It fails with Invalid for an unknown
// fault or a negative duration.
func (s *Sim) InjectFaults(faults ...Fault) error {
	for _, f := range faults {
		if !knownFault(f.Kind) {
			return fault.New(fault.Invalid, "Unknown fault %q", f.Kind).In("kind")
		}
		if f.For < 0 {
			return fault.New(fault.Invalid, "A fault's duration cannot be negative").In("for")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st.Faults = append(s.st.Faults, faults...)
	return nil
}

// Storm injects random faults, drawn from the seed.
type Storm struct {
	// Calls is how many of a thousand calls have a fault. Kinds are the possible faults; if it is
	// empty, all except Decline, Challenge, Refuse, PartialCapture and the false responses.
	Calls int         `json:"calls"`
	Kinds []FaultKind `json:"kinds,omitempty"`
	// Hooks is how many of a thousand webhook deliveries are lost, duplicated,
	// late, sent as two events, or have the wrong mode or version.
	Hooks int `json:"hooks"`
	// For is the duration of a Delay and the time until 500s resolve; zero means
	// a minute.
	For time.Duration `json:"for,omitempty"`
}

// SetStorm starts a storm; the zero Storm ends it. Pending faults from Order are
// kept.
func (s *Sim) SetStorm(storm Storm) error {
	for _, k := range storm.Kinds {
		if !knownFault(k) {
			return fault.New(fault.Invalid, "Unknown fault %q", k).In("kinds")
		}
	}
	if storm.Calls < 0 || storm.Calls > 1000 || storm.Hooks < 0 || storm.Hooks > 1000 {
		return fault.New(fault.Invalid, "Rates must be 0 to 1000 per thousand").In("calls")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st.Storm = storm
	return nil
}

// ClearFaults removes all pending faults of calls and webhooks, and ends the storm.
func (s *Sim) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.st.Faults, s.st.Hooks, s.st.Storm = nil, nil, Storm{}
}

// takeCallFault removes and returns the pending fault that affects a call before its execution or
// changes its response, or draws one from the storm. If the storm draws a fault of the execution,
// that is queued ahead of those from Order.
func (st *state) takeCallFault(op Op) Fault {
	if f, ok := st.takeFault(op, callFaults); ok {
		return f
	}
	f, ok := st.drawStormFault(op)
	if !ok {
		return Fault{}
	}
	if slices.Contains(callFaults, f.Kind) {
		return f
	}
	st.Faults = slices.Insert(st.Faults, 0, f)
	return Fault{}
}

// takeFault removes and returns the first pending fault of one of the kinds for an operation.
func (st *state) takeFault(op Op, kinds []FaultKind) (Fault, bool) {
	for i, f := range st.Faults {
		if (f.Op == "" || f.Op == op) && slices.Contains(kinds, f.Kind) {
			st.Faults = slices.Delete(st.Faults, i, i+1)
			return f, true
		}
	}
	return Fault{}, false
}

// drawStormFault draws a random fault for a call; ok is false if the call has none.
func (st *state) drawStormFault(op Op) (f Fault, ok bool) {
	if !st.chance(st.Storm.Calls) {
		return Fault{}, false
	}
	kinds := st.Storm.Kinds
	if len(kinds) == 0 {
		kinds = defaultStormFaults
	}
	f = Fault{Kind: kinds[st.pick(len(kinds))], Op: op, For: st.Storm.For}
	if f.For == 0 {
		f.For = time.Minute
	}
	if slices.Contains(paymentFaults, f.Kind) && op != CreateIntent && op != ConfirmIntent {
		return Fault{}, false
	}
	return f, true
}
