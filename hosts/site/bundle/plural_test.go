package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

const dashboard = "../../dashboard"

// counted matches the names of texts with plural forms.
var counted = regexp.MustCompile(`\b(\w+)_other: `)

// nounless lists texts in which no noun follows the number. In Spanish, "de" comes between a
// million and a noun.
var nounless = map[string]bool{
	"job_charged": true, "job_failed": true, "job_dropped": true, "job_attention": true,
	"unchanged": true, "refused": true,
	"job_waiting": true, "settlement/words.ts minutes": true, "today": true, "past_goal": true, "open_checks": true,
	"open_tasks": true, "pledges_week": true, "addon_kept": true, "below_claimed": true, "claimed_kept": true,
	"sent_of": true, "not_sent": true, "delivered_count": true, "bounced_count": true, "complained_count": true,
}

// numberless lists labels that do not contain the number, because it is displayed next to them.
var numberless = map[string]bool{"reminders": true}

// oneInWords lists texts that express 1 without a numeral, such as "the day before".
var oneInWords = map[string]bool{"on_before": true, "none_before": true, "last_days": true, "end_others_title": true}

// renderTexts renders every dashboard text with plural forms in a language, for each of the
// numbers. It returns the texts by name and number.
func renderTexts(t *testing.T, lang string, numbers []int) map[string]map[string]string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("PLEDGEWORKS_BROWSER") != "" {
			t.Fatal("node is missing: run make browser")
		}
		t.Skip("node is missing")
	}
	var entry strings.Builder
	entry.WriteString("const out = {};\n")
	files, err := filepath.Glob(dashboard + "/*/*words.ts")
	if err != nil {
		t.Fatal(err)
	}
	list, _ := json.Marshal(numbers)
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, m := range counted.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		for name := range names {
			key := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file) + " " + name
			fmt.Fprintf(&entry,
				"import { say as say%d_%s } from %q;\n"+
					"out[%q] = Object.fromEntries(%s.map((n) => [n, say%d_%[2]s(%[7]q, { count: n })]));\n",
				i, name, "./"+strings.TrimPrefix(filepath.ToSlash(file), dashboard+"/"), key, list, i, name)
		}
	}
	entry.WriteString("console.log(JSON.stringify(out));\n")
	dir, err := filepath.Abs(dashboard)
	if err != nil {
		t.Fatal(err)
	}
	built := api.Build(api.BuildOptions{
		AbsWorkingDir: dir, Bundle: true, Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8,
		JSX: api.JSXAutomatic, JSXImportSource: "preact",
		Stdin: &api.StdinOptions{Contents: entry.String(), ResolveDir: dir, Loader: api.LoaderTS},
		Banner: map[string]string{"js": `globalThis.document = { documentElement: { lang: "` + lang + `" },
  getElementById: () => null, querySelector: () => null, addEventListener() {}, body: { dataset: {} } };
globalThis.location = { hash: "", pathname: "/admin/", search: "" }; globalThis.addEventListener = () => {};
globalThis.sessionStorage = globalThis.localStorage = { getItem: () => null, setItem() {} };`},
	})
	if len(built.Errors) > 0 {
		t.Fatal(built.Errors)
	}
	cmd := exec.CommandContext(t.Context(), node, "-")
	cmd.Stdin = strings.NewReader(string(built.OutputFiles[0].Contents))
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]string{}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Every dashboard text with a number has the correct plural form.
func TestDashboardPlurals(t *testing.T) {
	numbers := []int{0, 1, 2, 5, 1_000_000}
	millions := map[string]string{"en": "1,000,000", "es": "1.000.000"}
	for _, lang := range []string{"en", "es"} {
		written := map[int]string{0: "0", 1: "1", 2: "2", 5: "5", 1_000_000: millions[lang]}
		texts := renderTexts(t, lang, numbers)
		if len(texts) < 40 {
			t.Errorf("%s: only %d texts contain a number", lang, len(texts))
		}
		for key, forms := range texts {
			_, name, _ := strings.Cut(key, " ")
			if numberless[name] {
				continue
			}
			as := func(n int) string {
				return regexp.MustCompile(`\b`+regexp.QuoteMeta(written[n])+`\b`).ReplaceAllString(forms[fmt.Sprint(n)], "#")
			}
			for _, n := range numbers {
				if !strings.Contains(as(n), "#") && (n != 1 || !oneInWords[name]) {
					t.Errorf("%s: %s of %d is %q, without its number", lang, key, n, forms[fmt.Sprint(n)])
				}
			}
			if as(0) != as(2) || as(5) != as(2) {
				t.Errorf("%s: %s differs for 0, 2 and 5: %q, %q, %q", lang, key, as(0), as(2), as(5))
			}
			million := as(2)
			if lang == "es" && !nounless[name] && !nounless[key] {
				million = strings.Replace(million, "# ", "# de ", 1)
			}
			if as(1_000_000) != million {
				t.Errorf("%s: %s of a million is %q, want %q", lang, key, as(1_000_000), million)
			}
		}
	}
}
