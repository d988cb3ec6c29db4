package workers

import (
	"context"
	"encoding/base64"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Bridge calls operations of Cloudflare Workers.
type Bridge interface {
	// Call runs an operation and waits for its result. In and out are encoded as JSON.
	Call(ctx context.Context, op string, in, out any) error
}

// Operations of Cloudflare Workers, implemented in worker/platform.mjs.
const (
	opGet     = "kv.get"
	opList    = "kv.list"
	opApply   = "kv.apply"
	opObject  = "object"
	opStep    = "step"
	opFetch   = "fetch"
	opBody    = "body"
	opVerify  = "verify"
	opPresent = "present"
)

// text is a value, such as a body, encoded for the bridge. Values that are not valid UTF-8 are
// encoded as base64.
type text struct {
	Text   string `json:"text"`
	Base64 bool   `json:"base64,omitempty"`
}

func textOf(b []byte) text {
	if utf8.Valid(b) {
		return text{Text: string(b)}
	}
	return text{base64.StdEncoding.EncodeToString(b), true}
}

func (t text) bytes() ([]byte, error) {
	if !t.Base64 {
		return []byte(t.Text), nil
	}
	return base64.StdEncoding.DecodeString(t.Text)
}

// unavailable wraps an error of Cloudflare Workers as fault.Unavailable; nil stays nil.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(err, fault.Unavailable, "storage unavailable")
}
