package workers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pledgeworks/pledgeworks/internal/workerd"
)

// mostBytes is half of what Cloudflare takes of a bundle, unpacked: 64 MiB on every plan since
// September 2026. What the bundle weighs packed does not count any more.
const mostBytes = 32 << 20

func TestProgram_FitsCloudflaresLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program, err := os.Stat(filepath.Join(workerd.Build(t, "./hosts/workers/wasm"), "app.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", program.Size())
	if program.Size() > mostBytes {
		t.Errorf("the program has %d bytes, want at most %d", program.Size(), mostBytes)
	}
}
