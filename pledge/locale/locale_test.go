package locale_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"github.com/pledgeworks/pledgeworks/pledge/locale"
)

const (
	english = `{"plural": {"one": "i = 1 and v = 0"}, "messages": {
"hello": "Hello {name},",
"pledges": {"one": "{count} pledge to {title}", "other": "{count} pledges to {title}"}
}}`
	polish = `{"plural": {"one": "i = 1 and v = 0", "few": "v = 0 and i % 10 = 2..4 and i % 100 != 12..14", ` +
		`"many": "v = 0 and i != 1 and i % 10 = 0..1 or v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 12..14"}, ` +
		`"messages": {
"hello": "Cześć {name},",
"pledges": {"one": "{count} wpłata na {title}",
	"few": "{count} wpłaty na {title}", "many": "{count} wpłat na {title}", "other": "{count} wpłaty na {title}"}
}}`
)

func folder(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range files {
		all["messages/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func TestFormat(t *testing.T) {
	set, err := locale.Read(folder(map[string]string{"en.json": english, "pl.json": polish}), "messages")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		lang, id string
		pairs    []string
		want     string
	}{
		{"en", "hello", []string{"name", "Ada"}, "Hello Ada,"},
		{"en", "hello", []string{"name", "{name}"}, "Hello {name},"},
		{"en", "hello", nil, "Hello {name},"},
		{"en", "pledges", []string{"count", "1", "title", "Film"}, "1 pledge to Film"},
		{"en", "pledges", []string{"count", "0", "title", "Film"}, "0 pledges to Film"},
		{"en", "pledges", []string{"title", "Film", "count", "many"}, "many pledges to Film"},
		{"pl", "pledges", []string{"count", "3", "title", "Film"}, "3 wpłaty na Film"},
		{"pl-PL", "pledges", []string{"count", "12", "title", "Film"}, "12 wpłat na Film"},
		{"PL", "pledges", []string{"count", "1", "title", "Film"}, "1 wpłata na Film"},
		{"fi", "pledges", []string{"count", "1", "title", "Film"}, "1 pledge to Film"},
		{"", "hello", []string{"name", "Ada"}, "Hello Ada,"},
		{"en", "goodbye", nil, "{goodbye}"},
	} {
		if got := set.For(tt.lang).Format(tt.id, tt.pairs...); got != tt.want {
			t.Errorf("%s in %q with %q: %q, want %q", tt.id, tt.lang, tt.pairs, got, tt.want)
		}
	}
	if diff := cmp.Diff([]string{"hello", "pledges"}, set.For("pl").IDs()); diff != "" || set.For("pl").Code() != "pl" {
		t.Errorf("%s: %s", set.For("pl").Code(), diff)
	}
}

func TestRead_InvalidFiles(t *testing.T) {
	change := func(from, to string) string { return strings.Replace(polish, from, to, 1) }
	for name, tt := range map[string]struct{ text, want string }{
		"missing message":     {change(`"hello": "Cześć {name},",`, ""), "pl.json: hello is missing"},
		"extra message":       {change(`"hello"`, `"bye": "Pa", "hello"`), "pl.json: bye is not in en.json"},
		"duplicate message":   {change(`"hello"`, `"hello": "Hej {name}", "hello"`), "duplicate message hello"},
		"missing placeholder": {change("{name}", ""), "pl.json: hello has the placeholders [], want [{name}]"},
		"misspelled placeholder": {
			strings.ReplaceAll(polish, "{title}", "{tytuł}"),
			"pl.json: pledges has the placeholders [{count} {tytuł}], want [{count} {title}]",
		},
		"missing plural form": {change(`"few": "{count} wpłaty na {title}", `, ""),
			`pl.json: pledges has no plural form "few"`},
		"no plural forms": {`{"plural": {"one": "n = 1"}, "messages": {"hello": "{name}", "pledges": "{count} {title}"}}`,
			`pl.json: pledges has no plural form "one"`},
		"unused plural form": {change(`"one": "{count}`, `"two": "2", "one": "{count}`),
			`pl.json: pledges has the plural form "two", which the language does not have`},
		"empty text":           {change(`"{count} wpłat na {title}"`, `""`), "pl.json: pledges has no text"},
		"unknown field":        {change(`"plural"`, `"rules"`), `unknown field "rules"`},
		"number as text":       {change(`"Cześć {name},"`, "5"), "message hello"},
		"unknown form":         {change(`"few": "v`, `"other": "v`), `"other" is not a plural form with a rule`},
		"unknown operand":      {change("i = 1", "x = 1"), `"x" is not a valid operand`},
		"no comparison":        {change("i = 1", "i < 1"), `"i < 1" is not a valid relation`},
		"modulus of zero":      {change("i % 10 = 2..4", "i % 0 = 2..4"), `"0" is not a valid modulus`},
		"value not a number":   {change("i = 1", "i = a"), `"a" is not a valid range`},
		"incomplete condition": {change("i = 1", "i ="), `"i =" is not a valid relation`},
		"not JSON":             {"plural: one", "invalid character"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := locale.Read(folder(map[string]string{"en.json": english, "pl.json": tt.text}), "messages")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	if _, err := locale.Read(folder(map[string]string{"pl.json": polish}), "messages"); err == nil ||
		!strings.Contains(err.Error(), "has no en.json") {
		t.Errorf("without English: %v", err)
	}
}

func TestMustRead_PanicsOnInvalidFiles(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	locale.MustRead(folder(nil), "messages")
}

// The plural rules of CLDR select the same forms as in package go-i18n.
func TestFormat_PluralForms(t *testing.T) {
	for lang, rules := range map[string]string{
		"en": `"one": "i = 1 and v = 0"`,
		"es": `"one": "n = 1", "many": "e = 0 and i != 0 and i % 1000000 = 0 and v = 0 or e != 0..5"`,
		"ja": ``,
		"ar": `"zero": "n = 0", "one": "n = 1", "two": "n = 2", "few": "n % 100 = 3..10", "many": "n % 100 = 11..99"`,
		"pl": `"one": "i = 1 and v = 0", "few": "v = 0 and i % 10 = 2..4 and i % 100 != 12..14", ` +
			`"many": "v = 0 and i != 1 and i % 10 = 0..1 or v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 12..14"`,
		"br": `"one": "n % 10 = 1 and n % 100 != 11,71,91", "two": "n % 10 = 2 and n % 100 != 12,72,92", ` +
			`"few": "n % 10 = 3..4,9 and n % 100 != 10..19,70..79,90..99", "many": "n != 0 and n % 1000000 = 0"`,
		"lv": `"zero": "n % 10 = 0 or n % 100 = 11..19 or v = 2 and f % 100 = 11..19", ` +
			`"one": "n % 10 = 1 and n % 100 != 11 or v = 2 and f % 10 = 1 and f % 100 != 11 or v != 2 and f % 10 = 1"`,
	} {
		t.Run(lang, func(t *testing.T) {
			texts := `"other": "other {count}"`
			for _, form := range []string{"zero", "one", "two", "few", "many"} {
				if strings.Contains(rules, `"`+form+`"`) {
					texts += fmt.Sprintf(`, "%[1]s": "%[1]s {count}"`, form)
				}
			}
			file := fmt.Sprintf(`{"plural": {%s}, "messages": {"n": {%s}}}`, rules, texts)
			origin := `{"plural": {"one": "i = 1 and v = 0"}, ` +
				`"messages": {"n": {"one": "one {count}", "other": "other {count}"}}}`
			set, err := locale.Read(folder(map[string]string{"en.json": origin, lang + ".json": file}), "messages")
			if err != nil {
				t.Fatal(err)
			}
			reference := i18n.NewLocalizer(i18n.NewBundle(language.Make(lang)), lang)
			forms := &i18n.Message{ID: "n", Zero: "zero", One: "one", Two: "two", Few: "few", Many: "many", Other: "other"}
			for n := range 1_000_205 {
				if n > 205 && n < 999_990 {
					continue
				}
				form, err := reference.Localize(&i18n.LocalizeConfig{DefaultMessage: forms, PluralCount: n})
				if err != nil {
					t.Fatal(err)
				}
				if got, want := set.For(lang).Format("n", "count", fmt.Sprint(n)), fmt.Sprint(form, " ", n); got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
}

func ExampleSet() {
	set := locale.MustRead(folder(map[string]string{"en.json": english, "pl.json": polish}), "messages")
	fmt.Println(set.For("en-GB").Format("pledges", "count", "2", "title", "Night Shift"))
	fmt.Println(set.For("pl").Format("pledges", "count", "2", "title", "Night Shift"))
	// Output:
	// 2 pledges to Night Shift
	// 2 wpłaty na Night Shift
}
