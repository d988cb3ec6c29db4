package sestest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/mail"
	"regexp"
	"strings"
)

// request is the body of SendEmail with simple content. Unknown fields are rejected.
type request struct {
	FromEmailAddress     string
	Destination          struct{ ToAddresses []string }
	ReplyToAddresses     []string
	ConfigurationSetName string
	EmailTags            []struct{ Name, Value string }
	Content              struct {
		Simple *struct {
			Subject     *text
			Body        struct{ Text, Html *text } //nolint:staticcheck // SES's own name
			Headers     []struct{ Name, Value string }
			Attachments []struct {
				FileName, ContentType, ContentDisposition, ContentTransferEncoding string
				RawContent                                                         []byte
			}
		}
	}
}

type text struct{ Charset, Data string }

func (t *text) String() string {
	if t == nil {
		return ""
	}
	return t.Data
}

// SES's limits.
const (
	maxTo      = 50
	maxHeaders = 15
	maxTags    = 50
)

var (
	headerName  = regexp.MustCompile(`^[!-9;-@A-~]{1,126}$`)
	headerValue = regexp.MustCompile(`^[ -~]{1,870}$`)
	tagText     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)
	ascii       = regexp.MustCompile(`^[ -~]*$`)
)

// process accepts or refuses the mail of one request. It returns the mail's ID, or a Fault with the
// error to respond with.
func (p *Server) process(body []byte) (string, Fault) {
	var r request
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if d.Decode(&r) != nil {
		return "", Fault{Status: http.StatusBadRequest, Kind: "SerializationException"}
	}
	if !r.valid() {
		return "", Fault{Status: http.StatusBadRequest, Kind: "BadRequestException"}
	}
	if r.ConfigurationSetName != "" && r.ConfigurationSetName != ConfigurationSet {
		return "", Fault{Status: http.StatusNotFound, Kind: "NotFoundException"}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m := r.message(fmt.Sprintf("0102%012d-00000000-0000-4000-8000-000000000000-000000", len(p.accepted)+1))
	p.accepted = append(p.accepted, m)
	return m.ID, Fault{}
}

func (r request) valid() bool {
	s := r.Content.Simple
	if s == nil || s.Subject == nil || s.Body.Text.String()+s.Body.Html.String() == "" ||
		!ascii.MatchString(r.FromEmailAddress) {
		return false
	}
	to := r.Destination.ToAddresses
	if len(to) < 1 || len(to) > maxTo || len(s.Headers) > maxHeaders || len(r.EmailTags) > maxTags {
		return false
	}
	for _, address := range append(append([]string{r.FromEmailAddress}, to...), r.ReplyToAddresses...) {
		if _, err := mail.ParseAddress(address); err != nil {
			return false
		}
	}
	for _, h := range s.Headers {
		if !headerName.MatchString(h.Name) || !headerValue.MatchString(h.Value) {
			return false
		}
	}
	for _, t := range r.EmailTags {
		if !tagText.MatchString(t.Name) || !tagText.MatchString(t.Value) {
			return false
		}
	}
	for _, f := range s.Attachments {
		if f.FileName == "" || len(f.RawContent) == 0 || f.ContentDisposition != "ATTACHMENT" ||
			f.ContentTransferEncoding != "BASE64" {
			return false
		}
	}
	return true
}

// message returns the mail as received by its recipient, with SES's Message-ID in place of the
// sender's.
func (r request) message(id string) Message {
	s := r.Content.Simple
	m := Message{
		ID: id, From: decodeSender(r.FromEmailAddress), To: r.Destination.ToAddresses, ReplyTo: r.ReplyToAddresses,
		Subject: s.Subject.Data, Text: s.Body.Text.String(), HTML: s.Body.Html.String(),
		Headers: map[string]string{}, Tags: map[string]string{}, Set: r.ConfigurationSetName,
	}
	for _, h := range s.Headers {
		m.Headers[h.Name] = h.Value
	}
	m.Headers["Message-ID"] = "<" + id + "@" + Region + ".amazonses.com>"
	for _, t := range r.EmailTags {
		m.Tags[t.Name] = t.Value
	}
	for _, f := range s.Attachments {
		m.Files = append(m.Files, File{f.FileName, f.ContentType, f.RawContent})
	}
	return m
}

// decodeSender returns a sender as mail clients display it.
func decodeSender(from string) string {
	a, err := (&mail.AddressParser{WordDecoder: &mime.WordDecoder{}}).Parse(from)
	if err != nil || a.Name == "" {
		return from
	}
	return strings.TrimSpace(a.Name) + " <" + a.Address + ">"
}
