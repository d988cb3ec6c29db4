package order

import "github.com/pledgeworks/pledgeworks/kv"

func registerActs(c *kv.Class) {
	kv.OnRepeatable(c, runMarkParcel)
	kv.OnRepeatable(c, runReaddress)
	kv.OnRepeatable(c, runChooseHold)
	kv.OnRepeatable(c, runNote)
	kv.OnQuery(c, runActs)
}
