package workers

import (
	"context"
	"encoding/base64"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Bridge is the way from here to the platform.
type Bridge interface {
	// Call carries out an operation and waits for it. In and out travel as JSON.
	Call(ctx context.Context, op string, in, out any) error
}

// The operations.
const (
	opGet     = "kv.get"
	opList    = "kv.list"
	opApply   = "kv.apply"
	opObject  = "object"
	opFetch   = "fetch"
	opVerify  = "verify"
	opPresent = "present"
)

// text is a value on its way over the bridge. What is not UTF-8 travels as base64.
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

// unavailable is what a failure of the platform is to a caller.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(err, fault.Unavailable, "the storage does not answer")
}
