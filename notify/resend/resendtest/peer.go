// Package resendtest is a peer of Resend's API for tests: it takes mails as Resend's
// documentation says, knows keys for a day, and misbehaves when it is told to.
//
// Sources: https://resend.com/docs/api-reference/emails/send-email,
// https://resend.com/docs/api-reference/errors and
// https://resend.com/docs/dashboard/emails/idempotency-keys.
package resendtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// Key is the API key that the peer takes.
const Key = "re_test_key"

// memory is how long a key is known.
const memory = 24 * time.Hour

// Fault is what goes wrong with one request.
type Fault struct {
	Status int    // answered instead of taking the mail; 0: no answer
	Name   string // the error's
	After  string // the Retry-After header, in seconds
	Left   string // the ratelimit-remaining header, with a limit of 5 and a reset in 3 s; "" for none
	Taken  bool   // the mail was taken all the same
}

// Email is a mail that was taken.
type Email struct {
	ID      string            `json:"-"`
	From    string            `json:"from"`
	To      []string          `json:"to"`
	ReplyTo string            `json:"reply_to"`
	Subject string            `json:"subject"`
	Text    string            `json:"text"`
	HTML    string            `json:"html"`
	Headers map[string]string `json:"headers"`
	Tags    []struct {
		Name, Value string
	} `json:"tags"`
}

type known struct {
	body []byte
	id   string
	at   time.Time
}

// Peer is an http.Handler. It is safe for concurrent use.
type Peer struct {
	Now func() time.Time

	mu     sync.Mutex
	keys   map[string]known
	faults []Fault
	taken  []Email
}

// Order has requests to come go wrong, one after another.
func (p *Peer) Order(f ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, f...)
}

// Taken returns the mails that are delivered, each once.
func (p *Peer) Taken() []Email {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Email(nil), p.taken...)
}

// ServeHTTP implements http.Handler.
func (p *Peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != "/emails":
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
	f, faulty := p.fault()
	if faulty && !f.Taken {
		misbehave(w, f)
		return
	}
	status, name, id := p.take(r.Header.Get("Idempotency-Key"), body)
	switch {
	case faulty:
		misbehave(w, f)
	case status != http.StatusOK:
		refuse(w, status, name)
	default:
		answer(w, http.StatusOK, map[string]any{"id": id})
	}
}

func (p *Peer) fault() (Fault, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.faults) == 0 {
		return Fault{}, false
	}
	f := p.faults[0]
	p.faults = p.faults[1:]
	return f, true
}

func misbehave(w http.ResponseWriter, f Fault) {
	if f.Status == 0 {
		panic(http.ErrAbortHandler) // the connection breaks
	}
	if f.After != "" {
		w.Header().Set("Retry-After", f.After)
	}
	if f.Left != "" {
		w.Header().Set("Ratelimit-Limit", "5")
		w.Header().Set("Ratelimit-Remaining", f.Left)
		w.Header().Set("Ratelimit-Reset", "3")
	}
	if f.Status == http.StatusOK {
		answer(w, f.Status, map[string]any{"id": "00000000-0000-4000-8000-000000000000"})
		return
	}
	refuse(w, f.Status, f.Name)
}

// take is one request under a key.
func (p *Peer) take(key string, body []byte) (status int, name, id string) {
	if len(key) > 256 {
		return http.StatusBadRequest, "invalid_idempotency_key", ""
	}
	var e Email
	if err := json.Unmarshal(body, &e); err != nil {
		return http.StatusUnprocessableEntity, "invalid_json", ""
	}
	if !valid(e) {
		return http.StatusUnprocessableEntity, "validation_error", ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	if k, ok := p.keys[key]; ok && key != "" && now.Sub(k.at) < memory {
		if !bytes.Equal(k.body, body) {
			return http.StatusConflict, "invalid_idempotent_request", ""
		}
		return http.StatusOK, "", k.id
	}
	e.ID = fmt.Sprintf("%08d-0000-4000-8000-000000000000", len(p.taken)+1)
	p.taken = append(p.taken, e)
	if p.keys == nil {
		p.keys = map[string]known{}
	}
	p.keys[key] = known{body, e.ID, now}
	return http.StatusOK, "", e.ID
}

var tagText = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

func valid(e Email) bool {
	if _, err := mail.ParseAddress(e.From); err != nil || len(e.To) == 0 || len(e.To) > 50 || e.Subject == "" || e.Text == "" {
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
	answer(w, status, map[string]any{"statusCode": status, "name": name, "message": "refused " + strconv.Itoa(status)})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the caller may have gone away
}
