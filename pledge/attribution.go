package pledge

import (
	"net/url"
	"strings"
)

const maxAttribution = 64

// Clean returns the attribution in its stored form. Each part is reduced to ASCII letters, digits,
// spaces and the characters -_.+, cut to 64 bytes and trimmed. It drops other characters without an
// error, because anyone can write a link.
func (a Attribution) Clean() Attribution {
	return Attribution{
		Referral:    cleanTag(a.Referral),
		UTMSource:   cleanTag(a.UTMSource),
		UTMMedium:   cleanTag(a.UTMMedium),
		UTMCampaign: cleanTag(a.UTMCampaign),
		UTMContent:  cleanTag(a.UTMContent),
	}
}

// Query returns the attribution as the query of a link, such as
// "utm_medium=email&utm_source=news", sorted by name. It returns "" for an empty attribution.
func (a Attribution) Query() string {
	q := url.Values{}
	for name, value := range map[string]string{
		"ref": a.Referral, "utm_source": a.UTMSource, "utm_medium": a.UTMMedium,
		"utm_campaign": a.UTMCampaign, "utm_content": a.UTMContent,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q.Encode()
}

func cleanTag(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.+ ", r) {
			return r
		}
		return -1
	}, s)
	return strings.TrimSpace(s[:min(len(s), maxAttribution)])
}

// Language returns the supported language for a language tag: "es" for Spanish, "en"
// for everything else.
func Language(tag string) string {
	if primary, _, _ := strings.Cut(strings.ToLower(tag), "-"); primary == "es" {
		return "es"
	}
	return "en"
}
