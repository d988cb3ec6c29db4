package audit

import "github.com/pledgeworks/pledgeworks/kv"

// registerResume does nothing in the Worker build, which does not support resuming actions.
func registerResume(*kv.Class) {}
