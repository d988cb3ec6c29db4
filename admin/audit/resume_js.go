package audit

import "github.com/pledgeworks/pledgeworks/kv"

// registerResume adds nothing: a worker's program has no room for going on with acts.
func registerResume(*kv.Class) {}
