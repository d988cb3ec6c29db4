package postgreskv

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrefixEnd(t *testing.T) {
	last := string(utf8.MaxRune)
	for prefix, want := range map[string]string{
		"a": "b", "due/": "due0", "a\x7f": "a\u0080", "ü": "ý", "a\ud7ff": "a\ue000", "a" + last: "b",
		"a\U0010fffe": "a" + last, last + last: lastKey, "": lastKey,
	} {
		if got := prefixEnd(prefix); got != want {
			t.Errorf("prefixEnd(%q) = %q, want %q", prefix, got, want)
		}
	}
}

// A key has the prefix exactly if it is between the prefix and prefixEnd.
func FuzzPrefixEnd(f *testing.F) {
	f.Add("due/", "due/1")
	f.Add("ü", "ý")
	f.Add("a\U0010ffff", "a\U0010ffffb")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, prefix, key string) {
		if !utf8.ValidString(prefix) || !utf8.ValidString(key) || len(key) > 512 {
			t.Skip()
		}
		within := key >= prefix && key < prefixEnd(prefix)
		if within != strings.HasPrefix(key, prefix) {
			t.Errorf("%q in the range of %q: %t", key, prefix, within)
		}
	})
}
