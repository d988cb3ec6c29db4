// Package kv is the storage contract: what Cloudflare has and SQL can give.
//
//   - A Store holds plain keys and values. Reads may be stale; a failed batch
//     leaves a prefix of itself. The core orders its writes so that every
//     prefix is a legal state.
//   - A Coordinator delivers commands to small serialised objects. Their state
//     is strongly consistent, a command is atomic, and one that is delivered
//     again answers as it did the first time.
//
// Whatever decides about money or stock lives in an object; what the Store
// holds of it is a projection that can be rebuilt. Implementations hang below
// this package (memkv, sqlitekv) and pass kvtest.
package kv
