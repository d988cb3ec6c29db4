package smtp_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	server "github.com/emersion/go-smtp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/smtp"
)

const user, password = "pledges@example.org", "a long, long password"

// provider is an SMTP server in this process.
type provider struct {
	t       testing.TB
	options smtp.Options // for clients

	mu        sync.Mutex
	now       time.Time
	failures  []notifytest.Failure
	delivered [][]byte
	logins    int // attempted logins
	refuses   map[step]int

	recipients []string
	declared   bool // SMTPUTF8 was requested by the last mail
}

// step is a step of a session at which the server can reply with an error.
type step string

func (p *provider) answer(s step) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if code := p.refuses[s]; code != 0 {
		return &server.SMTPError{Code: code, EnhancedCode: server.EnhancedCode{code / 100, 0, 0},
			Message: "not now, or never"}
	}
	return nil
}

func (p *provider) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *provider) Advance(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

func (p *provider) FailNext(all ...notifytest.Failure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures = append(p.failures, all...)
}

func (p *provider) Delivered() []notifytest.Letter {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []notifytest.Letter
	for _, raw := range p.delivered {
		all = append(all, letter(p.t, raw))
	}
	return all
}

func letter(t testing.TB, raw []byte) notifytest.Letter {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var words mime.WordDecoder
	text := func(name string) string {
		s, err := words.DecodeHeader(m.Header.Get(name))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	address := func(name string) string {
		if m.Header.Get(name) == "" {
			return ""
		}
		a, err := mail.ParseAddress(m.Header.Get(name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if a.Name == "" {
			return a.Address
		}
		return a.Name + " <" + a.Address + ">"
	}
	l := incoming{notifytest.Letter{
		From: address("From"), To: address("To"), ReplyTo: address("Reply-To"), Subject: text("Subject"),
		Header: map[string]string{"Message-ID": m.Header.Get("Message-ID")},
	}}
	l.read(t, m.Header.Get, m.Body)
	for name := range m.Header {
		if name != "Message-Id" {
			l.Header[name] = m.Header.Get(name)
		}
	}
	return l.Letter
}

// read parses the parts of a mail: one text, two alternatives, and an attachment.
func (l *incoming) read(t testing.TB, header func(string) string, body io.Reader) {
	kind, params, err := mime.ParseMediaType(header("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(kind, "multipart/") {
		for all := multipart.NewReader(body, params["boundary"]); ; {
			part, err := all.NextRawPart()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			l.read(t, part.Header.Get, part)
		}
	}
	switch header("Content-Transfer-Encoding") {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	default:
		t.Fatalf("the encoding is %s", header("Content-Transfer-Encoding"))
	}
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(b), "\r\n", "\n")
	switch kind {
	case "text/plain":
		l.Text = text
	case "text/html":
		l.HTML = text
	case notify.CSV:
		_, params, err := mime.ParseMediaType(header("Content-Disposition"))
		if err != nil {
			t.Fatal(err)
		}
		l.Attachment = notify.Attachment{Name: params["filename"], Text: text}
	default:
		t.Fatalf("unexpected part %s", kind)
	}
}

// incoming is a mail being parsed.
type incoming struct{ notifytest.Letter }

// session is one connection. Its failures apply to the next mail.
type session struct {
	*provider
	conn    *server.Conn
	failure notifytest.Failure
}

func (p *provider) NewSession(c *server.Conn) (server.Session, error) {
	return &session{provider: p, conn: c}, nil
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, u, p string) error {
		if u != user || p != password {
			return server.ErrAuthFailed
		}
		if err := s.answer("AUTH"); err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.logins++
		return nil
	}), nil
}

func (s *session) Mail(_ string, o *server.MailOptions) error {
	if err := s.answer("MAIL"); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.declared = o.UTF8
	if s.failure = ""; len(s.failures) > 0 {
		s.failure, s.failures = s.failures[0], s.failures[1:]
	}
	if s.failure == notifytest.BadCredentials {
		return &server.SMTPError{Code: 550, EnhancedCode: server.EnhancedCode{5, 7, 1}, Message: "this is not your address"}
	}
	return nil
}

func (s *session) Rcpt(to string, _ *server.RcptOptions) error {
	if err := s.answer("RCPT"); err != nil {
		return err
	}
	s.mu.Lock()
	s.recipients = append(s.recipients, to)
	s.mu.Unlock()
	switch s.failure {
	case notifytest.Refuse:
		return &server.SMTPError{Code: 550, EnhancedCode: server.EnhancedCode{5, 1, 1}, Message: "no such user"}
	case notifytest.Later:
		return &server.SMTPError{Code: 451, EnhancedCode: server.EnhancedCode{4, 7, 1}, Message: "later"}
	case notifytest.LoseRequest, notifytest.LoseAnswer, notifytest.BadCredentials:
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	if s.failure == notifytest.LoseRequest {
		return s.conn.Conn().Close()
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.answer("DATA"); err != nil {
		return err
	}
	s.mu.Lock()
	s.delivered = append(s.delivered, raw)
	s.mu.Unlock()
	if s.failure == notifytest.LoseAnswer {
		return s.conn.Conn().Close()
	}
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// serve starts a server with STARTTLS, or with TLS from the start if implicit is set.
func serve(t testing.TB, implicit bool) *provider { return start(t, implicit, false) }

// serveUTF8 starts a server with or without SMTPUTF8.
func serveUTF8(t testing.TB, offered bool) *provider { return start(t, true, offered) }

func start(t testing.TB, implicit, utf8 bool) *provider {
	p := &provider{t: t, now: time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)}
	cert, roots := certificate(t)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.options = smtp.Options{
		Host: "localhost", Port: l.Addr().(*net.TCPAddr).Port, Username: user, Password: password, Implicit: implicit,
		TLS: &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS12},
		Now: p.Now, Timeout: time.Minute,
	}
	srv := server.NewServer(p)
	srv.Domain, srv.EnableSMTPUTF8 = "localhost", utf8
	srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	if implicit {
		l = tls.NewListener(l, srv.TLSConfig)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Serve(l) // ends when the server is closed
	}()
	t.Cleanup(func() {
		_ = srv.Close()
		_ = l.Close() // even if the server was not listening yet
		<-ended
	})
	return p
}

func certificate(t testing.TB) (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}
