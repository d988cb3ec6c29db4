package site

import (
	"fmt"
	"io/fs"
	"time"
)

// Say returns a message in one of the languages in files.
func Say(files fs.FS, lang, id string, pairs ...any) (string, error) {
	l, err := localeIn(files, lang)
	if err != nil {
		return "", err
	}
	return l.say(id, pairs...)
}

// Moment formats a time in one of the languages in files, with and without its zone.
func Moment(files fs.FS, lang string, t time.Time) (moment, until string, err error) {
	l, err := localeIn(files, lang)
	if err != nil {
		return "", "", err
	}
	if moment, err = l.moment(t); err != nil {
		return "", "", err
	}
	until, err = l.until(t)
	return moment, until, err
}

func localeIn(files fs.FS, lang string) (locale, error) {
	locales, err := readLocales(files)
	if err != nil {
		return locale{}, err
	}
	for _, l := range locales {
		if l.Code == lang {
			return l, nil
		}
	}
	return locale{}, fmt.Errorf("no language %s", lang)
}
