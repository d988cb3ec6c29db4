package workers_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pledgeworks/pledgeworks/internal/workerd"
)

// packed is the most that the platform takes, in bytes, of a free account: its API refuses
// more than 3 MiB with error 10027.
const packed = 3 << 20

// packedTiny is the most that TinyGo may make of it. 0.36 makes 1.92 MB, a third of it so
// that goroutines can wait.
const packedTiny = 2 << 20

func TestTheProgramIsSmallEnough(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	f, err := os.Open(filepath.Join(workerd.Build(t, "./hosts/workers/wasm"), "app.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var n counter
	z, err := gzip.NewWriterLevel(&n, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(z, f); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes packed", n)
	most := counter(packed)
	if workerd.TinyGo() {
		most = packedTiny
	}
	if n > most {
		t.Errorf("the program has %d bytes packed, want at most %d", n, most)
	}
}

type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
