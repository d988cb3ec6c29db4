package kv

import "iter"

// The scanner only ever copies members of records that were checked to be valid JSON.
// On invalid JSON, a walk ends early or yields an invalid value.

// members yields the members of a JSON object, as written. It yields nothing for any
// other value.
func members(value []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		i := skipSpace(value, 0)
		if i == len(value) || value[i] != '{' {
			return
		}
		for i = skipSpace(value, i+1); i < len(value) && value[i] == '"'; {
			end := textEnd(value, i)
			from := skipSpace(value, skipSpace(value, end)+1) // after the colon
			to := valueEnd(value, from)
			if end-1 <= i || !yield(value[i+1:end-1], value[from:to]) {
				return
			}
			i = skipSpace(value, skipSpace(value, to)+1) // after the comma
		}
	}
}

// elements yields the elements of a JSON array, as written. It yields nothing for any
// other value.
func elements(value []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := skipSpace(value, 0)
		if i == len(value) || value[i] != '[' {
			return
		}
		for i = skipSpace(value, i+1); i < len(value) && value[i] != ']'; {
			to := valueEnd(value, i)
			if !yield(value[i:to]) {
				return
			}
			i = skipSpace(value, skipSpace(value, to)+1)
		}
	}
}

// skipSpace returns the index of the first non-space byte at or after i.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return min(i, len(b))
}

// textEnd returns the end of the string that begins at i.
func textEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// valueEnd returns the end of the value that begins at i.
func valueEnd(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = textEnd(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
			if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(b)
}

// object builds a JSON object.
type object struct{ b []byte }

func (o *object) add(name, value []byte) {
	if o.b == nil {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(append(append(o.b, '"'), name...), '"', ':')
	o.b = append(o.b, value...)
}

func (o *object) bytes() []byte {
	if o.b == nil {
		return []byte("{}")
	}
	return append(o.b, '}')
}
