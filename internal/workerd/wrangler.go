package workerd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// DryRun runs wrangler deploy --dry-run with a configuration in a folder and returns its output. It
// skips the test if wrangler is not installed, or fails it if workerd is required.
func DryRun(t testing.TB, folder, config string) string {
	t.Helper()
	script := filepath.Join(root(), "internal/workerd/node_modules/wrangler/bin/wrangler.js")
	if _, err := os.Stat(script); err != nil {
		if os.Getenv(required) != "" {
			t.Fatal("wrangler is missing: make workerd installs it")
		}
		t.Skip("NOT RUN: wrangler is missing, make workerd installs it")
	}
	cmd := exec.CommandContext(t.Context(), "node", script, "deploy", "--dry-run", "-c", config)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "CI=1", "NO_COLOR=1", "WRANGLER_SEND_METRICS=false")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("wrangler deploy -c %s: %v\n%s", config, err, out)
	}
	return string(out)
}
