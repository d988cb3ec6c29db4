package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/admin/media/s3"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/folder"
	"github.com/pledgeworks/pledgeworks/admin/repository/forge"
	"github.com/pledgeworks/pledgeworks/admin/repository/localgit"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
)

// openRepository returns the repository for campaign files, or nil if editing is disabled.
func (a *App) openRepository(ctx context.Context, o Options) (repository.Repository, error) {
	kind, where := o.Config.Content.Place()
	if kind == "" || o.Folder == "" {
		return nil, nil
	}
	switch kind {
	case config.ContentGit:
		r, err := localgit.Open(ctx, o.Folder, o.Config.Content.Branch)
		if err != nil {
			return nil, fmt.Errorf("CONTENT_REPOSITORY: %w", err)
		}
		return r, nil
	case config.ContentPlain:
		data := o.Config.Server.DataDir
		r, err := folder.Open(o.Folder, filepath.Join(data, "content"), o.Now, data)
		if err != nil {
			return nil, fmt.Errorf("CONTENT_REPOSITORY: %w", err)
		}
		a.plain = r
		return r, nil
	}
	a.copy = &remoteCopy{Repository: openForge(kind, where, o), app: a, wake: make(chan struct{}, 1)}
	return a.copy, nil
}

const (
	forgeTimeout = time.Minute
	// maxAnswer is the maximum size of a Git host's response in bytes: the largest file in base64.
	maxAnswer = 64 << 20
)

// openForge returns a repository on a Git host.
func openForge(kind, where string, with Options) *forge.Repository {
	c := with.Config
	o := forge.Options{
		Fetch: overhttp.New(nil, forgeTimeout).Reading(maxAnswer), Name: where,
		Branch: c.Content.Branch, Folder: c.Content.Folder, Token: c.Secrets.Content.Reveal(), Now: with.Now,
	}
	if kind == config.ContentGitHub {
		return forge.GitHub(o)
	}
	name := strings.LastIndexByte(where, '/')
	owner := strings.LastIndexByte(where[:name], '/')
	o.Base, o.Name = where[:owner]+"/api/v1", where[owner+1:]
	return forge.Gitea(o)
}

// openFilms returns the media bucket, or nil if none is configured.
func openFilms(o Options) (*s3.Store, error) {
	c := o.Config
	if c.Media.Bucket == "" {
		return nil, nil
	}
	s, err := s3.New(s3.Options{
		Fetch: overhttp.New(nil, filmTimeout).Reading(media.Video.MaxSize() + 1), Bucket: c.Media.Bucket, Region: c.Media.Region,
		KeyID: c.Media.KeyID, Secret: c.Secrets.MediaStore.Reveal(), Public: c.Media.Public, Now: time.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("MEDIA_STORE_URL: %w", err)
	}
	return s, nil
}

// filmTimeout is the timeout of transfers between the service and the bucket.
const filmTimeout = 5 * time.Minute

func filmsOf(s *s3.Store) compose.Films {
	if s == nil {
		return nil
	}
	return s
}
