package sim

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// request is an admitted Call with a known path and valid parameter names.
type request struct {
	now  time.Time
	op   Op
	id   string
	form url.Values
}

// parseForm parses encoded parameters and rejects names that the operation does
// not have, as the pinned version does.
func parseForm(encoded string, allowed []string) (url.Values, *apiError) {
	raw, err := url.ParseQuery(encoded)
	if err != nil {
		return nil, invalid("", "", "The parameters are not form-encoded")
	}
	for name, values := range raw {
		if !slices.Contains(allowed, normalizeName(name)) {
			return nil, invalid(name, "parameter_unknown", "Received unknown parameter: "+name)
		}
		if len(values) > 1 && !strings.HasSuffix(name, "[]") {
			return nil, invalid(name, "", "Duplicate parameter: "+name)
		}
	}
	return raw, nil
}

// normalizeName converts "expand[0]" to "expand[]" and "metadata[orderId]" to
// "metadata[*]", the forms in the tables of allowed names.
func normalizeName(name string) string {
	head, rest, has := strings.Cut(name, "[")
	if !has {
		return name
	}
	var out strings.Builder
	out.WriteString(head)
	for part := range strings.SplitSeq(rest, "[") {
		inner, ok := strings.CutSuffix(part, "]")
		_, err := strconv.Atoi(inner)
		switch {
		case !ok:
			return name
		case inner == "" || err == nil && head != "metadata":
			out.WriteString("[]")
		case strings.HasSuffix(out.String(), "metadata") || strings.HasSuffix(out.String(), "[metadata]"):
			out.WriteString("[*]")
		default:
			out.WriteString("[" + inner + "]")
		}
	}
	return out.String()
}

// list returns the values of name[] and of name[0], name[1], … in order.
func list(form url.Values, name string) []string {
	out := slices.Clone(form[name+"[]"])
	for i := 0; ; i++ {
		v, ok := form[name+"["+strconv.Itoa(i)+"]"]
		if !ok {
			return out
		}
		out = append(out, v[0])
	}
}

// maxMetadata is the maximum number of metadata keys of an object.
const maxMetadata = 50

// metadata returns a new object's metadata without empty values.
func metadata(form url.Values, name string) (map[string]string, *apiError) {
	out, e := metadataPairs(form, name)
	if e != nil {
		return nil, e
	}
	maps.DeleteFunc(out, func(_, value string) bool { return value == "" })
	if len(out) > maxMetadata {
		return nil, tooManyKeys(name)
	}
	return out, nil
}

func tooManyKeys(name string) *apiError {
	return invalid(name, "", "Metadata can have up to 50 keys")
}

// metadataPairs returns the metadata in a form and checks its lengths.
func metadataPairs(form url.Values, name string) (map[string]string, *apiError) {
	out := map[string]string{}
	for field, values := range form {
		key, ok := strings.CutPrefix(field, name+"[")
		if !ok {
			continue
		}
		key = strings.TrimSuffix(key, "]") // parseForm has checked the bracket
		switch {
		case len(key) > 40:
			return nil, invalid(field, "", "Metadata keys can have up to 40 characters")
		case len([]rune(values[0])) > 500:
			return nil, invalid(field, "", "Metadata values can have up to 500 characters")
		}
		out[key] = values[0]
	}
	return out, nil
}

func integer(form url.Values, name string) (int64, *apiError) {
	v := form.Get(name)
	if v == "" {
		return 0, invalid(name, "parameter_missing", "Missing required param: "+name)
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return 0, invalid(name, "parameter_invalid_integer", "Invalid integer: "+v)
	}
	return n, nil
}

func boolean(form url.Values, name string) (bool, *apiError) {
	switch form.Get(name) {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}
	return false, invalid(name, "", "Invalid boolean: "+form.Get(name))
}

// oneOf returns a parameter with a fixed set of values, the first of which is the
// default.
func oneOf(form url.Values, name string, values ...string) (string, *apiError) {
	v := form.Get(name)
	if v == "" {
		return values[0], nil
	}
	if !slices.Contains(values, v) {
		return "", invalid(name, "", "Invalid "+name+": must be one of "+strings.Join(values, ", "))
	}
	return v, nil
}
