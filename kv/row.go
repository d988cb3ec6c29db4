package kv

import "time"

// Row is one key of a database as its engine keeps it, for copies from one engine to
// another. It belongs to a Store's namespace, or to the state of an object.
type Row struct {
	Namespace string // "" for an object's
	Object    Object
	Key       string
	Value     []byte
	Expires   time.Time // zero is never
}
