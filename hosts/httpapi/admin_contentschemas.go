package httpapi

import _ "embed"

//go:embed contentschemas.json
var contentSchemasFile []byte
