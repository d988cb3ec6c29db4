package app

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/notify"
)

// What Resend reports, signed, is applied by the running service: an address that bounced
// gets no more mails. What is not signed is not applied.
//
// Proves EML-25, EML-27.
func TestReportsAreApplied(t *testing.T) {
	key := []byte("a key of more than sixteen bytes")
	cfg, err := config.Demo(rand.Reader, nil, map[string]string{
		"DATA_DIR": t.TempDir(), "EMAIL_WEBHOOK_SECRET": "whsec_" + base64.StdEncoding.EncodeToString(key),
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), Options{Config: cfg, Content: fstest.MapFS{}, Now: fixed, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(a.Handler())
	t.Cleanup(func() {
		server.Close()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	outbox := a.Services.Outbox
	queue := func(identity string) {
		t.Helper()
		m := notify.Message{Kind: notify.Confirmation, Identity: identity, To: "ana@example.com", Lang: "en", Subject: "Hello", Text: "A pledge.\n"}
		if err := outbox.Queue(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if _, err := outbox.Drain(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
	}
	status := func(identity string) notify.Status {
		t.Helper()
		d, err := outbox.Delivery(t.Context(), identity)
		if err != nil {
			t.Fatal(err)
		}
		return d.Status
	}
	queue("one")
	body := `{"type":"email.bounced","created_at":"` + fixed().UTC().Format("2006-01-02T15:04:05.000Z") +
		`","data":{"tags":{"key":"` + notify.Hash("one") + `"},"bounce":{"type":"Permanent","message":"no such mailbox"}}}`
	mac := hmac.New(sha256.New, key)
	sent := fmt.Sprint(fixed().Unix())
	mac.Write([]byte("msg_1." + sent + "." + body))
	for _, report := range []struct {
		signature string
		want      int
		next      notify.Status
	}{
		{"v1,AAAA", http.StatusUnauthorized, notify.Sent},
		{"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), http.StatusOK, notify.Suppressed},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/webhooks/email", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Svix-Id", "msg_1")
		r.Header.Set("Svix-Timestamp", sent)
		r.Header.Set("Svix-Signature", report.signature)
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		identity := "after " + report.signature
		queue(identity)
		if got := status(identity); res.StatusCode != report.want || got != report.next {
			t.Errorf("%s is answered %d, and the next mail is %s", report.signature, res.StatusCode, got)
		}
	}
}
