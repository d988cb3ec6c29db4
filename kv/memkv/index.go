package memkv

import "slices"

// chunkSize is the maximum number of entries in a chunk, which bounds how many an insertion moves.
const chunkSize = 256

// index is a sorted map: a sorted list of sorted chunks. A lookup is two binary
// searches, and an insertion moves at most one chunk.
type index[V any] struct {
	chunks [][]pair[V] // none is empty
}

type pair[V any] struct {
	key   string
	value V
}

// locate returns where key is or would be inserted.
func (x *index[V]) locate(key string) (chunk, at int, found bool) {
	low, high := 0, len(x.chunks) // the chunk before low begins at key or earlier, the chunk at high later
	for low < high {
		if middle := (low + high) / 2; x.chunks[middle][0].key <= key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == 0 {
		return 0, 0, false
	}
	chunk = low - 1
	pairs := x.chunks[chunk]
	low, high = 0, len(pairs)
	for low < high {
		if middle := (low + high) / 2; pairs[middle].key < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return chunk, low, low < len(pairs) && pairs[low].key == key
}

func (x *index[V]) get(key string) (v V, ok bool) {
	c, i, ok := x.locate(key)
	if !ok {
		return v, false
	}
	return x.chunks[c][i].value, true
}

func (x *index[V]) put(key string, v V) {
	c, i, found := x.locate(key)
	if found {
		x.chunks[c][i].value = v
		return
	}
	if len(x.chunks) == 0 {
		x.chunks = [][]pair[V]{{{key, v}}}
		return
	}
	chunk := slices.Insert(x.chunks[c], i, pair[V]{key, v})
	x.chunks[c] = chunk
	if len(chunk) <= chunkSize {
		return
	}
	// A key appended at the very end leaves the chunk full, so that keys inserted in order
	// don't leave half of the memory unused.
	cut := len(chunk) / 2
	if c == len(x.chunks)-1 && i == len(chunk)-1 {
		cut = i
	}
	right := slices.Clone(chunk[cut:])
	clear(chunk[cut:])
	x.chunks[c] = chunk[:cut]
	x.chunks = slices.Insert(x.chunks, c+1, right)
}

func (x *index[V]) remove(key string) {
	c, i, found := x.locate(key)
	if !found {
		return
	}
	x.chunks[c] = slices.Delete(x.chunks[c], i, i+1)
	if len(x.chunks[c]) == 0 {
		x.chunks = slices.Delete(x.chunks, c, c+1)
	}
}

// walk visits the pairs from key on, in order, until visit returns false. The index
// must not change during the walk.
func (x *index[V]) walk(from string, visit func(key string, v V) bool) {
	c, i, _ := x.locate(from)
	for ; c < len(x.chunks); c, i = c+1, 0 {
		for ; i < len(x.chunks[c]); i++ {
			if p := x.chunks[c][i]; !visit(p.key, p.value) {
				return
			}
		}
	}
}
