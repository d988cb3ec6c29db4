package main

import (
	"bytes"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/template"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
)

//go:embed starter
var starter embed.FS

// campaignDays is the duration of the first campaign.
const campaignDays = 30

type initCommand struct {
	Dir string `arg:"" help:"New directory, or one without these files." type:"path"`
}

// Run writes all files, or none if one of them exists.
func (c initCommand) Run(w *environ) error {
	files, err := starterFiles(time.Now())
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(c.Dir, f.path)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s already exists: choose another directory", filepath.Join(c.Dir, f.path))
		}
	}
	for _, f := range files {
		name := filepath.Join(c.Dir, f.path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.text, f.mode); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w.out, initialised, c.Dir)
	return err
}

const initialised = `Made %[1]s:

  campaigns/my-first-campaign.md   a campaign; edit it, or copy it for the next one
  site.yml                         your platform's settings
  .env                             test mode and secrets for this machine; never commit it
  .gitignore                       keeps .env and the data out of version control

Next:

  cd %[1]s
  pledged check
  pledged serve
`

// starterFile is a file to write.
type starterFile struct {
	path string
	text []byte
	mode os.FileMode
}

// starterFiles returns the files of a new content repository, with new secrets.
func starterFiles(now time.Time) ([]starterFile, error) {
	values, err := config.DemoValues(rand.Reader)
	if err != nil {
		return nil, err
	}
	delete(values, "SITE_BASE") // set in the site file
	delete(values, "WORKER_BASE")
	variables, err := config.FormatEnv(values)
	if err != nil {
		return nil, err
	}
	dates := map[string]string{"Start": now.AddDate(0, 0, -1).Format(time.DateOnly), "Deadline": now.AddDate(0, 0, campaignDays).Format(time.DateOnly)}
	files := []starterFile{{"site.yml", nil, 0o644}, {"campaigns/my-first-campaign.md", nil, 0o644}, {".gitignore", nil, 0o644}, {".env", nil, 0o600}}
	for i, from := range []string{"site.yml", "campaign.md", "gitignore", "env"} {
		t, err := template.ParseFS(starter, "starter/"+from)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, dates); err != nil {
			return nil, err
		}
		files[i].text = b.Bytes()
	}
	files[3].text = append(files[3].text, variables...)
	return files, nil
}
