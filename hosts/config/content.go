package config

import (
	"regexp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

var (
	gitHubRepository = regexp.MustCompile(`^github:[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)
	giteaRepository  = regexp.MustCompile(`^gitea:https?://[A-Za-z0-9.:_-]+(/[A-Za-z0-9._-]+)*/[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)
	relativePath     = regexp.MustCompile(`^([A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$`)
	branchName       = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*([./][A-Za-z0-9_][A-Za-z0-9_-]*)*$`)
)

// checkContent checks where campaign files are stored.
func (c *Config) checkContent(faults *SettingErrors) {
	kind, _ := c.Content.Place()
	known := kind == "" || c.Content.Repository == "" || c.Content.Repository == ContentGit ||
		c.Content.Repository == ContentPlain ||
		gitHubRepository.MatchString(c.Content.Repository) || giteaRepository.MatchString(c.Content.Repository)
	if !known {
		faults.add("CONTENT_REPOSITORY", "is not a valid repository",
			"use git, folder, github:owner/name or gitea:https://host/owner/name")
	}
	if !branchName.MatchString(c.Content.Branch) {
		faults.add("CONTENT_BRANCH", "is not a valid branch name", "use a name such as main")
	}
	if !relativePath.MatchString(c.Content.Folder) {
		faults.add("CONTENT_FOLDER", "is not a relative path", "use a path such as site/content")
	}
	if kind == ContentPlain && c.Mode.App == psp.Live {
		faults.add("CONTENT_REPOSITORY", "is a plain folder in live mode, which keeps no history of campaigns",
			"use a Git repository, or set APP_MODE=test")
	}
	if known && c.Content.Remote() && !c.Secrets.Content.IsSet() {
		faults.add("CONTENT_TOKEN", "is missing, but CONTENT_REPOSITORY is remote",
			"create a token with read and write access to the contents of this repository only")
	}
}
