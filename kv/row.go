package kv

import "time"

// Row is one key of a database, for copying data between engines. It belongs to a
// Store's namespace or to an object's state.
type Row struct {
	Namespace string // empty for an object's key
	Object    Object
	Key       string
	Value     []byte
	Expires   time.Time // zero means never
}
