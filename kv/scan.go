package kv

import "iter"

// What is carried over has been checked to be JSON. Before that, what is scanned may be
// broken off: then a walk ends early, or with what is no JSON.

// members walks the members of an object, as they are written. Anything else has none.
func members(value []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		i := space(value, 0)
		if i == len(value) || value[i] != '{' {
			return
		}
		for i = space(value, i+1); i < len(value) && value[i] == '"'; {
			end := text(value, i)
			from := space(value, space(value, end)+1) // behind the colon
			to := past(value, from)
			if end-1 <= i || !yield(value[i+1:end-1], value[from:to]) {
				return
			}
			i = space(value, space(value, to)+1) // behind the comma
		}
	}
}

// elements walks the elements of a list, as they are written. Anything else has none.
func elements(value []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := space(value, 0)
		if i == len(value) || value[i] != '[' {
			return
		}
		for i = space(value, i+1); i < len(value) && value[i] != ']'; {
			to := past(value, i)
			if !yield(value[i:to]) {
				return
			}
			i = space(value, space(value, to)+1)
		}
	}
}

// space returns where what is no space begins, from i on.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return min(i, len(b))
}

// text returns the end of the text that begins at i.
func text(b []byte, i int) int {
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

// past returns the end of the value that begins at i.
func past(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = text(b, i)
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

// object is an object that is being written.
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
