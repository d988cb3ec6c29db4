package broadcast

import "github.com/pledgeworks/pledgeworks/kv"

// registerSent does nothing on Cloudflare Workers, which do not send broadcasts.
func registerSent(*kv.Class) {}
