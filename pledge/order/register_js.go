package order

import "github.com/pledgeworks/pledgeworks/kv"

// registerActs does nothing on Workers, where no route uses acts, to keep the program
// small.
func registerActs(*kv.Class) {}
