package site_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

var ids = regexp.MustCompile(` id="([^"]*)"`)

// Texts, mails and other sites link to anchors on a campaign's page. Each anchor exists once, and
// its name is reserved, so that no diary entry can use it.
func TestCampaignPage_Anchors(t *testing.T) {
	files := withFields(t)
	files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(string(files["campaigns/paper-boat.md"].Data),
		"Below the fold.", "[Model](#reward-model), [rewards](#rewards), <https://example.org/>", 1))
	page := text(t, build(t, files, noon), "campaigns/paper-boat/index.html")
	var got []string
	for _, m := range ids.FindAllStringSubmatch(page, -1) {
		if slices.Contains(got, m[1]) {
			t.Errorf("the page contains #%s twice", m[1])
		}
		got = append(got, m[1])
		if entry := strings.HasPrefix(m[1], "20"); campaign.Reserved(m[1]) == entry {
			t.Errorf("#%s is reserved: %t", m[1], !entry)
		}
	}
	for _, anchor := range []string{"story", "decisions", "diary", "faq", "risks", "creator",
		"rewards", "tiers", "addons", "reward-model", "reward-kit"} {
		if !slices.Contains(got, anchor) {
			t.Errorf("the page has no #%s, only %q", anchor, got)
		}
	}
	for _, link := range []string{`<a href="#reward-model">Model</a>`, `<a href="#rewards">rewards</a>`,
		`<a href="https://example.org/" rel="nofollow noreferrer noopener">https://example.org/</a>`} {
		if !strings.Contains(page, link) {
			t.Errorf("the page has no %s", link)
		}
	}
}
