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

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/localgit"
	"github.com/pledgeworks/pledgeworks/hosts/config"
)

//go:embed starter
var starter embed.FS

// campaignDays is the duration of the first campaign.
const campaignDays = 30

type initCommand struct {
	Dir string `arg:"" help:"New directory, or one without these files." type:"path"`
}

// Run writes all files, or none if one of them exists. It commits them if Git is installed.
func (c initCommand) Run(w *environ) error {
	kind := config.ContentPlain
	if localgit.Installed() {
		kind = config.ContentGit
	}
	files, err := starterFiles(time.Now(), kind)
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
	if kind == config.ContentGit {
		if err := localgit.Create(w.ctx, c.Dir, firstAuthor, "Create the platform", committedFiles(files)...); err != nil {
			return fmt.Errorf("the files are written but not committed, so campaigns cannot be edited in the dashboard: set CONTENT_REPOSITORY=folder in .env, or commit them: %w", err)
		}
	}
	_, err = fmt.Fprintf(w.out, initialised, c.Dir, saved[kind])
	return err
}

// firstAuthor is the author of the first commit. Later commits name the operator.
var firstAuthor = repository.Author{Name: "pledged init", Email: "init@pledgeworks.invalid"}

// committedFiles returns the paths of the files that contain no secrets.
func committedFiles(files []starterFile) (paths []string) {
	for _, f := range files {
		if f.path != config.EnvFile {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// saved explains where the dashboard saves campaigns, by kind of repository.
var saved = map[string]string{
	config.ContentGit:   "Campaigns that you edit in the dashboard are committed to Git in this folder.",
	config.ContentPlain: "Git is not installed: the dashboard saves campaigns in this folder, and their history in\npledgeworks-data. Live mode needs Git.",
}

const initialised = `Made %[1]s:

  campaigns/my-first-campaign.md   a campaign; edit it, or copy it for the next one
  site.yml                         your platform's settings
  .env                             test mode and secrets for this machine; never commit it
  .gitignore                       keeps .env and the data out of version control

Next:

  cd %[1]s
  pledged check
  pledged serve    # prints the address of the site and a link to set up the dashboard

%[2]s
`

// starterFile is a file to write.
type starterFile struct {
	path string
	text []byte
	mode os.FileMode
}

// starterFiles returns the files of a new content repository, with new secrets. kind is the kind of
// repository that CONTENT_REPOSITORY names.
func starterFiles(now time.Time, kind string) ([]starterFile, error) {
	values, err := config.DemoValues(rand.Reader)
	if err != nil {
		return nil, err
	}
	delete(values, "SITE_BASE") // set in the site file
	delete(values, "WORKER_BASE")
	values["CONTENT_REPOSITORY"] = kind
	variables, err := config.FormatEnv(values)
	if err != nil {
		return nil, err
	}
	dates := map[string]string{"Start": now.AddDate(0, 0, -1).Format(time.DateOnly),
		"Deadline": now.AddDate(0, 0, campaignDays).Format(time.DateOnly)}
	files := []starterFile{{"site.yml", nil, 0o644}, {"campaigns/my-first-campaign.md", nil, 0o644},
		{".gitignore", nil, 0o644}, {config.EnvFile, nil, 0o600}}
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
