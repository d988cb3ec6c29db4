// Package marketing is what those who run campaigns take along to tell of them: links, frames
// for other sites, and the referral codes of who tells others.
package marketing

import (
	"net/url"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The parameters of a link, as the site's pages read them.
const (
	Ref         = "ref"
	UTMSource   = "utm_source"
	UTMMedium   = "utm_medium"
	UTMCampaign = "utm_campaign"
	UTMContent  = "utm_content"
)

// Links are the addresses of a campaign's page, in each language.
type Links struct {
	English string `json:"en"`
	Spanish string `json:"es"`
}

// Link returns the addresses of a campaign's page below base, the site's address, that say
// where somebody came from. What isn't said is left out. It fails with code Invalid, and the
// parameter as the field, for what a checkout would not store as it stands.
func Link(base, slug string, from pledge.Attribution) (Links, error) {
	clean := from.Clean()
	q := url.Values{}
	for _, part := range []struct{ name, given, stored string }{
		{Ref, from.Referral, clean.Referral},
		{UTMSource, from.UTMSource, clean.UTMSource},
		{UTMMedium, from.UTMMedium, clean.UTMMedium},
		{UTMCampaign, from.UTMCampaign, clean.UTMCampaign},
		{UTMContent, from.UTMContent, clean.UTMContent},
	} {
		if part.given != part.stored {
			return Links{}, fault.New(fault.Invalid, "At most 64 letters from a to z, digits, and - _ . + or spaces between them").In(part.name)
		}
		if part.given != "" {
			q.Set(part.name, part.given)
		}
	}
	page := "/campaigns/" + slug + "/"
	if len(q) > 0 {
		page += "?" + q.Encode()
	}
	base = strings.TrimRight(base, "/")
	return Links{English: base + page, Spanish: base + "/es" + page}, nil
}
