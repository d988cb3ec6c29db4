package archtest

import (
	"fmt"
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// retired lists words that names, comments, pages and documents no longer use, with their
// replacements. docs/writing.md lists the current terms. Strings in code are not checked, because
// stored keys and the API keep their names.
var retired = []struct {
	word *regexp.Regexp
	say  string
}{
	{regexp.MustCompile(`(?i)\bbrake[ds]?\b|\bbrake[A-Z]`), "circuit breaker"},
	{regexp.MustCompile(`\b[Bb]eats?\b|\b[Bb]eatEvery\b`), "heartbeat"},
	{regexp.MustCompile(`\b(the|a) roll\b|\bRoll\b|\b(new|register)Roll\b`), "membership"},
	{regexp.MustCompile(`\b[Tt]end(s|ed|ing)?\b|\btend[A-Z]\w*`), "sweep, or expire"},
	{regexp.MustCompile(`\bTermLength\b|\bin ?Term\b|\bterm of (the|a) lock\b`), "lease"},
	{regexp.MustCompile(`\btakePlace\b|\b[Pp]laces and lives\b|\bearlier life\b`), "node and incarnation"},
	{regexp.MustCompile(`\b[Rr]eign\b`), "leadership"},
}

// retiredOnPages lists phrases that the site's texts no longer use, with their replacements.
var retiredOnPages = []struct{ words, say string }{
	{"What it comes to", "Summary"},
	{"Lo que suma", "Resumen"},
	{"Stands. ", "Your pledge is active."},
	{"En pie. ", "Tu aportación está activa."},
	{"Charged later", "You'll pay"},
	{": Chosen", "Subtotal"},
	{": Elegido", "Subtotal"},
}

// checkVocabulary checks the words in identifiers and comments.
func checkVocabulary(name string, source []byte) []string {
	var violations []string
	files := token.NewFileSet()
	file := files.AddFile(name, files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return violations
		}
		if tok == token.IDENT || tok == token.COMMENT {
			violations = append(violations, checkWords(fmt.Sprintf("%s:%d", name, file.Line(pos)), text)...)
		}
	}
}

func checkWords(where, text string) []string {
	var violations []string
	for _, r := range retired {
		if found := r.word.FindString(text); found != "" {
			violations = append(violations, fmt.Sprintf("%s: %q: say %s", where, found, r.say))
		}
	}
	return violations
}

// checkDocument checks the words of a document outside of code blocks and code spans, which may
// contain stored names.
func checkDocument(name, text string) []string {
	var violations []string
	fenced := false
	for n, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced {
			violations = append(violations,
				checkWords(fmt.Sprintf("%s:%d", name, n+1), regexp.MustCompile("`[^`]*`").ReplaceAllString(line, ""))...)
		}
	}
	return violations
}

func checkPages(name, text string) []string {
	var violations []string
	for n, line := range strings.Split(text, "\n") {
		for _, r := range retiredOnPages {
			if strings.Contains(line, r.words) {
				violations = append(violations, fmt.Sprintf("%s:%d: %q: say %s", name, n+1, r.words, r.say))
			}
		}
	}
	return violations
}

func TestVocabulary(t *testing.T) {
	files(t, ".go", func(name string, text []byte) {
		if filepath.Base(name) != "vocabulary_test.go" {
			report(t, checkVocabulary(name, text))
		}
	})
	files(t, ".md", func(name string, text []byte) {
		if filepath.Base(name) != "requirements.md" { // uses the specification's words
			report(t, checkDocument(name, string(text)))
		}
	})
	files(t, ".yaml", func(name string, text []byte) {
		if strings.Contains(filepath.ToSlash(name), "messages/") {
			report(t, checkPages(name, string(text)))
		}
	})
}

func TestVocabulary_FindsViolations(t *testing.T) {
	for source, want := range map[string]string{
		"package a // the brake holds\n":             "circuit breaker",
		"package a\nfunc Tend() {}\n":                "sweep",
		"package a\nvar x = beat{}\n":                "heartbeat",
		"package a\nfunc (r *Roll) Leave() {}\n":     "membership",
		"package a\nconst key = \"brake\"\n":         "",
		"package a\nfunc heartbeat() { attend() }\n": "",
	} {
		got := strings.Join(checkVocabulary("a.go", []byte(source)), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q", source, got)
		}
	}
	if len(checkDocument("a.md", "`brake` is stored\n```\nthe roll\n```\n")) != 0 ||
		len(checkDocument("a.md", "a beat late")) != 1 {
		t.Error("documents")
	}
	if len(checkPages("en.yaml", "js_bill: What it comes to\n")) != 1 {
		t.Error("pages")
	}
}
