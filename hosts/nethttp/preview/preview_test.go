package preview_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/preview"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
)

// Every kind of mail is written in both languages and formats, and the index shows it in a
// sandboxed frame.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	n, err := preview.Write(dir, "https://example.org",
		mailtext.Platform{Name: "Small Hours", Address: "1 Shore Road, Taos"})
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	index := read("index.html")
	kinds := []string{"confirmation", "confirmation-beside-others", "confirmation-joined", "confirmation-same-browser",
		"modified", "card-replaced", "cancelled", "missed", "charged", "parcel-sent", "readdressed", "refunded", "refund-failed",
		"update-card",
		"update-card-new-card", "update-card-approve", "update-card-wait", "dropped", "new-card-expires",
		"new-card-gone", "links", "lost-order", "diary", "launch-confirmation", "launch-reminder", "abandoned-cart",
		"report-pledges", "report-fulfillment", "admin-sign-in", "admin-invitation", "preview-link",
		"admin-change-passkey_added", "admin-change-passkey_removed", "admin-change-code_used",
		"admin-change-codes_made", "admin-change-passkeys_reset",
		"admin-dispute-opened", "admin-dispute-due", "admin-fraud-warning"}
	if n != 2*len(kinds) || strings.Count(index, "<iframe sandbox ") != n {
		t.Errorf("%d mails, %d in the index", n, strings.Count(index, "<iframe sandbox "))
	}
	for _, kind := range kinds {
		if en, es := read(kind+".en.txt"), read(kind+".es.txt"); en == es {
			t.Errorf("%s is the same in both languages:\n%s", kind, en)
		}
		for _, lang := range []string{"en", "es"} {
			if html := read(kind + "." + lang + ".html"); !strings.Contains(html, `<html lang="`+lang+`">`) ||
				!strings.Contains(html, "1 Shore Road, Taos") {
				t.Errorf("%s in %s:\n%s", kind, lang, html)
			}
			if !strings.Contains(index, `src="`+kind+"."+lang+`.html"`) {
				t.Errorf("%s in %s is not in the index", kind, lang)
			}
		}
	}
	if _, err := preview.Write(filepath.Join(dir, "index.html"), "https://example.org", mailtext.Platform{}); err == nil {
		t.Error("a file was accepted as a directory")
	}
}
