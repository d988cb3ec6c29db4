package resend_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
)

// published holds the schemas of Resend's requests and responses from its OpenAPI document.
type published struct{ email, batch, key, sent, batchSent *jsonschema.Schema }

func readPublished(t testing.TB) published {
	const name = "testdata/emails.schema.json"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	of := func(part string) *jsonschema.Schema {
		s, err := c.Compile(name + "#/$defs/" + part)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return published{of("email"), of("batch"), of("idempotencyKey"), of("sent"), of("batchSent")}
}

// checkRequest validates a request against the published schema.
func (p published) checkRequest(path string, header http.Header, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	if err := p.key.Validate(header.Get("Idempotency-Key")); err != nil {
		return err
	}
	if path == "/emails/batch" {
		return p.batch.Validate(value)
	}
	return p.email.Validate(value)
}

// checkResponse validates a successful response against the published schema.
func (p published) checkResponse(path string, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	if path == "/emails/batch" {
		return p.batchSent.Validate(value)
	}
	return p.sent.Validate(value)
}

// checkPublished wraps a handler and checks its requests and responses against the published
// schemas.
func checkPublished(t testing.TB, by http.Handler) http.Handler {
	p := readPublished(t)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		if err := p.checkRequest(r.URL.Path, r.Header, body); err != nil {
			t.Errorf("request to %s does not match the published schema: %v\n%.500s", r.URL.Path, err, body)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		by.ServeHTTP(answer, r)
		if answer.Code == http.StatusOK {
			if err := p.checkResponse(r.URL.Path, answer.Body.Bytes()); err != nil {
				t.Errorf("response does not match the published schema: %v\n%.500s", err, answer.Body)
			}
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // the client may have gone
	})
}

// All content of a mail is sent in published fields, in single requests and in batches. The other
// tests use the same check.
func TestSend_MatchesPublishedSchema(t *testing.T) {
	s, w := open(t)
	m := notifytest.MailTo("ana")
	m.HTML, m.Kind, m.Stream, m.Campaign = "<p>Hola</p>\n", notify.DiaryEntry, notify.Updates, "noche"
	m.Unsubscribe = "https://example.org/unsubscribe?t=a"
	if _, err := s.SendBatch(t.Context(), "one", []notify.Mail{m, notifytest.MailTo("bob")}); err != nil {
		t.Error(err)
	}
	m.Key += "2"
	m.Attachment = notify.Attachment{Name: "pledges-noche.csv", Text: "name\nAna\n"}
	if _, err := s.Send(t.Context(), m); err != nil || len(w.Accepted()) != 3 {
		t.Errorf("%d accepted, %v", len(w.Accepted()), err)
	}
}

// The check detects misspelled, mistyped, superfluous and missing fields.
func TestPublishedSchema_DetectsMistakes(t *testing.T) {
	p := readPublished(t)
	mail := func(change map[string]any) map[string]any {
		m := map[string]any{"from": "pledges@example.org", "to": []string{"ana@example.com"},
			"subject": "Hi", "text": "Hello"}
		maps.Copy(m, change)
		maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
		return m
	}
	const one, batch = "/emails", "/emails/batch"
	type fields = map[string]any
	for name, tt := range map[string]struct {
		path  string
		body  any
		key   string
		holds bool
	}{
		"a mail":      {path: one, body: mail(nil), holds: true},
		"one address": {path: one, body: mail(fields{"to": "ana@example.com"}), holds: true},
		"replyTo":     {path: one, body: mail(fields{"replyTo": "help@example.org"})},
		"contentType": {path: one,
			body: mail(fields{"attachments": []fields{{"filename": "a", "contentType": "text/csv"}}})},
		"a tag's key":       {path: one, body: mail(fields{"tags": []fields{{"key": "a", "value": "b"}}})},
		"a tag with a dot":  {path: one, body: mail(fields{"tags": []fields{{"name": "a", "value": "b.c"}}})},
		"headers in a list": {path: one, body: mail(fields{"headers": []fields{{"name": "a", "value": "b"}}})},
		"no sender":         {path: one, body: mail(fields{"from": nil})},
		"no subject":        {path: one, body: mail(fields{"subject": nil})},
		"51 recipients": {path: one,
			body: mail(fields{"to": strings.Fields(strings.Repeat("a@example.com ", 51))})},
		"batch":                   {path: batch, body: []any{mail(nil)}, holds: true},
		"a batch of 101":          {path: batch, body: slices.Repeat([]any{mail(nil)}, 101)},
		"a batch with a file":     {path: batch, body: []any{mail(fields{"attachments": []fields{{"filename": "a"}}})}},
		"scheduled batch":         {path: batch, body: []any{mail(fields{"scheduled_at": "in 1 min"})}},
		"a mail as a batch":       {path: batch, body: mail(nil)},
		"a key of 256 characters": {path: one, body: mail(nil), key: strings.Repeat("a", 256), holds: true},
		"a key of 257 characters": {path: one, body: mail(nil), key: strings.Repeat("a", 257)},
	} {
		body, err := json.Marshal(tt.body)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.checkRequest(tt.path, http.Header{"Idempotency-Key": {tt.key}}, body); (err == nil) != tt.holds {
			t.Errorf("%s: %v", name, err)
		}
	}
}
