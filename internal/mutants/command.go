package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// goflags disables vet, whose findings in mutants are irrelevant, and keeps file paths out of
// programs.
const goflags = "-vet=off -trimpath"

// output runs a command in a folder and returns its output, or an error with its
// output. When the command ends or the context is canceled, all of its child
// processes are killed.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	return outputWith(ctx, dir, []string{"GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" "+goflags)}, name, args...)
}

// outputDelay is how long to wait for the output of child processes after a command ended,
// because a failing test may leave a process that never ends.
const outputDelay = 5 * time.Second

// outputWith is like output, with the given environment variables in addition to the process's
// own.
func outputWith(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = end, outputDelay
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if cmd.Process != nil {
		_ = end() // usually no processes are left
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, out, complaint.String())
	}
	return out, nil
}

// copyModule copies a module's regular files, without hidden folders, node_modules and the tests
// of other packages.
func copyModule(module, to, pkg string) error {
	return filepath.WalkDir(module, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(module, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if relative != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, relative), 0o755)
		}
		foreign := strings.HasSuffix(relative, "_test.go") && filepath.Dir(relative) != filepath.FromSlash(pkg)
		if foreign || !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, relative), text, 0o644)
	})
}
