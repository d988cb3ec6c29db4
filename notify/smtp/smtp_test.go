package smtp_test

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/smtp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func open(t testing.TB, p *provider) *smtp.Sender {
	s, err := smtp.New(p.options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func store(now func() time.Time) kv.Store { return memkv.New(memkv.Options{Now: now}).Store("PLEDGES") }

func TestContract(t *testing.T) {
	for name, implicit := range map[string]bool{"STARTTLS": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			notifytest.Run(t, func(t testing.TB) (notify.Sender, notifytest.Provider) {
				p := serve(t, implicit)
				return open(t, p), p
			}, store)
		})
	}
}

// Both parts arrive unchanged, with plain text first: clients show the last part that they
// support (RFC 2046).
func TestSend_BothParts(t *testing.T) {
	p := serve(t, false)
	m := notifytest.MailTo("ana")
	m.HTML = "<!doctype html><html lang=\"es\"><p>Señal = 100 %</p>\n.un punto " +
		strings.Repeat("largo ", 300) + "</html>\n"
	if r, err := open(t, p).Send(t.Context(), m); err != nil || r.Outcome != notify.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	raw, err := mail.ReadMessage(bytes.NewReader(p.delivered[0]))
	if err != nil {
		t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(raw.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" || raw.Header.Get("Message-ID") != "<"+m.MessageID()+">" {
		t.Fatalf("%s, %v: %v", kind, err, raw.Header)
	}
	var got []string
	for parts := multipart.NewReader(raw.Body, params["boundary"]); ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, part.Header.Get("Content-Type"), strings.ReplaceAll(string(body), "\r\n", "\n"))
	}
	want := []string{"text/plain; charset=UTF-8", m.Text, "text/html; charset=UTF-8", m.HTML}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Neither the password nor the mail is sent to a server without encryption or with an untrusted
// certificate.
func TestSend_EncryptionIsMandatory(t *testing.T) {
	for name, change := range map[string]func(*smtp.Options){
		"untrusted certificate": func(o *smtp.Options) { o.TLS = nil },
		"wrong host name":       func(o *smtp.Options) { o.TLS.ServerName = "mail.example.org" },
	} {
		p := serve(t, false)
		change(&p.options)
		r, err := open(t, p).Send(t.Context(), notifytest.MailTo("ana"))
		if err != nil || r.Outcome != notify.RetryLater || p.logins != 0 || len(p.Delivered()) != 0 {
			t.Errorf("%s: %+v, %v, %d logins", name, r, err, p.logins)
		}
	}
}

func TestSend_WrongPassword(t *testing.T) {
	p := serve(t, false)
	p.options.Password = "another"
	r, err := open(t, p).Send(t.Context(), notifytest.MailTo("ana"))
	if err != nil || r.Outcome != notify.RetryLater || r.RetryAfter == 0 || !r.Account ||
		strings.Contains(r.Reason, "another") {
		t.Errorf("%+v, %v", r, err)
	}
}

// An error reply to the sender's address is an account problem; a reply to the recipient or the
// content concerns that mail. 5xx replies are permanent.
func TestSend_ErrorReplies(t *testing.T) {
	for _, tt := range []struct {
		step    step
		code    int
		outcome notify.Outcome
		account bool
	}{
		{"AUTH", 500, notify.RetryLater, true},
		{"AUTH", 454, notify.RetryLater, false},
		{"MAIL", 500, notify.RetryLater, true},
		{"MAIL", 451, notify.RetryLater, false},
		{"RCPT", 500, notify.Refused, false},
		{"RCPT", 451, notify.RetryLater, false},
		{"DATA", 500, notify.Refused, false},
		{"DATA", 451, notify.RetryLater, false},
	} {
		p := serve(t, false)
		p.refuses = map[step]int{tt.step: tt.code}
		r, err := open(t, p).Send(t.Context(), notifytest.MailTo("ana"))
		if err != nil || r.Outcome != tt.outcome || r.Account != tt.account ||
			(r.RetryAfter > 0) != tt.account || len(p.Delivered()) != 0 {
			t.Errorf("%s with reply %d: %+v, %v", tt.step, tt.code, r, err)
		}
	}
}

// The timeout has a default.
func TestSend_DefaultTimeout(t *testing.T) {
	p := serve(t, false)
	p.options.Timeout = 0
	if r, err := open(t, p).Send(t.Context(), notifytest.MailTo("ana")); err != nil || r.Outcome != notify.Accepted {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestParse(t *testing.T) {
	for address, want := range map[string]smtp.Options{
		"smtp://mail.example.org":       {Host: "mail.example.org", Port: 587},
		"smtp://mail.example.org:1":     {Host: "mail.example.org", Port: 1},
		"smtp://mail.example.org:65535": {Host: "mail.example.org", Port: 65535},
		"smtp://me:p%40ss@mail.example.org": {Host: "mail.example.org", Port: 587,
			Username: "me", Password: "p@ss"},
		"smtps://me%40example.org:x@mail.example.org:465": {Host: "mail.example.org", Port: 465,
			Implicit: true, Username: "me@example.org", Password: "x"},
		"smtp+plain://127.0.0.1:2525/": {Host: "127.0.0.1", Port: 2525, Plain: true},
	} {
		got, err := smtp.Parse(address)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(smtp.Options{}, "Now", "TLS")); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", address, err, diff)
		}
	}
	for _, address := range []string{
		"", "mail.example.org:587", "http://mail.example.org", "smtp://", "smtp://:587",
		"smtp://mail.example.org:0", "smtp://mail.example.org:65536",
		"smtp://mail.example.org/box", "smtp://mail.example.org?tls=no", "smtp://mail.example.org#x",
		"smtp://u:secret@mail.example.org:x", "smtp+plain://u:secret@127.0.0.1",
	} {
		o, err := smtp.Parse(address)
		if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %+v, %v", address, o, err)
		}
	}
}

func TestNew_InvalidOptions(t *testing.T) {
	good := serve(t, false).options
	for port, fits := range map[int]bool{0: false, 1: true, 65535: true, 65536: false} {
		o := good
		o.Port = port
		if _, err := smtp.New(o); (err == nil) != fits {
			t.Errorf("port %d: %v", port, err)
		}
	}
	for field, change := range map[string]func(*smtp.Options){
		"host": func(o *smtp.Options) { o.Host = "" },
		"port": func(o *smtp.Options) { o.Port = 0 },
		"now":  func(o *smtp.Options) { o.Now = nil },
	} {
		o := good
		change(&o)
		_, err := smtp.New(o)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Invalid || f.Field != field {
			t.Errorf("without %s: %v", field, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, address := range []string{"smtp://u:p@h:587", "smtps://h", "smtp+plain://127.0.0.1:25",
		"smtp://[::1]:25", "smtp://%zz@h"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		o, err := smtp.Parse(address)
		if err == nil && (o.Host == "" || o.Port < 1 || o.Port > 65535 || o.Plain && o.Username != "") {
			t.Errorf("%q: %+v", address, o)
		}
	})
}
