package app

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	server "github.com/emersion/go-smtp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/resend/resendtest"
)

// mailbox is a local mail server.
type mailbox struct{ mails chan string }

func (b mailbox) NewSession(*server.Conn) (server.Session, error) { return b, nil }
func (mailbox) Mail(string, *server.MailOptions) error            { return nil }
func (mailbox) Rcpt(string, *server.RcptOptions) error            { return nil }
func (mailbox) Reset()                                            {}
func (mailbox) Logout() error                                     { return nil }
func (b mailbox) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	b.mails <- string(raw)
	return err
}

// In live mode mails are sent through the configured mail server, and cards are charged.
//
// Proves EML-01.
func TestMail_SentInLiveMode(t *testing.T) {
	box := mailbox{make(chan string, 1)}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := server.NewServer(box)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Serve(l) // returns when the server is closed
	}()
	t.Cleanup(func() {
		_ = srv.Close()
		_ = l.Close()
		<-ended
	})
	cfg, err := config.Demo(rand.Reader, nil, map[string]string{
		"DATA_DIR": t.TempDir(), "SMTP_URL": "smtp+plain://" + l.Addr().String(),
		"PLEDGES_EMAIL_FROM": "Cine <pledges@example.org>", "SUPPORT_EMAIL": "help@example.org",
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Mode.App = psp.Live
	a, err := Open(t.Context(),
		Options{Config: cfg, Content: fstest.MapFS{}, Now: fixed, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	outbox := a.Services.Outbox
	if err := outbox.Queue(t.Context(), notify.Message{Kind: notify.Confirmation, Identity: "one",
		To: "ana@example.com", Lang: "en", Subject: "Hello", Text: "A pledge.\n"}); err != nil {
		t.Fatal(err)
	}
	if done, err := outbox.Drain(t.Context(), 10); err != nil || done.Sent != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	var raw string
	select {
	case raw = <-box.mails:
	default:
		t.Fatal("the mail server did not receive the mail")
	}
	for _, want := range []string{`From: "Cine" <pledges@example.org>`, "To: <ana@example.com>",
		"Reply-To: <help@example.org>", "Subject: Hello", "A pledge.", "Auto-Submitted: auto-generated",
		"Date: " + fixed().Format("Mon, 02 Jan 2006")} {
		if !strings.Contains(raw, want) {
			t.Errorf("the mail lacks %q:\n%s", want, raw)
		}
	}
	if idle, err := a.Services.Settlement.ChargingOff(t.Context()); err != nil || idle {
		t.Errorf("idle = %t, %v", idle, err)
	}
}

// handled is a transport backed by a handler.
type handled struct{ http.Handler }

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// A mail from a sender domain that the provider has not authorized stays queued, and the doctor
// reports it. It is sent once the domain is authorized.
//
// Proves EML-31.
func TestMail_SenderDomain(t *testing.T) {
	now := fixed()
	peer := &resendtest.Server{Now: func() time.Time { return now }, Domains: []string{"news.example.org"}}
	routeRequests(t, handled{peer})
	cfg, err := config.Demo(rand.Reader, nil, map[string]string{"DATA_DIR": t.TempDir(),
		"EMAIL_API_KEY": resendtest.Key, "PLEDGES_EMAIL_FROM": "Cine <pledges@example.org>"})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Mode.App = psp.Live
	a, err := Open(t.Context(), Options{Config: cfg, Content: fstest.MapFS{}, Now: func() time.Time { return now },
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	outbox := a.Services.Outbox
	if err := outbox.Queue(t.Context(), notify.Message{Kind: notify.Confirmation, Identity: "one",
		To: "ana@example.com", Lang: "en", Subject: "Hello", Text: "A pledge.\n"}); err != nil {
		t.Fatal(err)
	}
	says := func() string {
		for _, f := range a.Services.HealthDeps().Run(t.Context(), nil).Findings {
			if f.ID == "mail.refused" {
				return f.Found
			}
		}
		return ""
	}
	for _, step := range []struct {
		domain string
		status notify.Status
		mails  int
		says   string
	}{
		{"news.example.org", notify.Queued, 0, "403 validation_error"},
		{"example.org", notify.Sent, 1, ""},
	} {
		peer.Domains = append(peer.Domains, step.domain)
		if _, err := outbox.Drain(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		d, err := outbox.Delivery(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		if got := says(); d.Status != step.status || len(peer.Accepted()) != step.mails ||
			!strings.Contains(got, step.says) || (got == "") != (step.says == "") {
			t.Errorf("with %v: %+v, %d mails, doctor reports %q", peer.Domains, d, len(peer.Accepted()), got)
		}
		now = now.Add(time.Hour)
	}
}

func TestCheckMail(t *testing.T) {
	for _, tt := range []struct {
		mode            psp.Mode
		key, token, url config.Secret
		ses, dkim       config.Secret
		region          string
		want            string
	}{
		{mode: psp.Test},
		{mode: psp.Live, want: "EMAIL_API_KEY"},
		{mode: psp.Live, key: "re_x"},
		{mode: psp.Live, token: "x-token"},
		{mode: psp.Live, ses: "hush", region: "eu-west-1"},
		{mode: psp.Live, ses: "hush", region: "Ireland", want: "region"},
		{mode: psp.Live, url: "smtp://me:hush@mail.example.org"},
		{mode: psp.Live, url: "smtp://me:hush@mail.example.org", dkim: "hush", want: "SMTP_DKIM_KEY"},
		{mode: psp.Live, url: "mail.example.org:hush", want: "SMTP_URL"},
	} {
		var c config.Config
		c.Mode.App, c.Secrets.EmailAPIKey, c.Secrets.Postmark, c.Secrets.SMTP = tt.mode, tt.key, tt.token, tt.url
		c.Secrets.DKIM, c.Mail.DKIMSelector = tt.dkim, "mail2026"
		c.Secrets.SES, c.Mail.SESRegion, c.Mail.SESKeyID = tt.ses, tt.region, "AKIDEXAMPLE"
		err := CheckMail(c)
		if (err != nil) != (tt.want != "") || !strings.Contains(fmt.Sprint(err), tt.want) ||
			strings.Contains(fmt.Sprint(err), "hush") {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
