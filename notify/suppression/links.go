package suppression

import (
	"net/url"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Links makes the addresses by which readers unsubscribe, and knows them again.
type Links struct {
	Base   string // of the service, absolute
	Signer token.Signer
}

// Unsubscribe returns the absolute address that stops more mails like this one, for
// Message.Unsubscribe: a POST to it does so (RFC 8058), a GET leads to the page that asks.
// Kind, To, Campaign and Lang have to be there. It fails with code Invalid where nobody
// may stop the kind.
func (l Links) Unsubscribe(m notify.Message, now time.Time) (string, error) {
	s, err := ScopeOf(m.Kind, m.Campaign)
	if err != nil {
		return "", err
	}
	email, err := pledge.ParseEmail(m.To)
	if err != nil {
		return "", err
	}
	t, err := l.Signer.Sign(token.Claims{
		Scope: token.Unsubscribe, Topic: string(s.Topic), Email: email,
		CampaignSlug: s.Campaign, Expires: now.Add(token.UnsubscribeLife),
	})
	if err != nil {
		return "", err
	}
	q := url.Values{"t": {t}}
	if m.Lang != "" && m.Lang != "en" {
		q.Set("lang", m.Lang)
	}
	path := "/unsubscribe?"
	if s.Topic == Launch {
		path = "/launch-reminders/unsubscribe?"
	}
	return strings.TrimRight(l.Base, "/") + path + q.Encode(), nil
}

// Open returns what a token of such an address stops, and for whom. It fails with code
// Unauthorized for what was not made by Unsubscribe.
func (l Links) Open(t string, now time.Time) (s Scope, email string, err error) {
	c, err := l.Signer.Verify(t, token.Unsubscribe, now)
	if err != nil {
		return Scope{}, "", err
	}
	s = Scope{Topic: Topic(c.Topic), Campaign: c.CampaignSlug}
	if s.Topic == Everything || s.check() != nil || c.Email == "" {
		return Scope{}, "", fault.New(fault.Unauthorized, "Invalid or expired token")
	}
	return s, c.Email, nil
}
