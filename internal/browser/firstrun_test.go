package browser_test

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestFirstRun goes from an empty folder to a launched campaign with a pledge, using only
// `pledged init`, `pledged serve` and the pages in the browser: once by keyboard, once by mouse.
func TestFirstRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a browser")
	}
	t.Parallel()
	chromium(t)
	program := filepath.Join(t.TempDir(), "pledged")
	if out, err := exec.CommandContext(t.Context(), "go", "run", "-exec", "cp", // from the build cache
		"../../hosts/nethttp/cmd/pledged", program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"firstrun/keyboard", "firstrun/mouse"} {
		if !strings.Contains(name, *story) {
			continue
		}
		base, link := serveNewPlatform(t, program)
		if n := runMatchingStories(t, ".first.mjs", name, base, "", "SETUP="+link); n != 1 {
			t.Errorf("%s: %d stories ran", name, n)
		}
	}
}

// serveNewPlatform runs `pledged init` and `pledged serve` in an empty folder, and returns the URL and
// the setup link that serve prints.
func serveNewPlatform(t *testing.T, program string) (base, setup string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	base = "http://" + address
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LISTEN=" + address,
			"SITE_BASE=" + base, "WORKER_BASE=" + base, "LOG_LEVEL=warn"}
		cmd.Stderr = t.Output()
		return cmd
	}
	folder := filepath.Join(t.TempDir(), "platform")
	if out, err := run("init", folder).Output(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	serving := run("serve")
	serving.Dir = folder
	out, err := serving.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serving.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serving.Process.Signal(syscall.SIGTERM)
		if err := serving.Wait(); err != nil {
			t.Error(err)
		}
	})
	stuck := time.AfterFunc(30*time.Second, func() { _ = serving.Process.Kill() })
	defer stuck.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, link, found := strings.Cut(lines.Text(), "Set up "); found {
			return base, strings.TrimSpace(link)
		}
	}
	t.Fatal("serve prints no setup link")
	return "", ""
}
