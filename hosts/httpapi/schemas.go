package httpapi

import (
	_ "embed"
	"encoding/json"
)

// The code that makes the schemas has many times their size, which counts for a program and
// still more on Workers: they are files, and a test holds them to that code.
//
//go:embed schemas.json
var schemasFile []byte

// schemas are all that the routes name.
func schemas() (all map[string]json.RawMessage, err error) {
	for _, file := range [][]byte{schemasFile, contentSchemasFile} {
		if err := json.Unmarshal(file, &all); err != nil {
			return nil, err
		}
	}
	return all, nil
}
