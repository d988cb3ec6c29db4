package site

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

// settings are what the site file says to the site alone.
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
	} `yaml:"seo"`
	Design map[string]string `yaml:"design"`
}

// design are the settings of how the site looks: which property of the style sheet
// each one is, and what may be written.
var design = []struct {
	key, property string
	allowed       *regexp.Regexp
	hint          string
	dark          string // what the property is in the dark, where it has to differ
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
	hexColor  = regexp.MustCompile(`^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)
	fontStack = regexp.MustCompile(`^[A-Za-z0-9 ,"'-]{1,200}$`)
	length    = regexp.MustCompile(`^(?:0|[0-9]{1,3}(?:\.[0-9]{1,3})?(?:px|rem|em))$`)
)

const hexHint = "write a color such as #b5472f"

func readSettings(content fs.FS) (settings, error) {
	var s settings
	text, err := fs.ReadFile(content, config.SiteFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if err := yaml.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("%s: %w", config.SiteFile, err)
	}
	return s, s.check()
}

func (s settings) check() error {
	var faults []error
	known := map[string]bool{}
	for _, d := range design {
		known[d.key] = true
		if v, ok := s.Design[d.key]; ok && !d.allowed.MatchString(v) {
			faults = append(faults, fmt.Errorf("%s: design.%s: %s", config.SiteFile, d.key, d.hint))
		}
	}
	for key := range s.Design {
		if !known[key] {
			faults = append(faults, fmt.Errorf("%s: design.%s is no setting", config.SiteFile, key))
		}
	}
	for key, p := range map[string]string{"logo_path": s.Platform.Logo, "favicon_path": s.Platform.Favicon} {
		if p != "" && safety.Media(p) != nil {
			faults = append(faults, fmt.Errorf("%s: platform.%s: write a path such as /assets/images/logo.svg", config.SiteFile, key))
		}
	}
	return errors.Join(faults...)
}

// theme is the style sheet's beginning: the properties that the settings replace.
// Colors apply in the light; in the dark the style sheet has its own, but for the
// primary one, which it lightens.
func (s settings) theme() string {
	css := ":root{"
	for _, d := range design {
		v, ok := s.Design[d.key]
		if ok && d.dark != "" {
			v = "light-dark(" + v + "," + d.dark + ")"
		}
		if ok {
			css += d.property + ":" + v + ";"
		}
	}
	return css + "}\n"
}
