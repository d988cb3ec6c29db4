package site_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

var regexpSay = regexp.MustCompile(`say\('(\w+)'`)

// Everything that a script says is a message.
func TestScriptsSayMessages(t *testing.T) {
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
	said := regexpSay.FindAllStringSubmatch(all.String(), -1)
	if len(said) < 60 {
		t.Fatalf("only %d messages are said", len(said))
	}
	for _, m := range said {
		if !strings.Contains(string(messages), "\njs_"+m[1]+":") && !strings.Contains(string(messages), "\njs_"+m[1]+"_other:") {
			t.Errorf("scripts say %q, which is no message", m[1])
		}
	}
	for line := range strings.Lines(string(messages)) {
		id, ok := strings.CutPrefix(line, "js_")
		id, _, _ = strings.Cut(id, ":")
		stem := strings.TrimSuffix(strings.TrimSuffix(id, "_one"), "_other")
		family, _, _ := strings.Cut(stem, "_")
		if ok && !strings.Contains(all.String(), "'"+stem+"'") && !strings.Contains(all.String(), "`"+family+"_${") {
			t.Errorf("no script says js_%s", id)
		}
	}
}

// Every part of an address that the table names has a name on the page.
func TestPartsOfAddressesHaveNames(t *testing.T) {
	table, err := os.ReadFile("../../pledge/formats.txt")
	if err != nil {
		t.Fatal(err)
	}
	messages, err := os.ReadFile("messages/en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	called := regexp.MustCompile(`[scz]=(\w+)`).FindAllStringSubmatch(string(table), -1)
	if len(called) < 30 {
		t.Fatalf("only %d parts have a name of their own", len(called))
	}
	for _, part := range called {
		if !strings.Contains(string(messages), "\njs_part_"+part[1]+":") {
			t.Errorf("there is no js_part_%s", part[1])
		}
	}
}

// Every kind of campaign has a name in each language.
func TestCategoriesHaveNames(t *testing.T) {
	for _, lang := range []string{"en", "es"} {
		messages, err := os.ReadFile("messages/" + lang + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range campaign.Categories() {
			if id := "category_" + strings.ReplaceAll(strings.ToLower(name), " ", "_"); !strings.Contains(string(messages), "\n"+id+":") {
				t.Errorf("%s has no %s", lang, id)
			}
		}
	}
}

// No message waits for a page that is gone. Those of the scripts are looked at above.
func TestMessagesAreSaid(t *testing.T) {
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
		made := strings.HasSuffix(id, "_title") || strings.HasPrefix(id, "month") || strings.Contains(all.String(), `"`+family+`_%s"`)
		if !made && !strings.Contains(all.String(), `"`+id+`"`) {
			t.Errorf("nobody says %s", id)
		}
	}
}
