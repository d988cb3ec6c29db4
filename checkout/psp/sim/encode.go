package sim

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// encode returns the JSON of an object, as json.Marshal would. It avoids reflection for the usual
// types, because every response and every event is encoded.
func encode(o object) []byte { return appendObject(nil, o) }

func appendObject[V any](b []byte, o map[string]V) []byte {
	if o == nil {
		return append(b, "null"...)
	}
	var room [32]string // enough for almost all objects
	names := room[:0]
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		b = appendValue(b, o[name])
	}
	return append(b, '}')
}

func appendList[V any](b []byte, list []V) []byte {
	if list == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, v)
	}
	return append(b, ']')
}

// appendValue appends the JSON of a value of an object: a text, a number, a boolean, a list, another
// object, or an event's payload. These can always be encoded.
func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return appendText(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case money.Cents:
		return strconv.AppendInt(b, int64(v), 10)
	case object:
		return appendObject(b, v)
	case map[string]string:
		return appendObject(b, v)
	case []object:
		return appendList(b, v)
	case []string:
		return appendList(b, v)
	}
	text, err := json.Marshal(value)
	if err != nil { // the payload of an event in a damaged snapshot
		return append(b, "null"...)
	}
	return append(b, text...)
}

// appendText appends a JSON string. Texts with characters that need an escape are rare.
func appendText(b []byte, text string) []byte {
	special := strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\\<>&`, r) })
	if special < 0 {
		return append(append(append(b, '"'), text...), '"')
	}
	escaped, _ := json.Marshal(text) // a text can always be encoded
	return append(b, escaped...)
}
