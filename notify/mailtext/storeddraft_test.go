package mailtext_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
)

// fixture is an outbox that renders stored drafts.
type fixture struct {
	*notify.Outbox
	reply notify.Receipt
	sent  []notify.Mail // all attempts
}

func newFixture() *fixture {
	now := func() time.Time { return start }
	p := &fixture{reply: notify.Receipt{Outcome: notify.Accepted, ProviderID: "provider-1"}}
	p.Outbox = &notify.Outbox{
		Store: memkv.New(memkv.Options{Now: now}).Store("PLEDGES"), Sender: p, Now: now,
		From: "Pledges <pledges@example.org>", Render: mailtext.RenderHTML,
	}
	return p
}

func (p *fixture) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	p.sent = append(p.sent, m)
	return p.reply, nil
}

func (p *fixture) drain(t *testing.T, limit int) notify.Drained {
	t.Helper()
	d, err := p.Drain(t.Context(), limit)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

type keptMail struct {
	Mail  notify.Mail
	Draft json.RawMessage
}

func (p *fixture) kept(t *testing.T, identity string) keptMail {
	t.Helper()
	k, there, err := kv.Read[keptMail](t.Context(), p.Store, notify.OutboxKey(notify.Hash(identity)))
	if err != nil || !there {
		t.Fatal(there, err)
	}
	return k
}

// Mails are queued without HTML and sent with it. The HTML is the same in every attempt, including
// those by a later release.
func TestOutbox_StoresDraftInsteadOfHTML(t *testing.T) {
	for i, m := range append(allMails(t), richNews(t)) {
		t.Run(fmt.Sprintf("%d %s %s", i, m.Kind, m.Lang), func(t *testing.T) {
			p := newFixture()
			if err := p.Queue(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			waiting := p.kept(t, m.Identity)
			if waiting.Mail.HTML != "" || waiting.Draft == nil || 2*len(waiting.Draft) > len(m.HTML) {
				t.Errorf("stored %d bytes of HTML and a draft of %d bytes; the HTML has %d",
					len(waiting.Mail.HTML), len(waiting.Draft), len(m.HTML))
			}
			p.reply = notify.Receipt{Outcome: notify.RetryLater}
			p.drain(t, 10)
			tried := p.kept(t, m.Identity)
			if diff := cmp.Diff(m.HTML, tried.Mail.HTML); diff != "" || tried.Draft != nil {
				t.Errorf("after an attempt, with draft %s:\n%s", tried.Draft, diff)
			}
			for _, sent := range p.sent {
				if diff := cmp.Diff(m.HTML, sent.HTML); diff != "" {
					t.Errorf("sent:\n%s", diff)
				}
			}
			if len(p.sent) != 1 || p.sent[0].Text != m.Text {
				t.Errorf("%d were sent", len(p.sent))
			}
		})
	}
}

// richNews returns news with a block of every kind.
func richNews(t *testing.T) notify.Message {
	t.Helper()
	n := news()
	n.Content[0].Text = "# Heading\n\nA *soft*, **loud** `coded` [link](https://example.org/?a=1&b=2).\n\n" +
		"1. One\n2. Two\n   - deep\n\n> Said & done\n\n---\n"
	return compose(t, n)
}

// HTML that a caller has changed is sent unchanged, and a mail may have no HTML.
func TestOutbox_ChangedHTMLIsSent(t *testing.T) {
	for _, html := range []string{"<p>Mine</p>", ""} {
		p, m := newFixture(), allMails(t)[0]
		m.HTML = html
		if err := p.Queue(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		p.drain(t, 1)
		if len(p.sent) != 1 || p.sent[0].HTML != html {
			t.Errorf("sent %+v", p.sent)
		}
	}
}

// Proves KVR-48: the content hash stays the same for the mail's whole life.
func TestDelivery_ContentHashStays(t *testing.T) {
	p, m := newFixture(), allMails(t)[0]
	if err := p.Queue(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	queued, err := p.Delivery(t.Context(), m.Identity)
	if err != nil {
		t.Fatal(err)
	}
	p.drain(t, 1)
	sent, err := p.Delivery(t.Context(), m.Identity)
	if err != nil {
		t.Fatal(err)
	}
	if sent.Status != notify.Sent || sent.ContentHash != queued.ContentHash || len(sent.ContentHash) != 64 {
		t.Errorf("queued %+v, sent %+v", queued, sent)
	}
}

// A draft with blocks of a newer release is left untouched.
func TestDrain_UnknownDraftBlock(t *testing.T) {
	p, m := newFixture(), allMails(t)[0]
	if err := p.Queue(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	key := notify.OutboxKey(notify.Hash(m.Identity))
	b, err := p.Store.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	strange := strings.Replace(string(b), `{"paragraph":`, `{"carousel":`, 1)
	if err := p.Store.Apply(t.Context(), []kv.Write{kv.Put(key, []byte(strange))}); err != nil {
		t.Fatal(err)
	}
	d := p.drain(t, 1)
	if _, err := p.Store.Get(t.Context(), key); d.Unreadable != 1 || len(p.sent) != 0 || err != nil {
		t.Errorf("%+v, %d sent, %v", d, len(p.sent), err)
	}
}

func FuzzDraft(f *testing.F) {
	f.Add([]byte(`{"lang":"es","platform":{"Name":"P"},"subject":"S",` +
		`"blocks":[{"paragraph":[{"words":"a\nb","link":"https://example.org","em":true}]},` +
		`{"quote":[{"small":"x"}]}],"footer":[]}`))
	f.Add([]byte(`{"blocks":[{"bill":{"title":"T","rows":[{"label":"L","cents":5,"total":true}]}},` +
		`{"list":{"ordered":true,"items":[[{"divider":{}}],[]]}}]}`))
	f.Add([]byte(`{"blocks":[{"action":{"label":"L","link":"x"}},{"aside":{}},{"picture":{"src":"s"}},` +
		`{"group":[{"heading":[]}]}]}`))
	f.Add([]byte(`{"blocks":[null,{"paragraph":null},{}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		first, again, err := mailtext.DraftTwice(b)
		if err == nil && first != again {
			t.Errorf("%s\nis different after a round trip:\n%s", first, again)
		}
	})
}
