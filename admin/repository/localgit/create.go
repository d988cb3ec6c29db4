package localgit

import (
	"context"
	"os/exec"

	"github.com/pledgeworks/pledgeworks/admin/repository"
)

// Installed reports whether the git command is available.
func Installed() bool {
	_, err := exec.LookPath("git")
	return err == nil
}

// Create initializes a Git repository with the branch main in a folder, unless there is one
// already, and commits the given files. Other files in the folder are not committed.
func Create(ctx context.Context, folder string, by repository.Author, message string, files ...string) error {
	g := git{folder: folder}
	commit := []string{"-c", "user.name=" + by.Name, "-c", "user.email=" + by.Email, "-c",
		"commit.gpgSign=false", "commit", "--quiet", "--message", message, "--"}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		append([]string{"add", "--"}, files...),
		append(commit, files...),
	} {
		if _, err := g.run(ctx, nil, args...); err != nil {
			return err
		}
	}
	return nil
}
