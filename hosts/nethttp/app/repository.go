package app

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/pledgeworks/pledgeworks/admin/media/s3"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/folder"
	"github.com/pledgeworks/pledgeworks/admin/repository/localgit"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
)

// openRepository returns the repository for campaign files, or nil if editing is disabled.
func (a *App) openRepository(ctx context.Context, o Options) (repository.Repository, error) {
	kind, _ := o.Config.Content.Place()
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
	a.copy = &remoteCopy{Repository: o.providers().GitHost(), app: a, wake: make(chan struct{}, 1)}
	return a.copy, nil
}

func filmsOf(s *s3.Store) compose.Films {
	if s == nil {
		return nil
	}
	return s
}
