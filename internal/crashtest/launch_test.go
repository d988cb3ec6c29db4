package crashtest

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// launchServer returns a launcher of the program that build compiles.
func launchServer(t *testing.T) launcher { return launchBinary(t, build(t)) }

func launchBinary(t *testing.T, binary string) launcher {
	return func(env map[string]string, log io.Writer) (process, error) {
		cmd := exec.Command(binary, "serve")
		cmd.Stderr, cmd.Dir = log, t.TempDir()
		for k, v := range env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "Listening on") {
			return nil, fmt.Errorf("program does not listen: %q, %w", line, err)
		}
		go func() { _, _ = io.Copy(io.Discard, out) }()
		return program{cmd}, nil
	}
}

// built compiles the program once for all tests and returns its path.
var built = sync.OnceValues(func() (string, error) { return compile(filepath.Join(buildFolder, "pledged")) })

// buildFolder is the folder of the compiled program. TestMain creates and removes it.
var buildFolder string

// build returns the path of the compiled program.
func build(t *testing.T) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// compile compiles the program into a file. go run keeps the linked program in the build cache,
// where the tests of other packages find it.
func compile(binary string, flags ...string) (string, error) {
	args := append([]string{"run", "-exec", "cp"}, flags...)
	out, err := exec.Command("go", append(args, "../../hosts/nethttp/cmd/pledged", binary)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building pledged: %w\n%s", err, out)
	}
	return binary, nil
}

type program struct{ *exec.Cmd }

func (p program) kill() {
	_ = p.Process.Kill()
	_ = p.Wait() // returns the exit status
}

func (p program) stop() error {
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.Wait()
}

// backup writes a backup of the servers' data to a new file and returns its path.
func backup(t *testing.T, env map[string]string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup.db")
	command(t, build(t), env, "backup", file)
	return file
}

// command runs one of the program's commands.
func command(t *testing.T, binary string, env map[string]string, args ...string) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = t.TempDir()
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", args[0], err, out)
	}
}
