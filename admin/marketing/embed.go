package marketing

import (
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Embed describes how a frame on another site shows a campaign.
type Embed struct {
	Lang    string // "es" for Spanish, otherwise English
	Compact bool   // without the picture, for a narrow column
	Theme   string // "light", "dark" or "plain"; "" follows the visitor's preference
	// HideMedia omits the picture, and HideButton the link to the campaign.
	HideMedia, HideButton bool
}

// Frame is the URL of a campaign's embedded page and the HTML to copy into another site's page.
type Frame struct {
	URL  string `json:"url"`
	HTML string `json:"html"`
}

// themes are the themes of the embedded page.
var themes = []string{"", "light", "dark", "plain"}

// The size of a frame until the embedded page reports its size, in CSS pixels.
const (
	frameWidth    = 420
	frameHeight   = 520
	compactHeight = 220
)

// Frame returns the frame of a campaign's embedded page. Base is the site's address. It
// fails with code Invalid and the field theme for an unknown theme.
func (e Embed) Frame(base, slug, title string) (Frame, error) {
	if !slices.Contains(themes, e.Theme) {
		return Frame{}, fault.New(fault.Invalid, "The theme must be light, dark or plain").In("theme")
	}
	page, height := "/embed/"+slug+"/", frameHeight
	if e.Compact {
		page, height = page+"compact/", compactHeight
	}
	if e.Lang == "es" {
		page = "/es" + page
	}
	q := url.Values{}
	for name, value := range map[string]string{"theme": e.Theme, "media": hidden(e.HideMedia),
		"cta": hidden(e.HideButton)} {
		if value != "" {
			q.Set(name, value)
		}
	}
	address := strings.TrimRight(base, "/") + page
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	return Frame{URL: address,
		HTML: fmt.Sprintf(`<iframe src="%s" title="%s" width="%d" height="%d" loading="lazy"></iframe>`,
			html.EscapeString(address), html.EscapeString(title), frameWidth, height)}, nil
}

func hidden(is bool) string {
	if is {
		return "hide"
	}
	return ""
}
