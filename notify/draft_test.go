package notify_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// drafted returns a message whose HTML was rendered from a draft.
func drafted() notify.Message {
	m := message("a")
	m.HTML = "<p>Hello</p>"
	return m.RenderedFrom(json.RawMessage(`{"words":"Hello"}`))
}

func render(draft json.RawMessage) (string, error) {
	var d struct{ Words string }
	if err := json.Unmarshal(draft, &d); err != nil || d.Words == "" {
		return "", errors.New("unknown draft")
	}
	return "<p>" + d.Words + "</p>", nil
}

func TestRender(t *testing.T) {
	changed := drafted()
	changed.HTML = "<p>Mine</p>"
	for name, tt := range map[string]struct {
		message     notify.Message
		render      func(json.RawMessage) (string, error)
		draft, sent string
	}{
		"draft":           {drafted(), render, `{"words":"Hello"}`, "<p>Hello</p>"},
		"no function":     {drafted(), nil, "", "<p>Hello</p>"},
		"changed HTML":    {changed, render, "", "<p>Mine</p>"},
		"without a draft": {message("a"), render, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newFixture()
			p.Render = tt.render
			if err := p.Queue(ctx, tt.message); err != nil {
				t.Fatal(err)
			}
			stored, _, err := kv.Read[struct{ Draft json.RawMessage }](ctx, p.Store, notify.OutboxKey(notify.Hash("a")))
			if err != nil {
				t.Fatal(err)
			}
			p.drain(t, 1)
			if diff := cmp.Diff(tt.draft, string(stored.Draft)); diff != "" || len(p.sent) != 1 || p.sent[0].HTML != tt.sent {
				t.Errorf("sent %+v, draft %s", p.sent, diff)
			}
		})
	}
}

// A mail whose draft cannot be rendered stays in the outbox.
func TestRender_Failure(t *testing.T) {
	for name, failing := range map[string]func(json.RawMessage) (string, error){
		"unknown draft": func(json.RawMessage) (string, error) { return "", errors.New("unknown draft") },
		"no function":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			p := newFixture()
			p.Render = render
			if err := p.Queue(ctx, drafted()); err != nil {
				t.Fatal(err)
			}
			p.Render = failing
			if d := p.drain(t, 1); d.Unreadable != 1 || len(p.sent) != 0 || !p.has(t, notify.OutboxKey(notify.Hash("a"))) {
				t.Errorf("%+v, sent %+v", d, p.sent)
			}
		})
	}
}
