package app

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/postmark/postmarktest"
	"github.com/pledgeworks/pledgeworks/notify/ses/sestest"
)

// sampleReport is a genuine and a forged report by a provider about the mail "one".
type sampleReport struct {
	setting, value   string
	body, forgedBody string            // body of the forged report; the same if ""
	genuine, forged  map[string]string // headers
}

func reports(t *testing.T) map[string]sampleReport {
	key := []byte("a key of more than sixteen bytes")
	svix := sampleReport{
		setting: "EMAIL_WEBHOOK_SECRET", value: "whsec_" + base64.StdEncoding.EncodeToString(key),
		body: `{"type":"email.bounced","created_at":"` + fixed().UTC().Format("2006-01-02T15:04:05.000Z") +
			`","data":{"tags":{"key":"` + notify.Hash("one") + `"},"bounce":{"type":"Permanent","message":"no such mailbox"}}}`,
	}
	mac := hmac.New(sha256.New, key)
	sent := fmt.Sprint(fixed().Unix())
	mac.Write([]byte("msg_1." + sent + "." + svix.body))
	svix.genuine = map[string]string{"Svix-Id": "msg_1", "Svix-Timestamp": sent,
		"Svix-Signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))}
	svix.forged = maps.Clone(svix.genuine)
	svix.forged["Svix-Signature"] = "v1,AAAA"
	sns, err := sestest.NewSNS(fixed)
	if err != nil {
		t.Fatal(err)
	}
	routeRequests(t, sns)
	bounced := sns.Event(sestest.Message{Tags: map[string]string{"key": notify.Hash("one")}},
		"Bounce", fixed(), map[string]any{"bounceType": "Permanent"})
	forged := maps.Clone(bounced)
	forged["MessageId"] = "another"
	return map[string]sampleReport{
		"Resend": svix,
		"SES": {setting: "SES_TOPIC_ARN", value: sestest.Topic, body: string(bounced.Body()),
			forgedBody: string(forged.Body())},
		"Postmark": {
			setting: "POSTMARK_WEBHOOK_LOGIN", value: "pledgeworks:sixteen bytes or more",
			body: `{"RecordType":"Bounce","Type":"HardBounce","ID":7,"MessageID":"m-1","BouncedAt":"` +
				fixed().UTC().Format(time.RFC3339) +
				`","Description":"no such mailbox","Metadata":{"key":"` + notify.Hash("one") + `"}}`,
			genuine: map[string]string{"Authorization": postmarktest.Basic("pledgeworks", "sixteen bytes or more")},
			forged:  map[string]string{"Authorization": postmarktest.Basic("pledgeworks", "sixteen bytes or less")},
		},
	}
}

// routeRequests routes the program's own requests to a transport until the test ends.
func routeRequests(t *testing.T, by http.RoundTripper) {
	before := http.DefaultTransport
	http.DefaultTransport = by
	t.Cleanup(func() { http.DefaultTransport = before })
}

// The running service applies the mail provider's reports: a bounced address gets no more mails.
// Forged reports are rejected.
//
// Proves EML-25, EML-27.
func TestReports_Applied(t *testing.T) {
	for name, r := range reports(t) {
		t.Run(name, func(t *testing.T) { applied(t, r) })
	}
}

func applied(t *testing.T, r sampleReport) {
	cfg, err := config.Demo(rand.Reader, nil, map[string]string{"DATA_DIR": t.TempDir(), r.setting: r.value})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(),
		Options{Config: cfg, Content: fstest.MapFS{}, Now: fixed, Log: slog.New(slog.DiscardHandler)})
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
		m := notify.Message{Kind: notify.Confirmation, Identity: identity, To: "ana@example.com",
			Lang: "en", Subject: "Hello", Text: "A pledge.\n"}
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
	for _, step := range []struct {
		body    string
		headers map[string]string
		want    int
		next    notify.Status
	}{
		{cmp.Or(r.forgedBody, r.body), r.forged, http.StatusUnauthorized, notify.Sent},
		{r.body, r.genuine, http.StatusOK, notify.Suppressed},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/webhooks/email",
			strings.NewReader(step.body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range step.headers {
			req.Header.Set(name, value)
		}
		res, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		identity := fmt.Sprint("after ", step.want)
		queue(identity)
		if got := status(identity); res.StatusCode != step.want || got != step.next {
			t.Errorf("status %d, want %d; next mail is %s", res.StatusCode, step.want, got)
		}
	}
}
