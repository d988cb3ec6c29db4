// Package resendtest is a fake of Resend's API for tests. It accepts and validates single mails
// and batches as documented, remembers idempotency keys for a day, reports its rate limit,
// sends webhooks, and simulates failures on request.
//
// Sources: https://resend.com/docs/api-reference/emails/send-email,
// https://resend.com/docs/api-reference/emails/send-batch-emails,
// https://resend.com/docs/webhooks/event-types,
// https://resend.com/docs/api-reference/errors and
// https://resend.com/docs/dashboard/emails/idempotency-keys.
package resendtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Key is the API key that the fake accepts.
const Key = "re_test_key"

// keyMemory is how long a key is remembered.
const keyMemory = 24 * time.Hour

// Fault is a simulated failure of one request.
type Fault struct {
	Status   int    // status of the response; 0 breaks the connection
	Name     string // Resend's error name
	After    string // Retry-After header, in seconds
	Accepted bool   // the mail is accepted nevertheless
}

// Email is an accepted mail.
type Email struct {
	ID      string   `json:"-"`
	From    string   `json:"from"`
	To      []string `json:"to"`
	ReplyTo string   `json:"reply_to"`
	Subject string   `json:"subject"`
	Text    string   `json:"text"`
	HTML    string   `json:"html"`
	Files   []struct {
		Name    string `json:"filename"`
		Type    string `json:"content_type"`
		Content []byte `json:"content"`
	} `json:"attachments"`
	Headers map[string]string `json:"headers"`
	Tags    []struct {
		Name, Value string
	} `json:"tags"`
}

type storedResponse struct {
	body []byte
	ids  []string
	at   time.Time
}

// Server is an http.Handler that imitates Resend. It is safe for concurrent use.
type Server struct {
	Now func() time.Time
	// Rate is the limit in requests per second, reported in every response; 0 for no limit.
	Rate int
	// Domains are the domains that the key may send from; nil for any.
	Domains []string
	// Refused lists recipients whose mails are refused. One of them in a batch refuses the whole
	// batch, unless the request asks for permissive validation.
	Refused []string

	mu       sync.Mutex
	keys     map[string]storedResponse
	busy     map[string]bool // keys of running requests
	faults   []Fault
	accepted []Email
	second   time.Time // the second in which requests are counted
	asked    int       // number of requests in that second
}

// FailNext makes the next requests fail, one Fault each, in order.
func (p *Server) FailNext(f ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, f...)
}

// CancelFaults cancels the pending failures.
func (p *Server) CancelFaults() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = nil
}

// Accepted returns the accepted mails without duplicates.
func (p *Server) Accepted() []Email {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Email(nil), p.accepted...)
}

// Hold simulates a running request under a key until release is called.
func (p *Server) Hold(key string) (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy == nil {
		p.busy = map[string]bool{}
	}
	p.busy[key] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.busy, key)
	}
}

// ServeHTTP implements http.Handler.
func (p *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != "/emails" && r.URL.Path != "/emails/batch":
		refuse(w, http.StatusNotFound, "not_found")
		return
	case r.Method != http.MethodPost:
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed")
		return
	case r.Header.Get("User-Agent") == "":
		refuse(w, http.StatusForbidden, "1010")
		return
	case r.Header.Get("Authorization") != "Bearer "+Key:
		refuse(w, http.StatusForbidden, "invalid_api_key")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if !p.count(w.Header()) {
		refuse(w, http.StatusTooManyRequests, "rate_limit_exceeded")
		return
	}
	f, faulty := p.nextFault()
	if faulty && !f.Accepted {
		fail(w, f)
		return
	}
	a := p.process(r, body)
	switch {
	case faulty:
		fail(w, f)
	case a.status != http.StatusOK:
		refuse(w, a.status, a.name)
	case r.URL.Path == "/emails":
		respond(w, http.StatusOK, map[string]any{"id": a.ids[0]})
	default:
		batch := map[string]any{"data": idList(a.ids)}
		if len(a.wrong) > 0 {
			batch["errors"] = a.wrong
		}
		respond(w, http.StatusOK, batch)
	}
}

func idList(ids []string) []map[string]string {
	all := []map[string]string{}
	for _, id := range ids {
		all = append(all, map[string]string{"id": id})
	}
	return all
}

// count counts a request and sets the rate limit headers. It returns false if the limit is
// exceeded.
func (p *Server) count(h http.Header) bool {
	if p.Rate == 0 {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if second := p.Now().Truncate(time.Second); !second.Equal(p.second) {
		p.second, p.asked = second, 0
	}
	p.asked++
	h.Set("Ratelimit-Limit", strconv.Itoa(p.Rate))
	h.Set("Ratelimit-Remaining", strconv.Itoa(max(p.Rate-p.asked, 0)))
	h.Set("Ratelimit-Reset", "1")
	return p.asked <= p.Rate
}

func (p *Server) nextFault() (Fault, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.faults) == 0 {
		return Fault{}, false
	}
	f := p.faults[0]
	p.faults = p.faults[1:]
	return f, true
}

func fail(w http.ResponseWriter, f Fault) {
	if f.Status == 0 {
		panic(http.ErrAbortHandler) // break the connection
	}
	if f.After != "" {
		w.Header().Set("Retry-After", f.After)
	}
	refuse(w, f.Status, f.Name)
}

// result is the result of a request.
type result struct {
	status int
	name   string           // Resend's error name; "" for a success
	ids    []string         // of the accepted mails
	wrong  []map[string]any // errors of a permissive batch
}

func refusedResult(status int, name string) result { return result{status: status, name: name} }

// process accepts or refuses the mails of one request, unless its idempotency key is known. The key
// covers the whole request.
func (p *Server) process(r *http.Request, body []byte) result {
	key := r.Header.Get("Idempotency-Key")
	if len(key) > 256 {
		return refusedResult(http.StatusBadRequest, "invalid_idempotency_key")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	if p.busy[key] {
		return refusedResult(http.StatusConflict, "concurrent_idempotent_requests")
	}
	if k, ok := p.keys[key]; ok && key != "" && now.Sub(k.at) < keyMemory {
		if !bytes.Equal(k.body, body) {
			return refusedResult(http.StatusConflict, "invalid_idempotent_request")
		}
		return result{status: http.StatusOK, ids: k.ids}
	}
	emails, err := parseEmails(r.URL.Path, body)
	if err != nil {
		return refusedResult(http.StatusUnprocessableEntity, "invalid_json")
	}
	if !p.authorized(emails) {
		return refusedResult(http.StatusForbidden, "validation_error")
	}
	permissive := r.Header.Get("x-batch-validation") == "permissive"
	a := result{status: http.StatusOK}
	good := emails[:0]
	for i, e := range emails {
		switch {
		case valid(e) && !slices.ContainsFunc(e.To, func(to string) bool { return slices.Contains(p.Refused, to) }):
			good = append(good, e)
		case !permissive:
			return refusedResult(http.StatusUnprocessableEntity, "validation_error")
		default:
			a.wrong = append(a.wrong, map[string]any{"index": i, "message": "validation_error"})
		}
	}
	for _, e := range good {
		e.ID = fmt.Sprintf("%08d-0000-4000-8000-000000000000", len(p.accepted)+1)
		p.accepted = append(p.accepted, e)
		a.ids = append(a.ids, e.ID)
	}
	if p.keys == nil {
		p.keys = map[string]storedResponse{}
	}
	p.keys[key] = storedResponse{body, a.ids, now}
	return a
}

// authorized reports whether the key may send from all senders' domains.
func (p *Server) authorized(all []Email) bool {
	return p.Domains == nil || !slices.ContainsFunc(all, func(e Email) bool {
		_, domain, _ := strings.Cut(strings.TrimSuffix(e.From, ">"), "@")
		return !slices.Contains(p.Domains, domain)
	})
}

// maxBatch is the maximum number of mails in a request.
const maxBatch = 100

func parseEmails(path string, body []byte) ([]Email, error) {
	if path == "/emails" {
		var e Email
		err := json.Unmarshal(body, &e)
		return []Email{e}, err
	}
	var all []Email
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, err
	}
	if len(all) == 0 || len(all) > maxBatch {
		return nil, errors.New("a batch must have 1 to 100 mails")
	}
	return all, nil
}

var tagText = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

func valid(e Email) bool {
	if _, err := mail.ParseAddress(e.From); err != nil || len(e.To) == 0 || len(e.To) > 50 ||
		e.Subject == "" || e.Text == "" {
		return false
	}
	for _, to := range e.To {
		if _, err := mail.ParseAddress(to); err != nil {
			return false
		}
	}
	for _, t := range e.Tags {
		if !tagText.MatchString(t.Name) || !tagText.MatchString(t.Value) {
			return false
		}
	}
	return true
}

func refuse(w http.ResponseWriter, status int, name string) {
	respond(w, status, map[string]any{"statusCode": status, "name": name, "message": "refused " + strconv.Itoa(status)})
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have gone
}
