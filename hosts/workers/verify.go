package workers

import "context"

// verifier has the platform check signatures: it has the cryptography, which would be a
// tenth of the program.
type verifier struct{ bridge Bridge }

// verify implements passkey.Verify.
func (v verifier) verify(ctx context.Context, algorithm int, key, signed, signature []byte) (bool, error) {
	in := struct {
		Algorithm int    `json:"algorithm"`
		Key       []byte `json:"key"`
		Signed    []byte `json:"signed"`
		Signature []byte `json:"signature"`
	}{algorithm, key, signed, signature}
	var good bool
	err := unavailable(v.bridge.Call(ctx, opVerify, in, &good))
	return good, err
}
