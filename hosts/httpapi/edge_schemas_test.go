package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "update the schema files")

// The schema files match the code that generates them.
func TestSchemas(t *testing.T) {
	for name, made := range map[string]node{"schemas.json": workerSchemas(), "contentschemas.json": contentSchemas()} {
		b, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := os.ReadFile(name) //nolint:gosec // one of two files
		if err != nil || !bytes.Equal(kept, b) {
			t.Errorf("%s is out of date: run go test ./hosts/httpapi -run Schemas -update (%v)", name, err)
		}
	}
}
