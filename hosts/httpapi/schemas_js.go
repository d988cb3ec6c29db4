package httpapi

import (
	_ "embed"
	"encoding/json"
)

// The code that makes the schemas has many times their size, which counts on Workers: there
// they are a file, and a test holds it to that code.
//
//go:embed schemas.json
var schemasFile []byte

func schemas() json.RawMessage { return schemasFile }
