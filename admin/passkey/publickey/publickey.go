// Package publickey verifies signatures with Go's standard cryptography. On Workers the
// platform's WebCrypto is used instead.
package publickey

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"

	"github.com/pledgeworks/pledgeworks/admin/passkey"
)

// Verify implements passkey.Verify.
func Verify(_ context.Context, algorithm int, key, signed, signature []byte) (bool, error) {
	parsed, err := x509.ParsePKIXPublicKey(key)
	if err != nil {
		return false, nil //nolint:nilerr // no signature is valid for a malformed key
	}
	sum := sha256.Sum256(signed)
	switch k := parsed.(type) {
	case *ecdsa.PublicKey:
		return algorithm == passkey.ES256 && k.Curve == elliptic.P256() && ecdsa.VerifyASN1(k, sum[:], signature), nil
	case *rsa.PublicKey:
		return algorithm == passkey.RS256 && rsa.VerifyPKCS1v15(k, crypto.SHA256, sum[:], signature) == nil, nil
	}
	return false, nil
}
