package resend_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/resend"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var (
	signingKey = []byte("sixteen bytes and some")
	secret     = "whsec_" + base64.StdEncoding.EncodeToString(signingKey)
	noon       = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
)

// webhook is a request of Resend.
type webhook struct{ id, sent, signature, body string }

func sign(id string, sent time.Time, body string) webhook {
	w := webhook{id: id, sent: fmt.Sprint(sent.Unix()), body: body}
	mac := hmac.New(sha256.New, signingKey)
	mac.Write([]byte(w.id + "." + w.sent + "." + w.body))
	w.signature = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return w
}

func (w webhook) header(name string) string {
	return map[string]string{"svix-id": w.id, "svix-timestamp": w.sent, "svix-signature": w.signature}[name]
}

func hear(t testing.TB, w webhook) ([]notify.Event, error) {
	l, err := resend.NewListener(secret, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	return l.Events(t.Context(), w.header, []byte(w.body))
}

const bounced = `{"type":"email.bounced","created_at":"2026-11-02T11:59:00.000Z","data":{"email_id":"1","to":["ana@example.com"],"tags":{"key":"k1","category":"blast"},"bounce":{"type":"Permanent","subType":"General","message":"no such mailbox"}}}`

// Proves EML-27: an event counts when its signature is Resend's, over its own ID, time and
// body, and it is not older or newer than five minutes.
func TestSignature(t *testing.T) {
	good := sign("msg_1", noon, bounced)
	if all, err := hear(t, good); err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	for name, lie := range map[string]func(*webhook){
		"no signature":       func(w *webhook) { w.signature = "" },
		"another version":    func(w *webhook) { w.signature = strings.Replace(w.signature, "v1,", "v2,", 1) },
		"no version":         func(w *webhook) { w.signature = strings.TrimPrefix(w.signature, "v1,") },
		"cut short":          func(w *webhook) { w.signature = w.signature[:len(w.signature)-4] },
		"another body":       func(w *webhook) { w.body = strings.Replace(w.body, "k1", "k2", 1) },
		"another ID":         func(w *webhook) { w.id = "msg_2" },
		"no ID":              func(w *webhook) { *w = sign("", noon, w.body) },
		"another time":       func(w *webhook) { w.sent = fmt.Sprint(noon.Unix() + 1) },
		"no time":            func(w *webhook) { w.sent = "" },
		"too old":            func(w *webhook) { *w = sign(w.id, noon.Add(-5*time.Minute-time.Second), w.body) },
		"too new":            func(w *webhook) { *w = sign(w.id, noon.Add(5*time.Minute+time.Second), w.body) },
		"of a distant time":  func(w *webhook) { *w = sign(w.id, time.Unix(1<<62, 0), w.body) },
		"longer than events": func(w *webhook) { *w = sign(w.id, noon, strings.Repeat(" ", 256<<10)+w.body) },
	} {
		w := good
		lie(&w)
		if all, err := hear(t, w); !fault.Is(err, fault.Unauthorized) || all != nil {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	for name, w := range map[string]webhook{
		"as old as may be":       sign("msg_1", noon.Add(-5*time.Minute), bounced),
		"as new as may be":       sign("msg_1", noon.Add(5*time.Minute), bounced),
		"while a secret changes": {good.id, good.sent, "v1,AAAA v1a,BBBB " + good.signature, good.body},
	} {
		if _, err := hear(t, w); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := hear(t, sign("msg_1", noon, "{")); !fault.Is(err, fault.Invalid) {
		t.Errorf("what is no JSON: %v", err)
	}
}

func TestEvents(t *testing.T) {
	at := time.Date(2026, 11, 2, 11, 59, 0, 0, time.UTC)
	event := func(kind, data string) string {
		return `{"type":"` + kind + `","created_at":"2026-11-02T11:59:00.000Z","data":{` + data + `}}`
	}
	const tagged = `"tags":{"key":"k1"}`
	for body, want := range map[string][]notify.Event{
		bounced: {{ID: "e", Key: "k1", Kind: notify.Bounced, At: at, Reason: "no such mailbox"}},
		event("email.bounced", tagged+`,"bounce":{"type":"Transient","message":"full"}`): {{ID: "e", Key: "k1", Kind: notify.Returned, At: at, Reason: "full"}},
		event("email.sent", `"tags":[{"name":"key","value":"k1"}]`):                      {{ID: "e", Key: "k1", Kind: notify.Taken, At: at}},
		event("email.delivered", tagged):                                                 {{ID: "e", Key: "k1", Kind: notify.Delivered, At: at}},
		event("email.delivery_delayed", tagged):                                          {{ID: "e", Key: "k1", Kind: notify.Delayed, At: at}},
		event("email.complained", tagged):                                                {{ID: "e", Key: "k1", Kind: notify.Complained, At: at}},
		event("email.failed", tagged+`,"failed":{"reason":"reached_daily_quota"}`):       {{ID: "e", Key: "k1", Kind: notify.Unsent, At: at, Reason: "reached_daily_quota"}},
		event("email.suppressed", tagged+`,"suppressed":{"message":"on the list"}`):      {{ID: "e", Key: "k1", Kind: notify.Unsent, At: at, Reason: "on the list"}},
		event("email.delivered", `"tags":7`):                                             {{ID: "e", Kind: notify.Delivered, At: at}},
		`{"type":"email.delivered","data":{}}`:                                           {{ID: "e", Kind: notify.Delivered, At: noon}},
		event("email.opened", tagged):                                                    nil,
		event("contact.created", ``):                                                     nil,
		`{}`:                                                                             nil,
	} {
		got, err := hear(t, sign("e", noon, body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

func FuzzEvents(f *testing.F) {
	for _, body := range []string{bounced, "{", "[]", `{"type":7}`, `{"type":"email.bounced","data":{"tags":[[]]}}`, `{"type":"email.sent","data":null}`} {
		f.Add(body, "v1,x")
	}
	f.Fuzz(func(t *testing.T, body, signature string) {
		w := sign("e", noon, body)
		if all, err := hear(t, w); err == nil {
			for _, e := range all {
				if e.ID != "e" || e.Kind == "" || e.At.IsZero() {
					t.Errorf("%+v", e)
				}
			}
		}
		w.signature, w.body = signature, w.body+" "
		if _, err := hear(t, w); err == nil {
			t.Errorf("%q is a signature", signature)
		}
	})
}

func TestListenerOptions(t *testing.T) {
	clock := func() time.Time { return noon }
	for _, s := range []string{"", "whsec_", "sixteen bytes and some", "whsec_%%", "whsec_c2hvcnQ="} {
		if _, err := resend.NewListener(s, clock); fault.Of(err) == nil || fault.Of(err).Field != "secret" {
			t.Errorf("%q: %v", s, err)
		}
	}
	if _, err := resend.NewListener(secret, nil); fault.Of(err) == nil || fault.Of(err).Field != "now" {
		t.Errorf("without a clock: %v", err)
	}
}
