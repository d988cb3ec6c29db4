package notify_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
)

type keptMail struct {
	Mail  notify.Mail
	Draft json.RawMessage
}

func (p *fixture) kept(t *testing.T, identity string) keptMail {
	t.Helper()
	k, there, err := kv.Read[keptMail](ctx, p.Store, notify.OutboxKey(notify.Hash(identity)))
	if err != nil || !there {
		t.Fatal(there, err)
	}
	return k
}

// Mails are queued without HTML and sent with it. The HTML is the same in every attempt, also
// by a later release.
func TestOutbox_StoresDraftInsteadOfHTML(t *testing.T) {
	for i, m := range append(allMails(t), richNews(t)) {
		t.Run(fmt.Sprintf("%d %s %s", i, m.Kind, m.Lang), func(t *testing.T) {
			p := newFixture()
			if err := p.Queue(ctx, m); err != nil {
				t.Fatal(err)
			}
			waiting := p.kept(t, m.Identity)
			if waiting.Mail.HTML != "" || waiting.Draft == nil || 2*len(waiting.Draft) > len(m.HTML) {
				t.Errorf("stored %d bytes of HTML and a draft of %d bytes; the HTML has %d", len(waiting.Mail.HTML), len(waiting.Draft), len(m.HTML))
			}
			p.reply = func(notify.Mail) (notify.Receipt, error) { return notify.Receipt{Outcome: notify.RetryLater}, nil }
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
	n.Content[0].Text = "# Heading\n\nA *soft*, **loud** `coded` [link](https://example.org/?a=1&b=2).\n\n1. One\n2. Two\n   - deep\n\n> Said & done\n\n---\n"
	return compose(t, n)
}

// HTML that a caller has changed is sent as it is, and a mail may have none.
func TestOutbox_ChangedHTMLIsSent(t *testing.T) {
	for _, html := range []string{"<p>Mine</p>", ""} {
		p, m := newFixture(), allMails(t)[0]
		m.HTML = html
		if err := p.Queue(ctx, m); err != nil {
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
	if err := p.Queue(ctx, m); err != nil {
		t.Fatal(err)
	}
	queued := p.delivery(t, m.Identity)
	p.drain(t, 1)
	sent := p.delivery(t, m.Identity)
	if sent.Status != notify.Sent || sent.ContentHash != queued.ContentHash || len(sent.ContentHash) != 64 {
		t.Errorf("queued %+v, sent %+v", queued, sent)
	}
}

// A draft with blocks of a newer release is left untouched.
func TestDrain_UnknownDraftBlock(t *testing.T) {
	p, m := newFixture(), allMails(t)[0]
	if err := p.Queue(ctx, m); err != nil {
		t.Fatal(err)
	}
	key := notify.OutboxKey(notify.Hash(m.Identity))
	b, err := p.Store.Get(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	strange := strings.Replace(string(b), `{"paragraph":`, `{"carousel":`, 1)
	if err := p.Store.Apply(ctx, []kv.Write{kv.Put(key, []byte(strange))}); err != nil {
		t.Fatal(err)
	}
	if d := p.drain(t, 1); d.Unreadable != 1 || len(p.sent) != 0 || !p.has(t, key) {
		t.Errorf("%+v, %d sent", d, len(p.sent))
	}
}

func FuzzDraft(f *testing.F) {
	f.Add([]byte(`{"lang":"es","platform":{"Name":"P"},"subject":"S","blocks":[{"paragraph":[{"words":"a\nb","link":"https://example.org","em":true}]},{"quote":[{"small":"x"}]}],"footer":[]}`))
	f.Add([]byte(`{"blocks":[{"bill":{"title":"T","rows":[{"label":"L","cents":5,"total":true}]}},{"list":{"ordered":true,"items":[[{"divider":{}}],[]]}}]}`))
	f.Add([]byte(`{"blocks":[{"action":{"label":"L","link":"x"}},{"aside":{}},{"picture":{"src":"s"}},{"group":[{"heading":[]}]}]}`))
	f.Add([]byte(`{"blocks":[null,{"paragraph":null},{}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		first, again, err := notify.DraftTwice(b)
		if err == nil && first != again {
			t.Errorf("%s\nis different after a round trip:\n%s", first, again)
		}
	})
}
