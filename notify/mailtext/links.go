package mailtext

import (
	"net/url"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Links creates the links in mails. A link opens a page of the site, and every change requires a
// button on that page. Tokens are in the fragment, which browsers do not send to servers, so that
// they do not appear in logs or Referer headers.
type Links struct {
	SiteBase string // absolute URL, such as "https://example.org"
	Signer   token.Signer
	// Platform is the sender named in the mails.
	Platform Platform
}

// Manage returns the link to view and change one pledge for the next 90 days, in the
// pledge's language: {SITE_BASE}/manage/#t=…
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

// Join returns a manage link whose page offers to join all pledges of the same address to the
// campaign, so that they are charged together: {SITE_BASE}/manage/#t=…&all=…&do=join
func (l Links) Join(p *pledge.Pledge, now time.Time) (string, error) {
	manage, err := l.Manage(p, now)
	if err != nil {
		return "", err
	}
	all, err := l.Signer.Sign(token.Claims{Scope: token.Join, Email: p.Email, CampaignSlug: p.CampaignSlug,
		Expires: now.Add(token.ManageLife)})
	return manage + "&" + url.Values{"all": {all}}.Encode() + "&do=join", err
}

// Preview returns a reviewer's link to a campaign's preview, valid until the given time:
// {SITE_BASE}/campaigns/{slug}/preview/#t=…
func (l Links) Preview(slug, reviewer, lang string, until time.Time) (string, error) {
	t, err := l.Signer.Sign(token.Claims{Scope: token.Preview, Email: reviewer, CampaignSlug: slug, Expires: until})
	if err != nil {
		return "", err
	}
	return l.page(lang, "/campaigns/"+slug+"/preview/#") + url.Values{"t": {t}}.Encode(), nil
}

// Dashboard returns the URL of the dashboard in a language: {SITE_BASE}/admin/
func (l Links) Dashboard(lang string) string { return l.page(lang, "/admin/") }

// UnsubscribePage returns the link to the unsubscribe page for a mail's text, given the mail's
// Unsubscribe URL. It moves the URL's token into the fragment: the service redirects to the
// page, and browsers keep the fragment. A URL without a token is returned unchanged.
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

// page returns the absolute URL of a page in a language.
func (l Links) page(lang, path string) string {
	return strings.TrimRight(l.SiteBase, "/") + languageFor(lang).prefix() + path
}
