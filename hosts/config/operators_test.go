package config_test

import (
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/config"
)

func TestOperators(t *testing.T) {
	ada, ben := "ada:"+config.KeySum("a"), "ben.b:"+config.KeySum("b")
	for list, enough := range map[string]bool{"": false, ada: false, ada + "," + ben: true, ben + ", " + ada + ",": true} {
		var o config.Operators
		if err := o.UnmarshalText([]byte(list)); err != nil || o.Enough() != enough {
			t.Errorf("%q: %v, enough: %t", list, err, o.Enough())
		}
		for key, name := range map[string]string{"a": "ada", "b": "ben.b", "c": "", "": "", config.KeySum("a"): ""} {
			if got := o.Name(key); enough && got != name || !enough && got != "" && got != name {
				t.Errorf("%q belongs to %q, want %q", key, got, name)
			}
		}
	}
	for _, list := range []string{"ada", "ada:", "Ada:" + config.KeySum("a"), "ada:" + strings.Repeat("0", 63),
		ada + ",ada:" + config.KeySum("b"), ada + ",ben:" + config.KeySum("a")} {
		var o config.Operators
		if err := o.UnmarshalText([]byte(list)); err == nil {
			t.Errorf("%q was accepted", list)
		}
	}
}
