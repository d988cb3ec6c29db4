package httpapi

// Workers have no content routes.
var contentSchemasFile = []byte("{}")
