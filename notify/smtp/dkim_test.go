package smtp_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/smtp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// keyPair returns a private key in PEM and the DNS record of its public key.
func keyPair(t *testing.T, key crypto.Signer, kind string, public []byte) (text, record string) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "v=DKIM1; k=" +
		kind + "; p=" + base64.StdEncoding.EncodeToString(public)
}

func rsaKey(t *testing.T, bits int) (text, record string) {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return keyPair(t, key, "rsa", public)
}

func ed25519Key(t *testing.T) (text, record string) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return keyPair(t, key, "ed25519", public)
}

// verifySignatures verifies the signatures of a mail against a DNS record.
func verifySignatures(t *testing.T, raw []byte, name, record string) []*dkim.Verification {
	all, err := dkim.VerifyWithOptions(bytes.NewReader(raw),
		&dkim.VerifyOptions{LookupTXT: func(asked string) ([]string, error) {
			if asked != name {
				return nil, errors.New("there is no " + asked)
			}
			return []string{record}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A mail is signed for its sender's domain, and the signature detects changes to its parts, its
// sender, and its unsubscribe fields.
func TestDKIM(t *testing.T) {
	long, ofLong := rsaKey(t, 2048)
	small, ofSmall := ed25519Key(t)
	for name, key := range map[string]struct{ text, record string }{
		"RSA": {long, ofLong}, "Ed25519": {small, ofSmall}, "RSA in one line": {strings.ReplaceAll(long, "\n", `\n`), ofLong},
	} {
		p := serve(t, false)
		d, err := smtp.NewDKIM("mail2026", key.text)
		if err != nil {
			t.Fatal(name, err)
		}
		p.options.DKIM = d
		m := notifytest.MailTo("ana")
		m.HTML, m.Kind, m.Stream, m.Campaign = "<p>Señal = 100 %</p>\n", notify.DiaryEntry, notify.Updates, "noche"
		m.Unsubscribe = "https://example.org/unsubscribe?t=" + strings.Repeat("a.b_c-", 40)
		m.Attachment = notify.Attachment{Name: "pledges-noche.csv", Text: "name,total\n«Señal», 100.00\n"}
		if r, err := open(t, p).Send(t.Context(), m); err != nil || r.Outcome != notify.Accepted {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		raw := p.delivered[0]
		all := verifySignatures(t, raw, "mail2026._domainkey.example.org", key.record)
		if len(all) != 1 || all[0].Err != nil || all[0].Domain != "example.org" {
			t.Fatalf("%s: %+v\n%s", name, all, raw)
		}
		for _, field := range []string{"From", "To", "Reply-To", "Subject", "Date", "Message-ID", "MIME-Version",
			"Content-Type", "List-Unsubscribe", "List-Unsubscribe-Post"} {
			if !slices.ContainsFunc(all[0].HeaderKeys, func(s string) bool { return strings.EqualFold(s, field) }) {
				t.Errorf("%s: %s is not signed", name, field)
			}
		}
		for what, change := range map[string][2]string{
			"unsubscribe URL": {"<https://example.org/unsub", "<https://example.com/unsub"},
			"one-click field": {"One-Click", "Two-Clicks"},
			"subject":         {"=?UTF-8?q?Tu", "=?UTF-8?q?Su"},
			"text":            {"un punto al", "un punto del"},
		} {
			forged := bytes.Replace(raw, []byte(change[0]), []byte(change[1]), 1)
			if bytes.Equal(forged, raw) {
				t.Fatalf("%s: %q not found in\n%s", name, change[0], raw)
			}
			if all := verifySignatures(t, forged, "mail2026._domainkey.example.org", key.record); len(all) != 1 ||
				all[0].Err == nil {
				t.Errorf("%s: changing the %s is not detected", name, what)
			}
		}
	}
}

// Adding an unsubscribe or Reply-To field to a signed mail invalidates the signature.
func TestDKIM_OversignsHeaders(t *testing.T) {
	p := serve(t, false)
	text, record := ed25519Key(t)
	var err error
	if p.options.DKIM, err = smtp.NewDKIM("mail2026", text); err != nil {
		t.Fatal(err)
	}
	m := notifytest.MailTo("ana")
	m.ReplyTo = ""
	if r, err := open(t, p).Send(t.Context(), m); err != nil || r.Outcome != notify.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	for field, holds := range map[string]bool{"X-Seen-By": true, "Reply-To": false, "List-Unsubscribe": false,
		"List-Unsubscribe-Post": false, "List-Id": false} {
		more := append([]byte(field+": <https://example.com/>\r\n"), p.delivered[0]...)
		if all := verifySignatures(t, more, "mail2026._domainkey.example.org", record); len(all) != 1 ||
			(all[0].Err == nil) != holds {
			t.Errorf("with an added %s: %+v", field, all)
		}
	}
}

// Without a DKIM key mails are not signed.
func TestDKIM_WithoutKey(t *testing.T) {
	p := serve(t, false)
	if r, err := open(t, p).Send(t.Context(), notifytest.MailTo("ana")); err != nil || r.Outcome != notify.Accepted ||
		bytes.Contains(p.delivered[0], []byte("DKIM-Signature")) {
		t.Errorf("%+v, %v\n%s", r, err, p.delivered[0])
	}
}

func TestNewDKIM_InvalidKeys(t *testing.T) {
	good, _ := ed25519Key(t)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	wrongKind, _ := keyPair(t, other, "", nil)
	t.Setenv("GODEBUG", "rsa1024min=0")
	short, _ := rsaKey(t, 1023)
	shortest, _ := rsaKey(t, 1024)
	for _, tt := range []struct{ selector, key, field string }{
		{"mail2026", good, ""},
		{"a.b-c", good, ""},
		{"mail2026", shortest, ""},
		{"", good, "selector"},
		{"-a", good, "selector"},
		{"a._domainkey", good, "selector"},
		{"a; d=example.com", good, "selector"},
		{"mail2026", "", "key"},
		{"mail2026", "c2VjcmV0", "key"},
		{"mail2026", wrongKind, "key"},
		{"mail2026", short, "key"},
	} {
		_, err := smtp.NewDKIM(tt.selector, tt.key)
		var f *fault.Error
		if tt.field == "" && err == nil {
			continue
		}
		if !errors.As(err, &f) || f.Code != fault.Invalid || f.Field != tt.field ||
			tt.key != "" && strings.Contains(err.Error(), tt.key) {
			t.Errorf("%q: %v", tt.selector, err)
		}
	}
}
