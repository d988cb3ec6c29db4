// Package sestest is a fake of Amazon SES, and of the SNS topic it publishes to, for tests. It
// accepts mails as documented, verifies signatures, has no idempotency keys, publishes events,
// and simulates failures on request.
//
// Sources: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html and the
// types it refers to, https://docs.aws.amazon.com/ses/latest/dg/header-fields.html,
// https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html, and the sources
// of SNS.
package sestest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The access key that the fake accepts, and its region.
const (
	KeyID  = "AKIDEXAMPLE"
	Secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	Region = "eu-west-1"
)

// ConfigurationSet is the only configuration set.
const ConfigurationSet = "pledges"

// Fault is a simulated failure of one request.
type Fault struct {
	Status   int    // status of the response; 0 breaks the connection
	Kind     string // SES's error type; "" for a response from a proxy
	Text     string // SES's message; "" for a default
	Accepted bool   // the mail is accepted nevertheless
}

// Message is an accepted mail as received by its recipient.
type Message struct {
	ID      string
	From    string
	To      []string
	ReplyTo []string
	Subject string
	Text    string
	HTML    string
	Headers map[string]string
	Files   []File
	Tags    map[string]string
	Set     string // name of the configuration set
}

// File is an attachment.
type File struct {
	Name, Type string
	Content    []byte
}

// Server is an http.Handler that imitates SES. It is safe for concurrent use.
type Server struct {
	Now func() time.Time

	mu       sync.Mutex
	faults   []Fault
	accepted []Message
}

// FailNext makes the next requests fail, one Fault each, in order.
func (p *Server) FailNext(f ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, f...)
}

// Accepted returns the accepted mails.
func (p *Server) Accepted() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Message(nil), p.accepted...)
}

// maxRequest limits a request, in bytes: 40 MB of mail in base64.
const maxRequest = 56 << 20

// ServeHTTP implements http.Handler.
func (p *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v2/email/outbound-emails" || r.Method != http.MethodPost {
		refuse(w, Fault{Status: http.StatusNotFound, Kind: "UnknownOperationException"})
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	if err != nil {
		return
	}
	if why := p.signatureError(r, body); why != "" {
		refuse(w, Fault{Status: http.StatusForbidden, Kind: why})
		return
	}
	f, faulty := p.nextFault()
	switch {
	case faulty && !f.Accepted:
		fail(w, f)
		return
	case len(body) > maxRequest:
		refuse(w, Fault{Status: http.StatusRequestEntityTooLarge})
		return
	}
	id, wrong := p.process(body)
	switch {
	case faulty:
		fail(w, f)
	case wrong.Status != 0:
		refuse(w, wrong)
	default:
		respond(w, http.StatusOK, map[string]string{"MessageId": id})
	}
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
	refuse(w, f)
}

// refuse writes an error response with a message like SES's, which contains an address. The
// error type is in a header, or in the body if a gateway before SES responded.
func refuse(w http.ResponseWriter, f Fault) {
	if f.Kind == "" {
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, "<html></html>") // the client may have gone
		return
	}
	text := f.Text
	if text == "" {
		text = "It is about ana@example.com."
	}
	message := map[string]string{"message": text}
	if strings.HasPrefix(f.Kind, "com.amazon") {
		message["__type"] = f.Kind
	} else {
		w.Header().Set("X-Amzn-Errortype", f.Kind+":http://internal.amazon.com/coral/com.amazonaws.ses/")
	}
	respond(w, f.Status, message)
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have gone
}
