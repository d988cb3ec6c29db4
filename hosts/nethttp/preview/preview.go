// Package preview writes examples of all mails to a directory, in each language, as text and HTML.
// They are about a fictitious pledge.
package preview

import (
	"bytes"
	_ "embed"
	"html/template"
	"os"
	"path/filepath"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
)

// languages are the languages of mails.
var languages = []string{"en", "es"}

//go:embed index.html
var indexHTML string

var index = template.Must(template.New("index").Parse(indexHTML))

// Mail is an example mail.
type Mail struct {
	Name string // base name of its files: kind and language
	notify.Message
}

// Write writes examples of a platform's mails and an index.html to a directory, and returns the
// number of mails. It does not change other files in the directory.
func Write(dir, siteBase string, p mailtext.Platform) (int, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return 0, err
	}
	var all []Mail
	for _, lang := range languages {
		mails, err := examples(lang, siteBase, p)
		if err != nil {
			return 0, err
		}
		all = append(all, mails...)
	}
	for _, m := range all {
		if err := put(dir, m.Name+".txt", m.Text); err != nil {
			return 0, err
		}
		if err := put(dir, m.Name+".html", m.HTML); err != nil {
			return 0, err
		}
	}
	var page bytes.Buffer
	if err := index.Execute(&page, all); err != nil {
		return 0, err
	}
	return len(all), put(dir, "index.html", page.String())
}

func put(dir, name, text string) error {
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
}
