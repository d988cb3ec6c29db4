package order

import "github.com/pledgeworks/pledgeworks/kv"

// registerActs does nothing on a worker, whose program has no room for them: no route of
// its leads to one.
func registerActs(*kv.Class) {}
