package workers

import "context"

// verifier verifies signatures with Cloudflare's Web Crypto. Go's implementation would make up a
// tenth of the program's size.
type verifier struct{ bridge Bridge }

// verify implements passkey.Verify.
func (v verifier) verify(ctx context.Context, algorithm int, key, signed, signature []byte) (bool, error) {
	in := struct {
		Algorithm int    `json:"algorithm"`
		Key       []byte `json:"key"`
		Signed    []byte `json:"signed"`
		Signature []byte `json:"signature"`
	}{algorithm, key, signed, signature}
	var valid bool
	err := unavailable(v.bridge.Call(ctx, opVerify, in, &valid))
	return valid, err
}
