// Package sestest is a peer of Amazon SES and of the SNS topic that it publishes to, for
// tests: it takes mails as the documentation says, checks their signatures, knows nothing of
// what it was sent before, publishes what became of mails, and misbehaves when it is told to.
//
// Sources: https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html and the
// types that it names, https://docs.aws.amazon.com/ses/latest/dg/header-fields.html,
// https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html and, for
// topics, those that SNS names.
package sestest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The access key that the peer takes, and where it is.
const (
	KeyID  = "AKIDEXAMPLE"
	Secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	Region = "eu-west-1"
)

// ConfigurationSet is the one that there is.
const ConfigurationSet = "pledges"

// Fault is what goes wrong with one request.
type Fault struct {
	Status int    // answered instead of taking the mail; 0: no answer
	Kind   string // of SES's error; "": an answer that is not SES's
	Text   string // what SES says beside it; "" for what it usually does
	Taken  bool   // the mail was taken all the same
}

// Message is a mail that was taken, and how recipients have it.
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
	Set     string // the configuration set's name
}

// File is an attachment.
type File struct {
	Name, Type string
	Content    []byte
}

// Peer is an http.Handler. It is safe for concurrent use.
type Peer struct {
	Now func() time.Time

	mu     sync.Mutex
	faults []Fault
	taken  []Message
}

// Order has requests to come go wrong, one after another.
func (p *Peer) Order(f ...Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, f...)
}

// Taken returns the mails that are delivered.
func (p *Peer) Taken() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Message(nil), p.taken...)
}

// maxRequest is how long a request is at most: 40 MB of mail, in base64.
const maxRequest = 56 << 20

// ServeHTTP implements http.Handler.
func (p *Peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v2/email/outbound-emails" || r.Method != http.MethodPost {
		refuse(w, Fault{Status: http.StatusNotFound, Kind: "UnknownOperationException"})
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	if err != nil {
		return
	}
	if why := p.unsigned(r, body); why != "" {
		refuse(w, Fault{Status: http.StatusForbidden, Kind: why})
		return
	}
	f, faulty := p.fault()
	switch {
	case faulty && !f.Taken:
		misbehave(w, f)
		return
	case len(body) > maxRequest:
		refuse(w, Fault{Status: http.StatusRequestEntityTooLarge})
		return
	}
	id, wrong := p.take(body)
	switch {
	case faulty:
		misbehave(w, f)
	case wrong.Status != 0:
		refuse(w, wrong)
	default:
		answer(w, http.StatusOK, map[string]string{"MessageId": id})
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
	refuse(w, f)
}

// refuse answers with an error as SES words it: with an address. Its kind stands in a header,
// and in the body where the request did not get as far as SES.
func refuse(w http.ResponseWriter, f Fault) {
	if f.Kind == "" {
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, "<html></html>") // the caller may have gone away
		return
	}
	text := f.Text
	if text == "" {
		text = "It is about ana@example.com."
	}
	said := map[string]string{"message": text}
	if strings.HasPrefix(f.Kind, "com.amazon") {
		said["__type"] = f.Kind
	} else {
		w.Header().Set("X-Amzn-Errortype", f.Kind+":http://internal.amazon.com/coral/com.amazonaws.ses/")
	}
	answer(w, f.Status, said)
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the caller may have gone away
}
