package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// decodeJSON decodes a body that is exactly one JSON object, and fails with code Invalid otherwise.
// An error about a wrong type names the field but does not repeat the value.
func decodeJSON(body []byte, into any) error {
	invalid := fault.New(fault.Invalid, "Invalid JSON")
	if !utf8.Valid(body) {
		return invalid
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return invalid
	}
	err := json.Unmarshal(body, into)
	if err == nil {
		return nil
	}
	if f := fault.Of(err); f != nil {
		return f
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fault.New(fault.Invalid, "Expected %s", expected(wrong)).In(clientPath(wrong.Field))
	}
	return invalid
}

// clientPath removes the Go names of embedded types from a path, which are not part of the JSON. It
// relies on all names in the API starting with a lower-case letter.
func clientPath(path string) string {
	names := slices.DeleteFunc(strings.Split(path, "."), func(name string) bool {
		return name != "" && unicode.IsUpper(rune(name[0]))
	})
	return strings.Join(names, ".")
}

func expected(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "slice", "array":
		return "an array"
	case "struct", "map":
		return "an object"
	}
	return "a whole number"
}

// decoded returns a handler that decodes the body and calls fn.
func decoded[In, Out any](fn func(context.Context, In) (Out, error)) handler {
	return func(ctx context.Context, x *exchange) (any, error) {
		var in In
		if err := decodeJSON(x.Body, &in); err != nil {
			return nil, err
		}
		return fn(ctx, in)
	}
}

// bySlug returns a handler that calls fn with the path parameter.
func bySlug[Out any](fn func(context.Context, string) (Out, error)) handler {
	return func(ctx context.Context, x *exchange) (any, error) { return fn(ctx, x.param) }
}

// byToken returns a handler that calls fn with the manage link's token.
func byToken[Out any](fn func(context.Context, string) (Out, error)) handler {
	return func(ctx context.Context, x *exchange) (any, error) { return fn(ctx, x.bearer(pledgeToken)) }
}

// plain returns a handler that calls fn without reading the request.
func plain[Out any](fn func(context.Context) (Out, error)) handler {
	return func(ctx context.Context, _ *exchange) (any, error) { return fn(ctx) }
}

// query returns the query parameters without malformed ones.
func (x *exchange) query() url.Values {
	v, err := url.ParseQuery(x.RawQuery)
	if err != nil && v == nil {
		return url.Values{}
	}
	return v
}
