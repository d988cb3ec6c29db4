package marketing_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/marketing"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestLink(t *testing.T) {
	for name, c := range map[string]struct {
		from pledge.Attribution
		want string
	}{
		"nothing":    {pledge.Attribution{}, ""},
		"a referral": {pledge.Attribution{Referral: "ada"}, "?ref=ada"},
		"everything": {
			pledge.Attribution{Referral: "a+b c", UTMSource: "news", UTMMedium: "mail", UTMCampaign: "x.y", UTMContent: "top_1"},
			"?ref=a%2Bb+c&utm_campaign=x.y&utm_content=top_1&utm_medium=mail&utm_source=news",
		},
		"the longest": {pledge.Attribution{UTMContent: strings.Repeat("x", 64)}, "?utm_content=" + strings.Repeat("x", 64)},
	} {
		for _, base := range []string{"https://example.org", "https://example.org/"} {
			got, err := marketing.Link(base, "film", c.from)
			want := marketing.Links{English: "https://example.org/campaigns/film/" + c.want,
				Spanish: "https://example.org/es/campaigns/film/" + c.want}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
			}
		}
	}
}

func TestLink_Rejects(t *testing.T) {
	for _, bad := range []string{"<b>", "a&b", "é", "a\n", "a\x00", " a", "a ", "a=b",
		"%41", "\xff", strings.Repeat("x", 65)} {
		for field, from := range map[string]pledge.Attribution{
			"ref": {Referral: bad}, "utm_source": {UTMSource: bad}, "utm_medium": {UTMMedium: bad},
			"utm_campaign": {UTMCampaign: bad}, "utm_content": {UTMContent: bad},
		} {
			got, err := marketing.Link("https://example.org", "film", from)
			if !fault.Is(err, fault.Invalid) || !strings.HasPrefix(err.Error(), field+": ") || got != (marketing.Links{}) {
				t.Errorf("%s of %q: %+v, %v", field, bad, got, err)
			}
		}
	}
}

// Parsing a link returns the given parameters, or Link fails.
func FuzzLink(f *testing.F) {
	f.Add("ada", "news", "mail", "spring", "top")
	f.Add("a+b c", "&ref=x", "<b>", "\xff", " ")
	f.Fuzz(func(t *testing.T, ref, source, medium, campaign, content string) {
		from := pledge.Attribution{Referral: ref, UTMSource: source, UTMMedium: medium,
			UTMCampaign: campaign, UTMContent: content}
		links, err := marketing.Link("https://example.org", "film", from)
		if err != nil {
			return
		}
		for path, link := range map[string]string{"/campaigns/film/": links.English, "/es/campaigns/film/": links.Spanish} {
			u, err := url.Parse(link)
			if err != nil || u.Host != "example.org" || u.Path != path {
				t.Fatalf("%q: %v", link, err)
			}
			q := u.Query()
			got := pledge.Attribution{
				Referral: q.Get("ref"), UTMSource: q.Get("utm_source"), UTMMedium: q.Get("utm_medium"),
				UTMCampaign: q.Get("utm_campaign"), UTMContent: q.Get("utm_content"),
			}
			if diff := cmp.Diff(from, got); diff != "" {
				t.Errorf("%q (-given +read):\n%s", link, diff)
			}
		}
	})
}
