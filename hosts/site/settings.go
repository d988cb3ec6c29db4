package site

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// settings contains the settings in the site file that only this package uses.
type settings struct {
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	Platform    struct {
		DefaultCreator string `yaml:"default_creator_name"`
		Logo           string `yaml:"logo_path"`
		Favicon        string `yaml:"favicon_path"`
	} `yaml:"platform"`
	SEO struct {
		SocialImageAlt string `yaml:"default_social_image_alt"`
		XHandle        string `yaml:"x_handle"`
		IndexCommunity bool   `yaml:"index_public_community_hub"`
		Returns        struct {
			Country string `yaml:"applicable_country"`
		} `yaml:"merchant_return_policy"`
	} `yaml:"seo"`
	Design map[string]string `yaml:"design"`
}

// design lists the design settings, each with its CSS property and allowed values.
var design = []struct {
	key, property string
	allowed       *regexp.Regexp
	hint          string
	dark          string // the property's value in dark mode; "" for no separate value
}{
	{"font_body", "--font-body", fontStack, "write font names, with commas between them", ""},
	{"font_display", "--font-display", fontStack, "write font names, with commas between them", ""},
	{"color_text", "--text", hexColor, hexHint, "#eceef8"},
	{"color_text_muted", "--muted", hexColor, hexHint, "#a9aec6"},
	{"color_surface_subtle", "--subtle", hexColor, hexHint, "#1f2338"},
	{"color_border", "--border", hexColor, hexHint, "#333855"},
	{"color_primary", "--primary", hexColor, hexHint, ""},
	{"color_highlight", "--lamp", hexColor, hexHint, ""},
	{"radius_lg", "--radius", length, "write a length such as 12px or 0.75rem", ""},
}

var (
	hexColor  = regexp.MustCompile(schema.HexColor)
	fontStack = regexp.MustCompile(schema.FontStack)
	length    = regexp.MustCompile(schema.LengthToken)
)

const hexHint = "write a color such as #b5472f"

// readSettings returns the settings, which may be invalid, and their problems. It fails if the site
// file cannot be read or parsed. A missing site file means no settings.
func readSettings(content fs.FS) (settings, campaign.Problems, error) {
	var s settings
	text, err := fs.ReadFile(content, config.SiteFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil, nil
	}
	if err != nil {
		return s, nil, err
	}
	if err := campaign.CheckEncoding(config.SiteFile, text); err != nil {
		return s, nil, err
	}
	if err := yaml.Unmarshal(text, &s); err != nil {
		return s, nil, fmt.Errorf("%s: %w", config.SiteFile, err)
	}
	problems := s.check()
	return s, problems, nil
}

// replace replaces the settings that have problems with those in before.
func (s *settings) replace(faulty campaign.Problems, before settings) {
	for _, p := range faulty {
		switch p.Field {
		case "platform.logo_path":
			s.Platform.Logo = before.Platform.Logo
		case "platform.favicon_path":
			s.Platform.Favicon = before.Platform.Favicon
		case "seo.merchant_return_policy.applicable_country":
			s.SEO.Returns.Country = before.SEO.Returns.Country
		default:
			key := strings.TrimPrefix(p.Field, "design.")
			delete(s.Design, key)
			if v, ok := before.Design[key]; ok {
				s.Design[key] = v
			}
		}
	}
}

// CheckSettings checks the settings of this package in the site file of content. The error is of
// type campaign.Problems, or another one if the file cannot be read or parsed.
func CheckSettings(content fs.FS) error {
	_, faulty, err := readSettings(content)
	if err == nil && len(faulty) > 0 {
		return faulty
	}
	return err
}

func (s *settings) check() (problems campaign.Problems) {
	fail := func(field, message string) {
		problems = append(problems, campaign.Problem{File: config.SiteFile, Field: field, Message: message})
	}
	var known []string
	for _, d := range design {
		known = append(known, d.key)
		if v, ok := s.Design[d.key]; ok && !d.allowed.MatchString(v) {
			fail("design."+d.key, d.hint)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Design)) {
		if !slices.Contains(known, key) {
			fail("design."+key, "is not a known setting"+fault.DidYouMean(key, known))
		}
	}
	for _, own := range []struct{ key, path string }{{"logo_path", s.Platform.Logo},
		{"favicon_path", s.Platform.Favicon}} {
		if own.path != "" && safety.Media(own.path) != nil {
			fail("platform."+own.key, "write a path such as /assets/images/logo.svg")
		}
	}
	if c := s.SEO.Returns.Country; c != "" && !pledge.IsCountry(c) {
		fail("seo.merchant_return_policy.applicable_country", "use a two-letter country code such as US")
	}
	return problems
}

// theme returns the CSS rule that sets the configured properties. It is appended to the style
// sheet. A setting with a dark value applies to light mode only.
func (s *settings) theme() string {
	var css strings.Builder
	css.WriteString(":root{")
	for _, d := range design {
		v, ok := s.Design[d.key]
		if ok && d.dark != "" {
			v = "light-dark(" + v + "," + d.dark + ")"
		}
		if ok {
			css.WriteString(d.property + ":" + v + ";")
		}
	}
	return css.String() + "}\n"
}

// DesignKeys returns the keys of the design settings in the site file.
func DesignKeys() []string {
	keys := make([]string, 0, len(design))
	for _, d := range design {
		keys = append(keys, d.key)
	}
	return keys
}
