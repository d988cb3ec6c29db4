package access

import "github.com/pledgeworks/pledgeworks/kv"

// registerReaders does nothing in the Worker build, which does not include reports.
func registerReaders(*kv.Class) {}

func deleteConfirmations(kv.Tx, string) error { return nil }
