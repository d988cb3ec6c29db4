// Package smtp is a notify.Sender for mail servers that accept mails by SMTP (RFC 5321). The
// connection is encrypted unless configured otherwise.
//
// SMTP has no idempotency keys. If the reply to the end of a mail is lost, it is unknown whether
// the mail was accepted, and it is sent again. The retry has the same Message-ID, by which many
// mailboxes recognize duplicates.
package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// operatorWait is the minimum wait after the server refused the sender, until an operator can fix
// the password or the sender's address.
const operatorWait = 15 * time.Minute

// DefaultTimeout is the default timeout of each step of an SMTP session.
const DefaultTimeout = 30 * time.Second

// Options configure the connection to a mail server.
type Options struct {
	Host     string
	Port     int
	Username string // "" for a server without authentication
	Password string
	// Implicit uses TLS from the start, as on port 465. If neither Implicit nor Plain is set, the
	// connection is encrypted with STARTTLS before anything else is sent.
	Implicit bool
	// Plain disables encryption. Use it only for a relay on the same machine.
	Plain   bool
	TLS     *tls.Config   // nil for the system's root certificates
	Timeout time.Duration // timeout of each step; 0 for DefaultTimeout
	Now     func() time.Time
	DKIM    *DKIM // nil if the mail server signs
}

// Parse parses a mail server's URL: smtp://user:password@host:587 for STARTTLS, smtps://… for
// TLS from the start, and smtp+plain://… for no encryption. The port is optional. It fails with
// code Invalid.
func Parse(address string) (Options, error) {
	wrong := func(what string) (Options, error) {
		return Options{}, fault.New(fault.Invalid, "A mail server must have the form smtp://user:password@host:587: %s", what)
	}
	u, err := url.Parse(address)
	if err != nil {
		return wrong("not a valid URL") // err would contain the password
	}
	o := Options{Host: u.Hostname()}
	switch u.Scheme {
	case "smtp":
		o.Port = 587
	case "smtps":
		o.Port, o.Implicit = 465, true
	case "smtp+plain":
		o.Port, o.Plain = 25, true
	default:
		return wrong("the scheme must be smtp, smtps or smtp+plain")
	}
	if o.Host == "" {
		return wrong("the host is missing")
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return wrong("nothing may follow the port")
	}
	if p := u.Port(); p != "" {
		if o.Port, err = strconv.Atoi(p); err != nil || o.Port < 1 || o.Port > 65535 {
			return wrong("the port must be a number from 1 to 65535")
		}
	}
	if u.User != nil {
		o.Username = u.User.Username()
		o.Password, _ = u.User.Password()
		if o.Plain {
			return wrong("a password requires an encrypted connection")
		}
	}
	return o, nil
}

// Sender implements notify.Sender. It is safe for concurrent use.
type Sender struct{ opts Options }

// New returns a Sender. It fails with code Invalid, and the option's name, for a missing or
// invalid option.
func New(o Options) (*Sender, error) {
	switch {
	case o.Host == "":
		return nil, fault.New(fault.Invalid, "A host is required").In("host")
	case o.Port < 1 || o.Port > 65535:
		return nil, fault.New(fault.Invalid, "A port from 1 to 65535 is required").In("port")
	case o.Now == nil:
		return nil, fault.New(fault.Invalid, "A clock is required").In("now")
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	return &Sender{o}, nil
}

// Send implements notify.Sender.
func (s *Sender) Send(ctx context.Context, m notify.Mail) (notify.Receipt, error) {
	m, err := withASCIIAddresses(m)
	if err != nil {
		return invalidMail(err), nil
	}
	msg, err := s.message(m)
	if err != nil {
		return invalidMail(err), nil
	}
	utf8 := needsUTF8(m)
	client, err := s.client(utf8)
	if err != nil {
		return notify.Receipt{}, err
	}
	conn, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return notify.Receipt{Outcome: notify.RetryLater, RetryAfter: retryAfter(err), Account: replyCode(err) >= 500,
			Reason: "no connection: " + err.Error()}, nil
	}
	defer func() { _ = client.CloseWithSMTPClient(conn) }() // the mail is already accepted or refused
	if offered, _ := conn.Extension("SMTPUTF8"); utf8 && !offered {
		return notify.Receipt{Outcome: notify.Refused,
			Reason: "the mail server does not support SMTPUTF8: the part before the @ must be ASCII"}, nil
	}
	return receipt(msg, client.SendWithSMTPClient(conn, msg))
}

func invalidMail(err error) notify.Receipt {
	return notify.Receipt{Outcome: notify.Refused, Reason: "the mail could not be composed: " + err.Error()}
}

// retryAfter returns how long to wait after a failed connection: operatorWait if the server
// rejected it or the login with a 5xx reply, otherwise 0.
func retryAfter(err error) time.Duration {
	if replyCode(err) >= 500 {
		return operatorWait
	}
	return 0
}

// message composes the MIME message, with a signature if DKIM is configured.
func (s *Sender) message(m notify.Mail) (*mail.Msg, error) {
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := errors.Join(msg.From(m.From), msg.To(m.To)); err != nil {
		return nil, err
	}
	if m.ReplyTo != "" {
		if err := msg.ReplyTo(m.ReplyTo); err != nil {
			return nil, err
		}
	}
	msg.Subject(m.Subject)
	msg.SetDateWithValue(s.opts.Now())
	for _, h := range m.Headers() {
		msg.SetGenHeader(mail.Header(h.Name), h.Value)
	}
	msg.SetBodyString(mail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(mail.TypeTextHTML, m.HTML)
	}
	if a := m.Attachment; a.Name != "" {
		if err := msg.AttachReader(a.Name, strings.NewReader(a.Text), mail.WithFileContentType(notify.CSV)); err != nil {
			return nil, err
		}
	}
	if s.opts.DKIM != nil {
		if err := s.opts.DKIM.sign(msg, m.From); err != nil {
			return nil, err
		}
	}
	return msg, nil
}

// client returns a client for one mail. It requests SMTPUTF8 only for a mail that needs it,
// because servers must not relay such a mail to servers without the extension.
func (s *Sender) client(utf8 bool) (*mail.Client, error) {
	o := s.opts
	options := []mail.Option{mail.WithPort(o.Port), mail.WithTimeout(o.Timeout), mail.WithoutNoop(), mail.WithoutRset()}
	switch {
	case o.Plain:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	case o.Implicit:
		options = append(options, mail.WithSSL())
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if !utf8 {
		options = append(options, mail.WithoutSMTPUTF8())
	}
	if o.TLS != nil {
		options = append(options, mail.WithTLSConfig(o.TLS))
	}
	if o.Username != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(o.Username),
			mail.WithPassword(o.Password))
	}
	c, err := mail.NewClient(o.Host, options...)
	if err != nil {
		return nil, fmt.Errorf("smtp: %w", err)
	}
	return c, nil
}
