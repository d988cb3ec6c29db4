package workers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pledgeworks/pledgeworks/internal/workerd"
)

// maxBytes is half of Cloudflare's limit for an uncompressed bundle, which is 64 MiB on every plan
// since September 2026. The compressed size is no longer limited.
const maxBytes = 32 << 20

func TestProgram_FitsCloudflaresLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program, err := os.Stat(filepath.Join(workerd.Build(t, "./hosts/workers/wasm"), "app.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", program.Size())
	if program.Size() > maxBytes {
		t.Errorf("the program has %d bytes, want at most %d", program.Size(), maxBytes)
	}
}
