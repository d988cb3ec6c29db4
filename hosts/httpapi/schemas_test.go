package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write schemas.json anew")

// Workers describe the API as every host does.
func TestSchemasOfWorkers(t *testing.T) {
	b, err := json.Marshal(workerSchemas())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("schemas.json", b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile("schemas.json")
	if err != nil || !bytes.Equal(kept, b) {
		t.Errorf("schemas.json is not what the code makes: run go test ./hosts/httpapi -run Schemas -update (%v)", err)
	}
}
