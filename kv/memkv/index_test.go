package memkv

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestIndex_IsSortedMap(t *testing.T) {
	for seed := range uint64(5) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var x index[int]
		model := map[string]int{}
		for step := range 20_000 {
			key := fmt.Sprint(rnd.IntN(3000))
			if rnd.IntN(5-int(seed)/2) == 0 {
				x.remove(key)
				delete(model, key)
			} else {
				x.put(key, step)
				model[key] = step
			}
			if v, ok := x.get(key); v != model[key] || ok != hasKey(model, key) {
				t.Fatalf("seed %d, step %d: %q holds %d, %v", seed, step, key, v, ok)
			}
		}
		want := slices.Sorted(maps.Keys(model))
		from := want[len(want)/3] + "!"
		var got []string
		x.walk(from, func(key string, v int) bool {
			if v != model[key] {
				t.Errorf("seed %d: %q holds %d, want %d", seed, key, v, model[key])
			}
			got = append(got, key)
			return true
		})
		if want := want[len(want)/3+1:]; !slices.Equal(got, want) {
			t.Errorf("seed %d: the walk from %q differs: %d keys, want %d", seed, from, len(got), len(want))
		}
		for _, key := range slices.Collect(maps.Keys(model)) {
			x.remove(key)
		}
		if len(x.chunks) != 0 {
			t.Errorf("seed %d: %d chunks left in an empty index", seed, len(x.chunks))
		}
	}
}

func hasKey(m map[string]int, key string) bool {
	_, ok := m[key]
	return ok
}

func TestIndex_InsertInOrderFillsChunks(t *testing.T) {
	var x index[int]
	for i := range 100_000 {
		x.put(fmt.Sprintf("%09d", i), i)
	}
	if most := 100_000/chunkSize + 2; len(x.chunks) > most {
		t.Errorf("%d chunks, want at most %d", len(x.chunks), most)
	}
}

func TestIndex_InsertInReverseOrder(t *testing.T) {
	var x index[int]
	const n = 5 * chunkSize
	for i := range n {
		x.put(fmt.Sprintf("%09d", n-i), n-i)
	}
	next := 1
	x.walk("", func(_ string, v int) bool {
		if v != next {
			t.Fatalf("got %d, want %d", v, next)
		}
		next++
		return true
	})
	if next != n+1 {
		t.Errorf("the walk ends before %d", next)
	}
}
