package kv_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Member returns the same value and the same errors as decoding the whole record.
func TestMember(t *testing.T) {
	for record, want := range map[string]struct {
		n     int
		fails bool
	}{
		`{"a":{"revision":9},"revision":3,"b":[1]}`: {n: 3},
		` { "revision" : 4 } `:                      {n: 4},
		`{"a":"revision"}`:                          {},
		`{}`:                                        {},
		`{"revision":"x"}`:                          {fails: true},
		`{"recordVersion":2,"revision":3}`:          {fails: true},
		`{"revision":3,"recordVersion":2}`:          {fails: true},
		`{"revision":3,"recordVersion":1}`:          {n: 3},
		`{"a":`:                                     {fails: true},
		`{"`:                                        {fails: true},
		`{"revision`:                                {fails: true},
		`{"revision":3,"`:                           {n: 3},
		`none`:                                      {fails: true},
		``:                                          {fails: true},
	} {
		n, err := kv.Member[int]("key", []byte(record), "revision")
		if n != want.n || (err != nil) != want.fails {
			t.Errorf("%s: %d, %v; want %+v", record, n, err, want)
		}
	}
}
