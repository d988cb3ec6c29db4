package site_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"

	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

var regexpSay = regexp.MustCompile(`say\(\s*'(\w+)'`)

// Every message that a script uses exists, and every message for scripts is used.
func TestMessages_Scripts(t *testing.T) {
	messages, err := os.ReadFile("messages/en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob("scripts/*.ts")
	if err != nil || len(scripts) < 10 {
		t.Fatal(scripts, err)
	}
	var all strings.Builder
	for _, name := range scripts {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(body)
	}
	used := regexpSay.FindAllStringSubmatch(all.String(), -1)
	if len(used) < 60 {
		t.Fatalf("scripts use only %d messages", len(used))
	}
	for _, m := range used {
		if !strings.Contains(string(messages), "\njs_"+m[1]+":") {
			t.Errorf("scripts use %q, which is not a message", m[1])
		}
	}
	for line := range strings.Lines(string(messages)) {
		id, ok := strings.CutPrefix(line, "js_")
		id, _, _ = strings.Cut(id, ":")
		family, _, _ := strings.Cut(id, "_")
		if ok && !strings.Contains(all.String(), "'"+id+"'") && !strings.Contains(all.String(), "`"+family+"_${") {
			t.Errorf("no script uses js_%s", id)
		}
	}
}

// Every label that pledge/formats.txt uses for a part of an address is a message.
func TestMessages_AddressParts(t *testing.T) {
	table, err := os.ReadFile("../../pledge/formats.txt")
	if err != nil {
		t.Fatal(err)
	}
	messages, err := os.ReadFile("messages/en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	labels := regexp.MustCompile(`[scz]=(\w+)`).FindAllStringSubmatch(string(table), -1)
	if len(labels) < 30 {
		t.Fatalf("only %d parts have a label", len(labels))
	}
	for _, part := range labels {
		if !strings.Contains(string(messages), "\njs_part_"+part[1]+":") {
			t.Errorf("js_part_%s does not exist", part[1])
		}
	}
}

// Every campaign category has a name in each language.
func TestMessages_Categories(t *testing.T) {
	for _, lang := range []string{"en", "es"} {
		messages, err := os.ReadFile("messages/" + lang + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range campaign.Categories() {
			if id := "category_" + strings.ReplaceAll(strings.ToLower(name), " ",
				"_"); !strings.Contains(string(messages), "\n"+id+":") {
				t.Errorf("%s has no %s", lang, id)
			}
		}
	}
}

// The Spanish article before a time is singular at one o'clock only.
func TestMoment_OneOClock(t *testing.T) {
	for hour, want := range map[int][2]string{0: {"12:00 AM", "a las 0:00"}, 1: {"1:00 AM", "a la 1:00"},
		11: {"11:00 AM", "a las 11:00"}, 13: {"1:00 PM", "a las 13:00"}} {
		at := time.Date(2026, 1, 31, hour, 0, 0, 0, time.UTC)
		for i, lang := range []string{"en", "es"} {
			date, zone := "January 31, 2026, ", " UTC"
			if lang == "es" {
				date, zone = "31 de enero de 2026 ", " (UTC)"
			}
			moment, until, err := site.Moment(os.DirFS("."), lang, at)
			if err != nil || moment != date+want[i]+zone || until != date+want[i] {
				t.Errorf("%s: %v, %q and %q, want %q", lang, err, moment, until, date+want[i]+zone)
			}
		}
	}
}

// counts contains a number for every plural form of the site's languages. Spanish has a separate
// form for whole millions.
var counts = []int{0, 1, 2, 5, 1_000_000}

var namesCount = regexp.MustCompile(`\{\{\.Count\}\}|\{count\}`)

// readMessages returns the messages in a language's file, and a bundle that contains them.
func readMessages(t *testing.T, lang string) (*i18n.Bundle, []*i18n.Message) {
	t.Helper()
	text, err := os.ReadFile("messages/" + lang + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	bundle := i18n.NewBundle(language.English)
	bundle.RegisterUnmarshalFunc("yaml", yaml.Unmarshal)
	file, err := bundle.ParseMessageFileBytes(text, lang+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return bundle, file.Messages
}

// Home and campaign pages embed every message that their scripts show.
func TestMessages_FirstPages(t *testing.T) {
	page := text(t, build(t, content(t), noon), "campaigns/paper-boat/index.html")
	_, embedded, _ := strings.Cut(page, `id="messages">`)
	embedded, _, _ = strings.Cut(embedded, "</script>")
	used := regexp.MustCompile(`say\('(\w+)'`)
	for _, file := range []string{"badges", "cart", "errors", "live", "outcome", "remind", "site", "video", "words"} {
		script, err := os.ReadFile("scripts/" + file + ".ts")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range used.FindAllStringSubmatch(string(script), -1) {
			if !strings.Contains(embedded, `"`+m[1]+`":`) && !strings.Contains(embedded, `"`+m[1]+`_other":`) {
				t.Errorf("%s.ts shows %s, which the page does not embed", file, m[1])
			}
		}
	}
	if strings.Contains(embedded, `"manage_`) {
		t.Error("the page embeds messages of other pages")
	}
}

func takesCount(m *i18n.Message) bool {
	return namesCount.MatchString(strings.Join([]string{m.Zero, m.One, m.Two, m.Few, m.Many, m.Other}, "\n"))
}

func TestMessages_PluralForms(t *testing.T) {
	for _, lang := range []string{"en", "es"} {
		bundle, messages := readMessages(t, lang)
		strict, found := i18n.NewLocalizer(bundle, lang), 0
		for _, m := range messages {
			if !takesCount(m) {
				continue
			}
			found++
			for _, n := range counts {
				_, err := strict.Localize(&i18n.LocalizeConfig{MessageID: m.ID, PluralCount: n,
					TemplateData: map[string]any{"Count": n}})
				if err != nil {
					t.Errorf("messages/%s.yaml: %s for %d: %v", lang, m.ID, n, err)
				}
			}
		}
		if found < 15 {
			t.Errorf("only %d messages of %s take a number", found, lang)
		}
	}
}

func TestMessages_MissingPluralFormFallsBackToOther(t *testing.T) {
	files := fstest.MapFS{
		"messages/en.yaml": {Data: []byte("crates: \"{{.Count}} crates\"\njs_boats: \"{count} boats\"\n")},
		"messages/es.yaml": {
			Data: []byte("crates:\n  one: una caja\n  other: \"{{.Count}} cajas\"\n" +
				"js_boats:\n  one: \"{count} barco\"\n  other: \"{count} barcos\"\n")},
	}
	for _, of := range []struct {
		lang string
		n    int
		want string
	}{{"en", 1, "1 crates"}, {"en", 3, "3 crates"}, {"es", 1, "una caja"}, {"es", 2_000_000, "2000000 cajas"}} {
		got, err := site.Say(files, of.lang, "crates", "Count", of.n)
		if err != nil || got != of.want {
			t.Errorf("%s, %d: %q, %v; want %q", of.lang, of.n, got, err, of.want)
		}
	}
}

// Every message is used. TestMessages_Scripts checks the messages for scripts.
func TestMessages_Used(t *testing.T) {
	messages, err := os.ReadFile("messages/en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, pattern := range []string{"templates/*.html", "*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(body)
		}
	}
	for line := range strings.Lines(string(messages)) {
		id, _, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(id, "js_") || strings.ContainsAny(id, " #") {
			continue
		}
		family, _, _ := strings.Cut(id, "_")
		made := strings.HasSuffix(id, "_title") || strings.HasPrefix(id, "month") ||
			strings.Contains(all.String(), `"`+family+`_%s"`)
		if !made && !strings.Contains(all.String(), `"`+id+`"`) {
			t.Errorf("unused message %s", id)
		}
	}
}
