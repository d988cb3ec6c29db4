package site

import (
	"html/template"
	"strings"
	"unicode"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

const (
	sampleSize = 4000 // bytes of a campaign's texts after which no further text is examined
	minWords   = 4    // minimum number of common words to identify a language
)

// textLanguage returns the language that a campaign is written in. The campaign's texts must
// contain at least minWords of the language's common words, and three times as many as of any other
// language's. Otherwise textLanguage returns "".
func (b *Builder) textLanguage(c *campaign.Campaign) string {
	found := map[string]int{}
	for _, word := range strings.FieldsFunc(strings.ToLower(sampleText(c)),
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

// sampleText returns the first texts of a campaign, at least sampleSize bytes if there are as many.
func sampleText(c *campaign.Campaign) string {
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

// commonWords returns the language's code for each common word of the languages.
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

// langAttribute returns the lang attribute for texts in the language texts, or "" if that is the
// page's language or unknown.
func (l locale) langAttribute(texts string) template.HTMLAttr {
	if texts == "" || texts == l.Code {
		return ""
	}
	return template.HTMLAttr(` lang="` + texts + `"`) //nolint:gosec // the code of a message file
}

// ownLangAttribute returns the lang attribute for the page's own texts within an element that has
// langAttribute(texts), or "" if that attribute is missing.
func (l locale) ownLangAttribute(texts string) template.HTMLAttr {
	if l.langAttribute(texts) == "" {
		return ""
	}
	return template.HTMLAttr(` lang="` + l.Code + `"`) //nolint:gosec // the code of a message file
}
