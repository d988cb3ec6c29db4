package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
)

// Header fields with data that mail programs do not need.
const (
	keyField         = "X-Pledgeworks-Key"
	kindField        = "X-Pledgeworks-Category"
	langField        = "Content-Language"
	streamField      = "X-Pledgeworks-Stream"
	campaignField    = "X-Pledgeworks-Campaign"
	unsubscribeField = "X-Pledgeworks-Unsubscribe"
	sentField        = "X-Pledgeworks-Sent" // more precise than Date
)

// formatMail returns a mail as a message (RFC 5322) of MIME parts.
func formatMail(m notify.Mail, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	parts := multipart.NewWriter(&b)
	fields := []notify.Header{{Name: "From", Value: m.From}, {Name: "To", Value: m.To},
		{Name: "Reply-To", Value: m.ReplyTo},
		{Name: "Subject", Value: mime.QEncoding.Encode("utf-8", m.Subject)}, {Name: "Date", Value: at.Format(time.RFC1123Z)}}
	fields = append(fields, m.Headers()...)
	fields = append(fields, notify.Header{Name: keyField, Value: m.Key},
		notify.Header{Name: kindField, Value: string(m.Kind)}, notify.Header{Name: langField, Value: m.Lang},
		notify.Header{Name: streamField, Value: string(m.Stream)}, notify.Header{Name: campaignField, Value: m.Campaign},
		notify.Header{Name: unsubscribeField, Value: m.Unsubscribe},
		notify.Header{Name: sentField, Value: at.UTC().Format(time.RFC3339Nano)},
		notify.Header{Name: "MIME-Version", Value: "1.0"}, notify.Header{Name: "Content-Type",
			Value: mime.FormatMediaType(mediaType(m), map[string]string{"boundary": parts.Boundary()})})
	for _, h := range fields {
		if h.Value != "" {
			fmt.Fprintf(&b, "%s: %s\r\n", h.Name, strings.NewReplacer("\r", " ", "\n", " ").Replace(h.Value))
		}
	}
	b.WriteString("\r\n")
	all := []struct{ kind, name, text string }{{"text/plain", "", m.Text}, {"text/html", "", m.HTML},
		{notify.CSV, m.Attachment.Name, m.Attachment.Text}}
	for _, p := range all {
		if p.text == "" {
			continue
		}
		h := textproto.MIMEHeader{"Content-Type": {p.kind + "; charset=utf-8"},
			"Content-Transfer-Encoding": {"quoted-printable"}}
		if p.name != "" {
			h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": p.name}))
		}
		w, err := parts.CreatePart(h)
		if err != nil {
			return nil, err
		}
		q := quotedprintable.NewWriter(w)
		if _, err := io.WriteString(q, p.text); err != nil {
			return nil, err
		}
		if err := q.Close(); err != nil {
			return nil, err
		}
	}
	if err := parts.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// mediaType returns the media type of a message: multipart/mixed for one with an attachment,
// otherwise multipart/alternative, of which mail programs show only the best part.
func mediaType(m notify.Mail) string {
	if m.Attachment.Name != "" {
		return "multipart/mixed"
	}
	return "multipart/alternative"
}

// parseMail parses the output of formatMail.
func parseMail(b []byte) (Mail, error) {
	msg, err := mail.ReadMessage(bytes.NewReader(b))
	if err != nil {
		return Mail{}, err
	}
	h := msg.Header
	subject, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
	if err != nil {
		return Mail{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, h.Get(sentField))
	if err != nil {
		return Mail{}, err
	}
	m := Mail{SentAt: at, Mail: notify.Mail{
		Key: h.Get(keyField), Kind: notify.Kind(h.Get(kindField)), From: h.Get("From"), To: h.Get("To"),
		ReplyTo: h.Get("Reply-To"), Lang: h.Get(langField),
		Subject: subject, Stream: notify.Stream(h.Get(streamField)), Campaign: h.Get(campaignField),
		Unsubscribe: h.Get(unsubscribeField),
	}}
	_, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return Mail{}, err
	}
	parts := multipart.NewReader(msg.Body, params["boundary"])
	for {
		p, err := parts.NextPart() // decodes quoted-printable
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return Mail{}, err
		}
		body, err := io.ReadAll(p)
		if err != nil {
			return Mail{}, err
		}
		text := strings.ReplaceAll(string(body), "\r\n", "\n")
		switch kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type")); {
		case p.FileName() != "":
			m.Attachment = notify.Attachment{Name: p.FileName(), Text: text}
		case kind == "text/html":
			m.HTML = text
		default:
			m.Text = text
		}
	}
}
