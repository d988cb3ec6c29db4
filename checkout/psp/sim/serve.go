package sim

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// idempotencyRecord is the stored response of an idempotency key.
type idempotencyRecord struct {
	Request [32]byte // method, path and canonical parameters
	Status  int
	Body    json.RawMessage
	Created time.Time
	// Until is when the delayed response arrives; before that, requests with the same key
	// conflict with the running one.
	Until time.Time
}

// Serve responds to one call. The checks have the processor's order: API key,
// version, rate limiter, idempotency key, parameters, and then the execution.
func (s *Sim) Serve(c Call) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.runDueTasks()

	r, id, ok := findRoute(c.Method, c.Path)
	if !ok {
		return s.refuse(invalidURL(c))
	}
	net := s.st.takeCallFault(r.op)
	if net.Kind == DropRequest {
		return Answer{Lost: true}
	}
	s.st.Received[r.op]++
	if net.Kind == BadGateway {
		return Answer{Status: 502, HTML: true, Body: []byte(badGateway)}
	}
	a := s.checkAndRun(now, c, r, id, net)
	switch net.Kind {
	case DropAnswer:
		a = Answer{Lost: true}
	case CutAnswer:
		a.Cut = true
	case CorruptBody:
		a.Body = []byte(`{"id": "` + strings.Repeat("?", 8))
	case BadGatewayAfter:
		a = Answer{Status: 502, HTML: true, Body: []byte(badGateway)}
	case Delay:
		a.Wait = net.For
	default:
		a.Body = falsify(a.Body, net.Kind)
	}
	a.Date = now
	return a
}

const badGateway = "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n"

func findRoute(method, path string) (route, string, bool) {
	for _, r := range table {
		if id, ok := r.match(method, path); ok {
			return r, id, true
		}
	}
	return route{}, "", false
}

// checkAndRun checks the API key, the version, the rate limits and the idempotency key, and then
// runs the call.
func (s *Sim) checkAndRun(now time.Time, c Call, r route, id string, net Fault) Answer {
	if net.Kind == APIKeyRevoked {
		c.APIKey = ""
	}
	if e := s.authenticate(c.APIKey); e != nil {
		return s.refuse(e)
	}
	if c.Version != psp.Version {
		return s.refuse(invalid("", "", "This account requires API version "+psp.Version+", not '"+c.Version+"'"))
	}
	if e := s.checkLimits(now, r.op, net.Kind); e != nil {
		return s.refuse(e)
	}
	if c.Method != "POST" || c.Key == "" {
		return s.run(now, c, r, id, nil)
	}
	if len(c.Key) > 255 {
		return s.refuse(invalid("", "", "An idempotency key has at most 255 characters"))
	}
	return s.runIdempotent(now, c, r, id, net)
}

// runIdempotent runs a call with an idempotency key or replays its stored
// response.
func (s *Sim) runIdempotent(now time.Time, c Call, r route, id string, net Fault) Answer {
	print := fingerprint(c)
	if k := s.st.Keys[c.Key]; k != nil && now.Sub(k.Created) < s.opts.KeepKeys {
		if k.Request != print {
			return s.refuse(&apiError{status: 400, kind: "idempotency_error",
				message: "Keys for idempotent requests can only be used with the same parameters they were first used with"})
		}
		if now.Before(k.Until) || net.Kind == KeyInUse {
			return s.refuse(keyInUse())
		}
		return Answer{Status: k.Status, Body: k.Body, RequestID: s.requestID(), Replayed: true}
	}
	if net.Kind == KeyInUse {
		return s.refuse(keyInUse())
	}
	k := &idempotencyRecord{Request: print, Created: now}
	if net.Kind == Delay {
		k.Until = now.Add(net.For)
	}
	return s.run(now, c, r, id, k)
}

// run checks the parameters, executes the request and, if k is set, stores the
// response of an execution that was started.
func (s *Sim) run(now time.Time, c Call, r route, id string, k *idempotencyRecord) Answer {
	form, e := parseForm(c.Form, r.params)
	if e != nil {
		return s.refuse(e)
	}
	expand := list(form, "expand")
	if e := checkExpand(expand); e != nil {
		return s.refuse(e)
	}
	a := Answer{Status: 200, RequestID: s.requestID()}
	obj, e := s.execute(r, request{now: now, op: r.op, id: id, form: form})
	if e != nil {
		a = s.refuse(e)
	} else {
		s.expand(obj, expand)
		a.Body = encode(obj)
	}
	started := a.Status == 200 || a.Status == 402 || a.Status >= 500
	if k != nil && started {
		k.Status, k.Body = a.Status, a.Body
		s.st.Keys[c.Key] = k
	}
	return a
}

// execute validates and executes a request, or applies a fault during its execution.
func (s *Sim) execute(r route, req request) (object, *apiError) {
	do, e := r.check(s, req)
	if e != nil {
		return nil, e
	}
	f, ok := s.st.takeFault(r.op, workFaults)
	if !ok {
		return do()
	}
	switch f.Kind {
	case LockTimeout:
		return nil, &apiError{status: 429, kind: "invalid_request_error", code: "lock_timeout",
			message: "This object cannot be accessed right now because another request is accessing it"}
	case Refuse:
		// The processor's messages may contain personal data, so this one does
		// too.
		return nil, invalid("", cmp.Or(f.Code, "parameter_unknown"),
			"The request of ada@example.org is not accepted (pi_1_secret_2)")
	case ServerErrorAfter:
		do()
		return nil, serverError()
	default:
		return nil, serverError()
	}
}

func serverError() *apiError {
	return &apiError{status: 500, kind: "api_error", message: "An unknown error occurred"}
}

func (s *Sim) refuse(e *apiError) Answer {
	return Answer{Status: e.status, Body: e.body(), RequestID: s.requestID(), Limited: e.limited, Retry: e.retry}
}

func (s *Sim) requestID() string { return "req_" + s.st.randomID(14) }

func fingerprint(c Call) [32]byte {
	form := c.Form
	if v, err := url.ParseQuery(c.Form); err == nil {
		form = v.Encode()
	}
	return sha256.Sum256([]byte(c.Method + " " + c.Path + "\n" + form))
}

func keyInUse() *apiError {
	return &apiError{status: 409, kind: "idempotency_error", code: "idempotency_key_in_use", retry: "true",
		message: "There is currently another in-progress request using this idempotency key"}
}

func invalidURL(c Call) *apiError {
	e := invalid("", "", "Unrecognized request URL ("+c.Method+": "+c.Path+")")
	e.status = 404
	return e
}

// authenticate accepts the configured API key, or any key of the simulator's
// mode.
func (s *Sim) authenticate(key string) *apiError {
	good := strings.HasPrefix(key, "sk_"+string(s.opts.Mode)+"_")
	if s.opts.APIKey != "" {
		good = key == s.opts.APIKey
	}
	if good {
		return nil
	}
	sum := sha256.Sum256([]byte(key))
	return &apiError{status: 401, kind: "invalid_request_error",
		message: "Invalid API Key provided (fingerprint " + hex.EncodeToString(sum[:4]) + ")"}
}
