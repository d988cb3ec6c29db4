package postmarktest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"unicode/utf8"
)

// Postmark's limits: of messages and bodies in bytes, of tags and metadata in characters, of the
// others in items.
const (
	maxMessage   = 10 << 20
	maxBatchBody = 50 << 20
	maxBody      = 5 << 20
	maxBatch     = 500
	maxTo        = 50
	maxTag       = 1000
	maxFields    = 10
	maxName      = 20
	maxValue     = 80
)

// process accepts or refuses the mails of one request and returns the response. Each mail of a
// batch has its own result in a response with status 200, unless the batch as a whole is invalid.
func (p *Server) process(path string, body []byte) (status int, response any) {
	if !json.Valid(body) {
		return http.StatusUnprocessableEntity, refusal(notJSON, "")
	}
	if path == "/email" {
		answered := p.accept(body)
		if answered["ErrorCode"] != ok {
			return http.StatusUnprocessableEntity, answered
		}
		return http.StatusOK, answered
	}
	var batch []json.RawMessage
	if json.Unmarshal(body, &batch) != nil {
		return http.StatusUnprocessableEntity, refusal(wrongFields, "")
	}
	if len(batch) > maxBatch {
		return http.StatusUnprocessableEntity, refusal(tooMany, "")
	}
	all := []map[string]any{}
	for _, one := range batch {
		all = append(all, p.accept(one))
	}
	return http.StatusOK, all
}

// accept accepts or refuses one mail and returns Postmark's result for it.
func (p *Server) accept(body []byte) map[string]any {
	var m Message
	if json.Unmarshal(body, &m) != nil {
		return refusal(wrongFields, "")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	code := p.fails[m.To]
	switch {
	case len(body) > maxMessage || !m.valid():
		code = invalid
	case !slices.Contains([]string{"outbound", "broadcast"}, m.MessageStream):
		code = noStream
	}
	if code != ok {
		return refusal(code, m.To)
	}
	m.ID = fmt.Sprintf("%08d-0000-4000-8000-000000000000", len(p.accepted)+1)
	m.setMessageID()
	p.accepted = append(p.accepted, m)
	return map[string]any{"To": m.To, "SubmittedAt": p.Now(), "MessageID": m.ID, "ErrorCode": ok, "Message": "OK"}
}

// setMessageID replaces the Message-ID with one of Postmark's, unless the mail has the header to
// keep it.
func (m *Message) setMessageID() {
	kept, was := false, ""
	headers := m.Headers[:0]
	for _, h := range m.Headers {
		switch {
		case strings.EqualFold(h.Name, "X-PM-KeepID"):
			kept = h.Value == "true"
		case strings.EqualFold(h.Name, "Message-ID"):
			was = h.Value
		default:
			headers = append(headers, h)
		}
	}
	if !kept || was == "" {
		was = "<" + m.ID + "@mtasv.net>"
	}
	m.Headers = append(headers, struct{ Name, Value string }{"Message-ID", was})
}

func (m *Message) valid() bool {
	if _, err := mail.ParseAddress(m.From); err != nil {
		return false
	}
	to, err := mail.ParseAddressList(m.To)
	if err != nil || len(to) > maxTo || m.TextBody+m.HTMLBody == "" || len(m.TextBody) > maxBody ||
		len(m.HTMLBody) > maxBody {
		return false
	}
	if !slices.Contains([]string{"", "None", "HtmlAndText", "HtmlOnly", "TextOnly"}, m.TrackLinks) {
		return false
	}
	return utf8.RuneCountInString(m.Tag) <= maxTag && validMetadata(m.Metadata)
}

func validMetadata(metadata map[string]string) bool {
	for name, value := range metadata {
		if utf8.RuneCountInString(name) > maxName || utf8.RuneCountInString(value) > maxValue {
			return false
		}
	}
	return len(metadata) <= maxFields
}
