package localgit

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// plain keeps what a user or a repository has set up for people from happening here: hooks,
// watchers, signatures, other encodings. What is written is on the disk before a reference
// leads to it.
var plain = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.fsync=committed", "-c", "gc.auto=0",
	"-c", "log.showSignature=false", "-c", "log.mailmap=false", "-c", "core.quotePath=false",
	"-c", "safe.directory=*", // whose it is has been looked at by whoever named the folder
}

// environment is this process's without anything that Git reads, and without the files in
// which users keep settings.
func environment() []string {
	var kept []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG") {
			kept = append(kept, v)
		}
	}
	return append(kept, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1")
}

// failed is what Git says where it refuses.
type failed struct{ said string }

func (f *failed) Error() string { return "git: " + f.said }

// git runs a command in the folder. index is the index file, "" for the folder's own.
type git struct {
	folder, index string
}

func (g git) run(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append(plain[:len(plain):len(plain)], args...)...) //nolint:gosec // no shell, and arguments of ours
	cmd.Dir, cmd.Env, cmd.Stdin = g.folder, environment(), bytes.NewReader(input)
	if g.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+g.index)
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fault.Wrap(ctx.Err(), fault.Unavailable, "Nobody waits for the repository")
	case errors.As(err, &exit) && exit.Exited():
		return nil, &failed{strings.TrimSpace(said.String())}
	}
	return nil, fault.Wrap(err, fault.Unavailable, "Git can't be run")
}

// line is what a command says in one line.
func (g git) line(ctx context.Context, input []byte, args ...string) (string, error) {
	out, err := g.run(ctx, input, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// refusal reports whether Git ran and refused, which says nothing of the machine.
func refusal(err error) bool {
	var f *failed
	return errors.As(err, &f)
}

// unavailable is what a failure of Git is for a caller.
func unavailable(err error) error {
	if err == nil || fault.Of(err) != nil {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The repository can't be worked with")
}
