package sim

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// TestEncode_LikeMarshal compares the encoder with json.Marshal for every type of value, empty ones,
// and texts that need escapes.
func TestEncode_LikeMarshal(t *testing.T) {
	many := object{}
	for _, r := range strings.Repeat("ab", 20) + "\x00\x1f !\"&'/<>[\\]~\x7f\u00e9\u20ac\u2028\u2029\U0001f600\xff" {
		many[strings.Repeat(string(r), len(many)+1)] = "text with " + string(r)
	}
	for _, o := range []object{nil, {}, many, {
		"nil": nil, "text": "visa", "empty": "", "yes": true, "no": false, "int": -7, "long": int64(1) << 60,
		"cents": money.Cents(1999), "none": object(nil), "inner": object{"b": 1, "a": object{}},
		"metadata": map[string]string{"x": "<1>", "a": "2"}, "no metadata": map[string]string(nil),
		"list": []object{{"id": "pi_1"}, nil}, "no list": []object(nil), "empty list": []object{},
		"texts": []string{"card", "\"quoted\""}, "no texts": []string(nil),
		"payload": json.RawMessage(`{ "id" : "ch_1" }`), "no payload": json.RawMessage(nil), "float": 1.5,
	}} {
		want, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if got := encode(o); string(got) != string(want) {
			t.Errorf("encode(%v) = %s, want %s", o, got, want)
		}
	}
}
