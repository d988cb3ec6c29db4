package httpapi_test

import (
	"context"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/feedback"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// signed is a listener that accepts the signature "yes" and reports one event.
type signed struct{}

func (signed) Events(_ context.Context, header func(string) string, body []byte) ([]notify.Event, error) {
	if header("Signature") != "yes" {
		return nil, fault.New(fault.Unauthorized, "too old")
	}
	return []notify.Event{{ID: string(body), Key: "a mail", Kind: notify.Complained}}, nil
}

// oneMail recognizes one mail.
type oneMail struct{ to string }

func (m oneMail) Note(_ context.Context, e notify.Event) (notify.Noted, bool, error) {
	return notify.Noted{Recipient: m.to, Stream: notify.Updates, Campaign: game}, e.Key == "a mail", nil
}

func TestMailWebhook(t *testing.T) {
	e := newEdge(t, memory.Options{Reports: signed{}})
	e.Services.Feedback.Observers = []notify.Noter{oneMail{e.Services.Suppressions.Address(reader)}}
	e.wantFailure(e.post("/webhooks/email", []byte("e1")), 401, "Invalid signature")
	for _, want := range []feedback.Applied{{Applied: 1}, {Repeated: 1}} {
		r := e.post("/webhooks/email", []byte("e1"), "Signature", "yes", "Content-Type", "text/plain", "Origin", "")
		e.wantStatus(r, 200)
		if got := decode[feedback.Applied](t, r); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if e.stops(notify.Blast, film) != "complained" || e.stops(notify.Charged, film) != "" {
		t.Error("a complaint must suppress all mails except those about pledges")
	}
	e = newEdge(t, memory.Options{})
	e.wantStatus(e.post("/webhooks/email", []byte("e1"), "Signature", "yes"), 404)
}
