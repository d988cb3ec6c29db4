package site

import (
	"fmt"
	"io/fs"
)

// Say returns a message in a language of the catalogues in files.
func Say(files fs.FS, lang, id string, pairs ...any) (string, error) {
	tongues, err := readLocales(files)
	if err != nil {
		return "", err
	}
	for _, l := range tongues {
		if l.Code == lang {
			return l.say(id, pairs...)
		}
	}
	return "", fmt.Errorf("no language %s", lang)
}
