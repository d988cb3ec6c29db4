package site

import (
	"html/template"
	"strings"
	"unicode"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

const (
	sampleSize = 4000 // bytes of a campaign's texts that are examined
	minWords   = 4    // common words that identify a language
)

// textLanguage returns the language that a campaign is written in: the one with clearly the most
// common words in its texts. It returns "" if none of the site's languages has.
func (b *Builder) textLanguage(c *campaign.Campaign) string {
	found := map[string]int{}
	for _, word := range strings.FieldsFunc(strings.ToLower(sample(c)),
		func(r rune) bool { return !unicode.IsLetter(r) }) {
		if code, ok := b.commonWords[word]; ok {
			found[code]++
		}
	}
	best, second := "", 0
	for code, n := range found {
		switch {
		case best == "" || n > found[best]:
			best, second = code, found[best]
		case n > second:
			second = n
		}
	}
	if found[best] < max(minWords, 3*second) {
		return ""
	}
	return best
}

// sample returns the beginning of a campaign's texts.
func sample(c *campaign.Campaign) string {
	var text strings.Builder
	add := func(parts ...string) {
		for _, p := range parts {
			if text.Len() < sampleSize {
				text.WriteString(p + "\n")
			}
		}
	}
	add(c.Title, c.Blurb)
	for _, t := range c.Tiers {
		add(t.Name, t.Description)
	}
	for _, block := range c.Content {
		add(block.Text)
	}
	add(c.Body, c.Risks)
	return text.String()
}

// commonWords returns the languages of the words that occur most in each.
func commonWords(locales []locale) (map[string]string, error) {
	words := map[string]string{}
	for _, l := range locales {
		list, err := l.say("common_words")
		if err != nil {
			return nil, err
		}
		for word := range strings.FieldsSeq(list) {
			words[word] = l.Code
		}
	}
	return words, nil
}

// langAttribute returns the attribute that marks texts in a language other than the page's, or ""
// if the texts' language is the page's or unknown.
func (l locale) langAttribute(texts string) template.HTMLAttr {
	if texts == "" || texts == l.Code {
		return ""
	}
	return template.HTMLAttr(` lang="` + texts + `"`) //nolint:gosec // the code of a message file
}

// ownLangAttribute returns the attribute that marks the page's texts among those in a language.
func (l locale) ownLangAttribute(texts string) template.HTMLAttr {
	if l.langAttribute(texts) == "" {
		return ""
	}
	return template.HTMLAttr(` lang="` + l.Code + `"`) //nolint:gosec // the code of a message file
}
