package site_test

import (
	"crypto/rand"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
)

// The policy allows the bot check's scripts only on the dashboard's page and on the pages of
// upcoming campaigns, and only if the bot check is configured. With the bypass for reminders,
// campaign pages do not allow them either.
func TestChallenge_FormPageOnly(t *testing.T) {
	keys := map[string]string{"CHALLENGE_SECRET_KEY": "0x4secret", "CHALLENGE_SITE_KEY": "0x4site"}
	bypassed := map[string]string{"CHALLENGE_SECRET_KEY": "0x4secret", "CHALLENGE_SITE_KEY": "0x4site",
		"LAUNCH_REMINDER_TURNSTILE_BYPASS": "true"}
	before := time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		env  map[string]string
		now  time.Time
		form bool
		asks bool
	}{
		"upcoming": {keys, before, true, true}, "live": {keys, noon, false, false},
		"without keys": {nil, before, true, false}, "bypassed": {bypassed, before, true, false},
	} {
		files := content(t)
		env := map[string]string{"SITE_BASE": "https://harbor.example"}
		maps.Copy(env, tc.env)
		cfg, err := config.Demo(rand.Reader, files, env)
		if err != nil {
			t.Fatal(err)
		}
		b, err := site.New(site.Options{Content: files, Config: cfg})
		if err != nil {
			t.Fatal(err)
		}
		made := tree(t, b, files, tc.now)
		for _, p := range made.Paths() {
			if !strings.HasSuffix(p, ".html") {
				continue
			}
			f, _ := made.File(p)
			campaign, admin := strings.Contains(p, "campaigns/"), strings.Contains(p, "admin/")
			asks := campaign && tc.asks || admin && tc.env != nil
			if got, want := strings.Contains(f.Policy, "https://challenges.cloudflare.com"), asks; got != want {
				t.Errorf("%s: %s allows the bot check: %t", name, p, got)
			}
			page := text(t, made, p)
			if got, want := strings.Contains(page, "data-remind="), campaign && tc.form; got != want {
				t.Errorf("%s: %s has the form: %t", name, p, got)
			}
			if got, want := strings.Contains(page, `data-challenge="0x4site"`), asks; got != want {
				t.Errorf("%s: %s has the site key: %t", name, p, got)
			}
		}
	}
}
