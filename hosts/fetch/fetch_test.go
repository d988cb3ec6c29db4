package fetch_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
)

func TestResponse_NumberAndSeconds(t *testing.T) {
	for value, want := range map[string]struct {
		n    int
		ok   bool
		wait time.Duration
	}{
		"7":                    {n: 7, ok: true, wait: 7 * time.Second},
		" 7 ; w=1":             {n: 7, ok: true, wait: 7 * time.Second},
		"0":                    {ok: true},
		"86400":                {n: 86400, ok: true, wait: 24 * time.Hour},
		"86401":                {n: 86401, ok: true, wait: 24 * time.Hour},
		"9223372036854775807":  {n: 1<<63 - 1, ok: true, wait: 24 * time.Hour},
		"99999999999999999999": {},
		"-1":                   {},
		"1.5":                  {},
		"soon":                 {},
		"":                     {},
	} {
		r := fetch.Response{Header: func(name string) string { return map[string]string{"Retry-After": value}[name] }}
		if n, ok := r.Number("Retry-After"); n != want.n || ok != want.ok {
			t.Errorf("%q: %d, %t", value, n, ok)
		}
		if wait, ok := r.Seconds("Retry-After"); wait != want.wait || ok != want.ok {
			t.Errorf("%q: %s, %t", value, wait, ok)
		}
	}
}
