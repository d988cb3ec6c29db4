// Package postmarktest is a peer of Postmark's API for tests: it takes mails as Postmark's
// documentation says, one by one and in batches, knows nothing of what it was sent before,
// reports what became of mails, and misbehaves when it is told to.
//
// Its broadcast stream leaves unsubscribing to the sender. It publishes no rate.
//
// Sources: https://postmarkapp.com/developer/api/email-api,
// https://postmarkapp.com/developer/api/overview#error-codes,
// https://postmarkapp.com/developer/user-guide/send-email-with-api/batch-emails,
// https://postmarkapp.com/support/article/1125-custom-metadata-faq and
// https://postmarkapp.com/support/article/1056-what-are-the-attachment-and-email-size-limits.
package postmarktest

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Token is the server token that the peer takes.
const Token = "00000000-0000-4000-8000-00000000test"

// Inactive is the error code of a recipient who has bounced, complained or unsubscribed.
const Inactive = 406

// The error codes that the peer answers by itself.
const (
	ok          = 0
	badToken    = 10
	invalid     = 300
	notJSON     = 402
	wrongFields = 403
	tooMany     = 410
	noStream    = 1235
)

// Fault is what goes wrong with one request.
type Fault struct {
	Status int    // answered instead of taking the mail; 0: no answer
	Code   int    // Postmark's error code; 0: an answer that is not Postmark's
	After  string // the Retry-After header, in seconds, which only what stands before Postmark sends
	Taken  bool   // the mail was taken all the same
}

// Message is a mail that was taken.
type Message struct {
	ID          string `json:"-"`
	From        string
	To          string
	ReplyTo     string
	Subject     string
	TextBody    string
	HTMLBody    string `json:"HtmlBody"`
	Attachments []struct {
		Name, ContentType string
		Content           []byte
	}
	MessageStream string
	Headers       []struct{ Name, Value string }
	Tag           string
	Metadata      map[string]string
	TrackOpens    *bool // nil: as the server is set
	TrackLinks    string
}

// Peer is an http.Handler. It is safe for concurrent use.
type Peer struct {
	Now func() time.Time

	mu     sync.Mutex
	faults []Fault
	fails  map[string]int // codes by recipient
	taken  []Message
}

// Order has requests to come go wrong, one after another.
func (p *Peer) Order(f ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, f...)
}

// Withdraw takes back what was ordered and has not happened.
func (p *Peer) Withdraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = nil
}

// Fail has every mail to an address refused with a code, such as 406 for a recipient who is
// inactive; 0 takes them again.
func (p *Peer) Fail(to string, code int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fails == nil {
		p.fails = map[string]int{}
	}
	p.fails[to] = code
}

// Taken returns the mails that are delivered.
func (p *Peer) Taken() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Message(nil), p.taken...)
}

// ServeHTTP implements http.Handler.
func (p *Peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	limit := map[string]int64{"/email": maxMessage, "/email/batch": maxBatchBody}[r.URL.Path]
	switch {
	case limit == 0:
		refuse(w, http.StatusNotFound, ok)
		return
	case r.Method != http.MethodPost:
		refuse(w, http.StatusMethodNotAllowed, ok)
		return
	case r.Header.Get("X-Postmark-Server-Token") != Token:
		refuse(w, http.StatusUnauthorized, badToken)
		return
	case r.Header.Get("Accept") != "application/json" || r.Header.Get("Content-Type") != "application/json":
		refuse(w, http.StatusUnsupportedMediaType, ok)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return
	}
	f, faulty := p.fault()
	if faulty && !f.Taken {
		misbehave(w, f)
		return
	}
	if int64(len(body)) > limit {
		refuse(w, http.StatusRequestEntityTooLarge, ok)
		return
	}
	status, said := p.take(r.URL.Path, body)
	if faulty {
		misbehave(w, f)
		return
	}
	answer(w, status, said)
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
	refuse(w, f.Status, f.Code)
}

// refuse answers with an error of Postmark's, or where there is no code as something else
// does that stands before it.
func refuse(w http.ResponseWriter, status, code int) {
	if code == ok {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<html>"+strconv.Itoa(status)+"</html>") // the caller may have gone away
		return
	}
	answer(w, status, refusal(code, ""))
}

// refusal is an error as Postmark words it: with the recipient's address.
func refusal(code int, to string) map[string]any {
	return map[string]any{"ErrorCode": code, "Message": strings.TrimSpace("You tried to send to " + to + ".")}
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the caller may have gone away
}
