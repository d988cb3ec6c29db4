package records

import (
	"slices"
	"testing"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// oneKey is the state of an object with one key.
type oneKey struct {
	kv.Tx
	value []byte
}

func (s *oneKey) Get(string) ([]byte, error)   { return slices.Clone(s.value), nil }
func (s *oneKey) Put(_ string, v []byte) error { s.value = v; return nil }

// BenchmarkRewrite reads and writes a pledge, in this release's format and with
// an additional field of a later release.
func BenchmarkRewrite(b *testing.B) {
	var stored []byte
	for _, r := range read(b, "0.1").Rows {
		if r.kind() == "order pledge/" && len(r.value()) > len(stored) {
			stored = r.value()
		}
	}
	for name, value := range map[string][]byte{
		"known fields": stored, "unknown field": slices.Concat([]byte(`{`+addition+`,`), stored[1:]),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(value)))
			tx := &oneKey{value: value}
			for b.Loop() {
				p, _, err := kv.Load[*pledge.Pledge](tx, "pledge/")
				if err != nil {
					b.Fatal(err)
				}
				if err := kv.PutValue(tx, "pledge/", p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
