package config

import (
	"regexp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

var (
	atGitHub   = regexp.MustCompile(`^github:[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)
	atGitea    = regexp.MustCompile(`^gitea:https?://[A-Za-z0-9.:_-]+(/[A-Za-z0-9._-]+)*/[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)
	inside     = regexp.MustCompile(`^([A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$`)
	branchName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*([./][A-Za-z0-9_][A-Za-z0-9_-]*)*$`)
)

// checkContent looks at the place that campaigns are kept in.
func (c *Config) checkContent(faults *Faults) {
	kind, _ := c.Content.Place()
	known := kind == "" || c.Content.Repository == "" || c.Content.Repository == ContentGit || c.Content.Repository == ContentPlain ||
		atGitHub.MatchString(c.Content.Repository) || atGitea.MatchString(c.Content.Repository)
	if !known {
		faults.add("CONTENT_REPOSITORY", "names no repository", "write git, folder, github:owner/name or gitea:https://host/owner/name")
	}
	if !branchName.MatchString(c.Content.Branch) {
		faults.add("CONTENT_BRANCH", "is no name of a branch", "write a name such as main")
	}
	if !inside.MatchString(c.Content.Folder) {
		faults.add("CONTENT_FOLDER", "is no folder of a repository", "write a path such as site/content")
	}
	if kind == ContentPlain && c.Mode.App == psp.Live {
		faults.add("CONTENT_REPOSITORY", "is a plain folder in live mode, where nobody else keeps what campaigns were", "name a Git repository, or set APP_MODE=test")
	}
	if known && c.Content.Remote() && !c.Secrets.Content.IsSet() {
		faults.add("CONTENT_TOKEN", "is missing, but CONTENT_REPOSITORY is at a host", "make a token that reads and writes the contents of this repository alone")
	}
}
