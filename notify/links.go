package notify

import (
	"net/url"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Links makes the links that mails carry. Following one opens a page of the
// site; whatever changes something is a button on that page. A token is in the
// fragment, which browsers send to no server, so that no log and no Referer has it.
type Links struct {
	SiteBase string // absolute, such as "https://example.org"
	Signer   token.Signer
	// Platform is whose site it is.
	Platform Platform
}

// Manage returns the link with which a supporter sees and changes one pledge
// for the next 90 days, in the pledge's language: {SITE_BASE}/manage/#t=…
func (l Links) Manage(p *pledge.Pledge, now time.Time) (string, error) {
	t, err := l.Signer.Sign(token.Claims{
		Scope: token.Manage, OrderID: p.OrderID, Email: p.Email,
		CampaignSlug: p.CampaignSlug, Expires: now.Add(token.ManageLife),
	})
	if err != nil {
		return "", err
	}
	return l.page(p.PreferredLang, "/manage/#") + url.Values{"t": {t}}.Encode(), nil
}

// Join returns the link of Manage with which a supporter has a pledge charged together with
// all others of its address to the campaign, by one button: {SITE_BASE}/manage/#t=…&all=…&do=join
func (l Links) Join(p *pledge.Pledge, now time.Time) (string, error) {
	manage, err := l.Manage(p, now)
	if err != nil {
		return "", err
	}
	all, err := l.Signer.Sign(token.Claims{Scope: token.Join, Email: p.Email, CampaignSlug: p.CampaignSlug, Expires: now.Add(token.ManageLife)})
	return manage + "&" + url.Values{"all": {all}}.Encode() + "&do=join", err
}

// Preview returns the link with which one reviewer sees a campaign's preview until a time:
// {SITE_BASE}/campaigns/{slug}/preview/#t=…
func (l Links) Preview(slug, reviewer, lang string, until time.Time) (string, error) {
	t, err := l.Signer.Sign(token.Claims{Scope: token.Preview, Email: reviewer, CampaignSlug: slug, Expires: until})
	if err != nil {
		return "", err
	}
	return l.page(lang, "/campaigns/"+slug+"/preview/#") + url.Values{"t": {t}}.Encode(), nil
}

// Dashboard returns the address of the page for those who run campaigns, in a language:
// {SITE_BASE}/admin/
func (l Links) Dashboard(lang string) string { return l.page(lang, "/admin/") }

// UnsubscribePage returns the link of a mail's text to the page that asks whether to stop
// more of these, for its Unsubscribe address. It has the address' token in its fragment; the
// service redirects to the page, and browsers keep the fragment. Without a token the address
// is returned as it is.
func UnsubscribePage(unsubscribe string) string {
	u, err := url.Parse(unsubscribe)
	if err != nil || u.Query().Get("t") == "" {
		return unsubscribe
	}
	q := u.Query()
	fragment := url.Values{"t": {q.Get("t")}}.Encode()
	q.Del("t")
	u.RawQuery = q.Encode()
	return u.String() + "#" + fragment
}

func (l Links) page(lang, path string) string {
	return strings.TrimRight(l.SiteBase, "/") + wordsOf(lang).prefix + path
}
