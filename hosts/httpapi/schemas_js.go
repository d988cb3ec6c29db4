package httpapi

// Workers have no routes of content.
var contentSchemasFile = []byte("{}")
