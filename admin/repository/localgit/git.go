package localgit

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// safeConfig disables settings of users and repositories that would interfere: hooks,
// watchers, signatures, other encodings. Objects are synced to disk before a reference
// points to them.
var safeConfig = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.fsync=committed", "-c", "gc.auto=0",
	"-c", "log.showSignature=false", "-c", "log.mailmap=false", "-c", "core.quotePath=false",
	"-c", "safe.directory=*", // the configured folder's owner is trusted
}

// environment returns this process's environment without Git's variables, with settings that ignore
// users' configuration files and that make Git's messages English.
func environment() []string {
	var kept []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG") {
			kept = append(kept, v)
		}
	}
	return append(kept, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1")
}

// gitError is an error message of Git.
type gitError struct{ message string }

func (f *gitError) Error() string { return "git: " + f.message }

// git runs commands in a folder. index is the index file, "" for the folder's own.
type git struct {
	folder, index string
}

func (g git) run(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append(slices.Clip(safeConfig), args...)...) //nolint:gosec // no shell, and arguments of this package
	cmd.Dir, cmd.Env, cmd.Stdin = g.folder, environment(), bytes.NewReader(input)
	if g.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+g.index)
	}
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fault.Wrap(ctx.Err(), fault.Unavailable, "The request was canceled while Git was running")
	case errors.As(err, &exit) && exit.Exited():
		return nil, &gitError{strings.TrimSpace(stderr.String())}
	}
	return nil, fault.Wrap(err, fault.Unavailable, "Git could not be started")
}

// runLine runs a command that prints one line, and returns the line.
func (g git) runLine(ctx context.Context, input []byte, args ...string) (string, error) {
	out, err := g.run(ctx, input, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// isGitError reports whether Git ran and failed, as opposed to not being started.
func isGitError(err error) bool {
	var f *gitError
	return errors.As(err, &f)
}

// wrapGitError turns an error of Git into a fault.
func wrapGitError(err error) error {
	if err == nil || fault.Of(err) != nil {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The Git repository cannot be accessed")
}
