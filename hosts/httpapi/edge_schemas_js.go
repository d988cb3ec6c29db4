package httpapi

// contentSchemasFile is empty because the content routes of Workers only return errors.
var contentSchemasFile = []byte("{}")
