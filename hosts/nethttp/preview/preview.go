// Package preview writes every kind of mail to a folder, to be looked at: in each
// language, as text and as HTML, about a pledge that nobody made.
package preview

import (
	"bytes"
	_ "embed"
	"html/template"
	"os"
	"path/filepath"

	"github.com/pledgeworks/pledgeworks/notify"
)

// languages are those in which mails are written.
var languages = []string{"en", "es"}

//go:embed index.html
var indexHTML string

var index = template.Must(template.New("index").Parse(indexHTML))

// Mail is one of the mails.
type Mail struct {
	Name string // of its files, without the extension: its kind and its language
	notify.Message
}

// Write fills a folder with the mails of a platform and an index.html that shows them. It
// returns how many there are. What else is in the folder stays.
func Write(dir, siteBase string, p notify.Platform) (int, error) {
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
