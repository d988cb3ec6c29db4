// Package marketing helps creators to promote their campaigns. It provides links with referral and
// UTM parameters (Link), frames for other sites (Embed), and referral codes (Referrals).
//
// Referral codes are stored in one object per campaign, with a copy in the Store for
// reading. Errors are faults of package fault, with the field that caused them.
package marketing

import (
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The query parameters of a link, as the site's pages read them.
const (
	Ref         = "ref"
	UTMSource   = "utm_source"
	UTMMedium   = "utm_medium"
	UTMCampaign = "utm_campaign"
	UTMContent  = "utm_content"
)

// Links are the addresses of a campaign's page in each language.
type Links struct {
	English string `json:"en"`
	Spanish string `json:"es"`
}

// Link returns the addresses of a campaign's page with the given attribution as query
// parameters. Base is the site's address. Empty values are omitted. It fails with code
// Invalid, and the parameter as the field, for a value that a checkout would not store
// unchanged.
func Link(base, slug string, from pledge.Attribution) (Links, error) {
	clean := from.Clean()
	for _, part := range []struct{ name, given, stored string }{
		{Ref, from.Referral, clean.Referral},
		{UTMSource, from.UTMSource, clean.UTMSource},
		{UTMMedium, from.UTMMedium, clean.UTMMedium},
		{UTMCampaign, from.UTMCampaign, clean.UTMCampaign},
		{UTMContent, from.UTMContent, clean.UTMContent},
	} {
		if part.given != part.stored {
			return Links{}, fault.New(fault.Invalid,
				"Use at most 64 characters: a to z, digits, spaces and - _ . +").In(part.name)
		}
	}
	page := "/campaigns/" + slug + "/"
	if q := from.Query(); q != "" {
		page += "?" + q
	}
	base = strings.TrimRight(base, "/")
	return Links{English: base + page, Spanish: base + "/es" + page}, nil
}
