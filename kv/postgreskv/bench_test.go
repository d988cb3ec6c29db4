package postgreskv_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/kv/kvtest"
)

func Benchmark(b *testing.B) { kvtest.Bench(b, harness("")) }
