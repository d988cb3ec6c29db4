package site

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

//go:embed templates/*.html
var templateFiles embed.FS

// pageTemplates contains each page's template in each language, by keys such as "es campaign".
type pageTemplates map[string]*template.Template

// readTemplates parses the template of each page together with its frame and the shared parts.
func readTemplates(b *Builder) (pageTemplates, error) {
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, err
	}
	all := pageTemplates{}
	for _, l := range b.locales {
		frames := map[string]*template.Template{} // each is parsed once and cloned for its pages
		for _, name := range names {
			page := strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".html")
			if page == "frame" || page == "parts" || page == "bare" || page == "dashboard" {
				continue
			}
			frame := frameOf(page)
			if frames[frame] == nil {
				if frames[frame], err = b.readFrame(frame, l); err != nil {
					return nil, err
				}
			}
			t, err := frames[frame].Clone()
			if err == nil {
				_, err = t.ParseFS(templateFiles, name)
			}
			if err != nil {
				return nil, err
			}
			all[l.Code+" "+page] = t
		}
	}
	return all, nil
}

// readFrame parses a frame together with the shared parts.
func (b *Builder) readFrame(frame string, l locale) (*template.Template, error) {
	return template.New(frame[len("templates/"):]).Funcs(b.functions(l)).ParseFS(templateFiles,
		frame, "templates/parts.html")
}

// frameOf returns the name of a page's frame, the template with the HTML document around its
// content.
func frameOf(page string) string {
	switch page {
	case "embed":
		return "templates/bare.html"
	case "admin":
		return "templates/dashboard.html"
	}
	return "templates/frame.html"
}

// functions returns the template functions for a language.
func (b *Builder) functions(l locale) template.FuncMap {
	return template.FuncMap{
		"t":      l.say,
		"date":   l.date,
		"until":  l.until,
		"zone":   zoneName,
		"bold":   boldNumber,
		"moment": l.moment,
		"month": func(yearMonth string) (string, error) {
			t, err := time.Parse("2006-01", yearMonth)
			if err != nil {
				return "", err
			}
			return l.month(t)
		},
		"category": l.category,
		"lang":     l.langAttribute,
		"ownLang":  l.ownLangAttribute,
		"pageLang": func() string { return l.Code },
		"shipsTo": func(countries []string) (string, error) {
			return l.shipsTo(countries, b.config.Shipping.Excluded.List())
		},
		"price": func(c money.Cents) string { return c.Price(l.Code) },
		"dollars": func(c money.Cents) string {
			return strings.NewReplacer("$", "", ",", "").Replace(c.Price(origin))
		},
		"path":         func(p string) string { return l.prefix() + p },
		"rewardAnchor": campaign.RewardAnchor,
		"rich":         func(s string) template.HTML { return rich(s) },
		"img":          img,
		"card": func(s campaignView, eager bool) map[string]any {
			return map[string]any{"Campaign": s, "Eager": eager}
		},
		"reward": func(t tierView, s campaignView) map[string]any {
			return map[string]any{"Tier": t, "Campaign": s}
		},
		"play": play,
		"languageName": func(code string) (string, error) {
			for _, other := range b.locales {
				if other.Code == code {
					return other.say("language_name")
				}
			}
			return code, nil
		},
		"asset": b.assets.url,
		"json": func(v any) (template.JS, error) {
			text, err := json.Marshal(v)
			return template.JS(text), err //nolint:gosec // json.Marshal escapes the end of a script
		},
		"frame":  safety.Embed,
		"hostOf": hostOf,

		"policy":   b.policy,
		"messages": l.scriptMessages,
	}
}

// img returns the data of the img template for a picture or captionedPicture. sizes is the value of
// the sizes attribute, and eager disables lazy loading.
func img(p any, alt, sizes string, eager bool) map[string]any {
	if s, ok := p.(captionedPicture); ok {
		p = s.picture
	}
	return map[string]any{"P": p, "Alt": alt, "Sizes": sizes, "Eager": eager}
}

// number matches a number and, if it has one, its percent sign.
var number = regexp.MustCompile(`[\d.,]*\d(?:\s?%)?`)

// boldNumber returns a text as HTML, with its first number in bold.
func boldNumber(text string) template.HTML {
	safe := template.HTMLEscapeString(text)
	at := number.FindStringIndex(safe)
	if at == nil {
		return template.HTML(safe) //nolint:gosec // escaped
	}
	return template.HTML(safe[:at[0]] + "<b>" + safe[at[0]:at[1]] + "</b>" + safe[at[1]:]) //nolint:gosec // escaped
}

// play returns the data of the play template for a campaign's hero video or a content block. A
// provider's frame is loaded only on click.
func play(of any) (map[string]any, error) {
	switch v := of.(type) {
	case campaignView:
		return map[string]any{"Media": v.Film, "Frame": v.Frame, "Title": v.Title, "Poster": v.Hero,
			"Link": v.Campaign.Media.HeroVideo}, nil
	case block:
		link := v.Src
		if link == "" {
			link = v.URL
		}
		return map[string]any{"Media": v.Media, "Frame": v.Frame, "Title": v.Title, "Poster": v.Poster, "Link": link}, nil
	}
	return nil, fmt.Errorf("site: cannot play a %T", of)
}

// page is the data of a page's template. renderPage sets Lang and the fields from Site on.
type page struct {
	Lang        string
	Title       string
	Description string
	TextLang    string // language of the title and description; "" if unknown
	Path        string // without the language prefix
	Name        string // of the template
	Image       string // path of the share card
	ImageAlt    string
	NoIndex     bool
	Private     bool
	Pays        bool   // contains the payment form
	Challenge   string // site key of the page's bot check; "" for none
	Script      string
	Slug        string
	Structured  any // JSON-LD data
	Data        any

	Site    settings
	Brand   string
	Email   string
	Base    string
	Service string
	Here    string // path with the language prefix
	Sim     bool   // whether the processor is the simulator
	Events  bool   // whether live totals are streamed
	Tip     string // default and maximum tip in percent, separated by a space
	Origin  string // country that parcels are sent from
	// Excluded contains the codes of the countries that nothing is shipped to, separated by spaces.
	Excluded string
	// Zone is the platform's time zone. ZoneNames contains its abbreviations in this year by UTC
	// offset, such as "MST" at "GMT-07:00".
	Zone      string
	ZoneNames map[string]string
	Others    []alternate
	Prefetch
}

// Prefetch configures link prefetching on the page.
type Prefetch struct {
	PrefetchOn    bool
	PrefetchDelay int64 // milliseconds
	PrefetchLimit int
}

// alternate is a language version of a page.
type alternate struct {
	Lang string
	Path string // with the language prefix
	Self bool   // the page itself
}

func (e *edition) addPage(l locale, p page) error {
	f, err := e.renderPage(l, p)
	if err != nil {
		return err
	}
	return e.tree.put(fileOf(l, p.Path), f)
}

// fileOf returns the path of a page's file in the tree.
func fileOf(l locale, urlPath string) string {
	p := strings.TrimPrefix(l.prefix()+urlPath, "/")
	if p == "" || strings.HasSuffix(p, "/") {
		p += "index.html"
	}
	return p
}

// renderPage renders a page in a language.
func (b *Builder) renderPage(l locale, p page) (File, error) {
	p.Lang, p.Site, p.Brand, p.Email = l.Code, b.settings, b.config.Site.Name, b.config.Site.SupportEmail
	p.Base, p.Service, p.Here = b.base(), b.service(), l.prefix()+p.Path
	for _, other := range b.locales {
		p.Others = append(p.Others, alternate{other.Code, other.prefix() + p.Path, other.Code == l.Code})
	}
	p.Events = b.events
	p.Sim = b.config.Processor.Provider == config.Sim
	p.Tip = fmt.Sprint(b.config.Pricing.DefaultTipPercent, " ", b.config.Pricing.MaxTipPercent)
	p.Origin = string(b.config.Shipping.OriginCountry)
	p.Excluded = strings.Join(b.config.Shipping.Excluded.List(), " ")
	p.Zone, p.ZoneNames = b.config.Site.Timezone.Location().String(), b.zones
	p.PrefetchOn, p.PrefetchLimit = b.config.Performance.PrefetchEnabled, b.config.Performance.PrefetchLimit
	p.PrefetchDelay = b.config.Performance.PrefetchDelay.Milliseconds()
	t, ok := b.templates[l.Code+" "+p.Name]
	if !ok {
		return File{}, fmt.Errorf("site: unknown template %s", p.Name)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return File{}, fmt.Errorf("in %s: %w", l.Code, err)
	}
	return File{
		Body: out.Bytes(), Type: types[".html"], Policy: b.policy(p), Private: p.Private, Framed: p.Name == "embed",
	}, nil
}

// The hosts that a page with Stripe's form must allow, for Stripe.js with the Payment Element,
// Checkout, 3-D Secure and Link: https://docs.stripe.com/security/guide#content-security-policy.
// hCaptcha, wallets and banks' pages are loaded within Stripe's frames. Pictures need no entry,
// because all pages allow them from any https host.
const (
	cardScripts = "https://js.stripe.com https://*.js.stripe.com https://checkout.stripe.com"
	cardFrames  = cardScripts + " https://hooks.stripe.com https://link.com https://*.link.com"
	cardConnect = "https://api.stripe.com https://checkout.stripe.com https://link.com https://*.link.com"
)

// policy returns the content security policy of a page, which allows only what the page needs.
func (b *Builder) policy(p page) string {
	connect, frames, scripts := "'self'", strings.Join(safety.FrameHosts(), " "), "'self'"
	if s := b.service(); s != "" {
		connect += " " + s
	}
	if p.Pays {
		connect += " " + cardConnect
		frames = cardFrames
		scripts += " " + cardScripts
	}
	if p.Challenge != "" {
		frames += " https://challenges.cloudflare.com"
		scripts += " https://challenges.cloudflare.com"
	}
	media := "'self' https:"
	send, load := b.config.Media.Origins()
	if strings.HasPrefix(load, "http:") { // a bucket on this machine, for development
		media += " " + load
	}
	if p.Name == "admin" && send != "" {
		connect += " " + send
	}
	if p.Name == "preview" || p.Name == "admin" {
		media += " data:" // campaign previews contain their videos as data URLs
	}
	return "default-src 'none'; base-uri 'none'; form-action 'self'; script-src " + scripts +
		"; style-src 'self'; img-src 'self' https: data:; " +
		"media-src " + media + "; font-src 'self'; manifest-src 'self'; connect-src " + connect + "; frame-src " + frames
}
