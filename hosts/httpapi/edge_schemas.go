package httpapi

import (
	_ "embed"
	"encoding/json"
)

// The schemas are embedded as files because the code that generates them is much larger, which
// matters on Workers. TestSchemas compares the files with that code.
//
//go:embed schemas.json
var schemasFile []byte

// schemas returns all schemas referenced by the routes.
func schemas() (all map[string]json.RawMessage, err error) {
	for _, file := range [][]byte{schemasFile, contentSchemasFile} {
		if err := json.Unmarshal(file, &all); err != nil {
			return nil, err
		}
	}
	return all, nil
}
