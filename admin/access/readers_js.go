package access

import "github.com/pledgeworks/pledgeworks/kv"

// registerReaders does nothing on a worker, whose program has no room for reports.
func registerReaders(*kv.Class) {}

func forgetReader(kv.Tx, string) error { return nil }
