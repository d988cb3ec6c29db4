// Package postmarktest is a fake of Postmark's API for tests. It accepts and validates single
// mails and batches as documented, has no idempotency keys, sends webhooks, and simulates
// failures on request.
//
// Its broadcast stream leaves unsubscribe handling to the sender. It reports no rate limit.
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

// Token is the server token that the fake accepts.
const Token = "00000000-0000-4000-8000-00000000test"

// Inactive is the error code for a recipient who bounced, complained or unsubscribed.
const Inactive = 406

// The error codes that the fake returns itself.
const (
	ok          = 0
	badToken    = 10
	invalid     = 300
	notJSON     = 402
	wrongFields = 403
	tooMany     = 410
	noStream    = 1235
)

// Fault is a simulated failure of one request.
type Fault struct {
	Status   int    // status of the response; 0 breaks the connection
	Code     int    // Postmark's error code; 0 simulates a response from a proxy
	After    string // Retry-After header in seconds, as only proxies send it
	Accepted bool   // the mail is accepted nevertheless
}

// Message is an accepted mail.
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
	TrackOpens    *bool // nil for the server's setting
	TrackLinks    string
}

// Server is an http.Handler that imitates Postmark. It is safe for concurrent use.
type Server struct {
	Now func() time.Time

	mu       sync.Mutex
	faults   []Fault
	fails    map[string]int // codes by recipient
	accepted []Message
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

// Fail makes the fake refuse every mail to an address with a code, such as 406 for an inactive
// recipient. With 0, they are accepted again.
func (p *Server) Fail(to string, code int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fails == nil {
		p.fails = map[string]int{}
	}
	p.fails[to] = code
}

// Accepted returns the accepted mails.
func (p *Server) Accepted() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Message(nil), p.accepted...)
}

// ServeHTTP implements http.Handler.
func (p *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	f, faulty := p.nextFault()
	if faulty && !f.Accepted {
		fail(w, f)
		return
	}
	if int64(len(body)) > limit {
		refuse(w, http.StatusRequestEntityTooLarge, ok)
		return
	}
	status, response := p.process(r.URL.Path, body)
	if faulty {
		fail(w, f)
		return
	}
	respond(w, status, response)
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
	refuse(w, f.Status, f.Code)
}

// refuse writes an error response of Postmark, or of a proxy if code is ok.
func refuse(w http.ResponseWriter, status, code int) {
	if code == ok {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<html>"+strconv.Itoa(status)+"</html>") // the client may have gone
		return
	}
	respond(w, status, refusal(code, ""))
}

// refusal returns an error response with a message like Postmark's, which contains the recipient's
// address.
func refusal(code int, to string) map[string]any {
	return map[string]any{"ErrorCode": code, "Message": strings.TrimSpace("You tried to send to " + to + ".")}
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have gone
}
