// Package passkeytest provides a software authenticator for tests.
package passkeytest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/pledgeworks/pledgeworks/admin/passkey"
)

// Authenticator holds one passkey. A test can change its fields to produce invalid responses.
type Authenticator struct {
	Origin      string
	Site        string // relying party ID
	ID          passkey.Bytes
	Flags       byte
	Uses        uint32
	CrossOrigin bool
	Algorithm   int

	key crypto.Signer
}

// New returns an authenticator with a new key for pages of an origin.
func New(origin string, algorithm int) (*Authenticator, error) {
	a := &Authenticator{Origin: origin, Site: passkey.Site{Origin: origin}.ID(), Flags: 0x05,
		Algorithm: algorithm, ID: make(passkey.Bytes, 16)}
	if _, err := rand.Read(a.ID); err != nil {
		return nil, err
	}
	var err error
	switch algorithm {
	case passkey.ES256:
		a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case passkey.RS256:
		a.key, err = rsa.GenerateKey(rand.Reader, 2048)
	default:
		err = fmt.Errorf("unsupported algorithm %d", algorithm)
	}
	return a, err
}

// Register returns the response of a new passkey to a challenge.
func (a *Authenticator) Register(challenge string) (passkey.Registration, error) {
	key, err := x509.MarshalPKIXPublicKey(a.key.Public())
	if err != nil {
		return passkey.Registration{}, err
	}
	client, err := a.client("webauthn.create", challenge)
	data := append(a.data(a.Flags|0x40), make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.ID))) //nolint:gosec // it has 16 bytes
	data = append(append(data, a.ID...), 0xa0)                    // an empty key, which is not parsed
	return passkey.Registration{ID: a.ID, ClientData: client, AuthenticatorData: data,
		PublicKey: key, Algorithm: a.Algorithm}, err
}

// Assert returns a signed response to a challenge.
func (a *Authenticator) Assert(challenge string) (passkey.Assertion, error) {
	client, err := a.client("webauthn.get", challenge)
	if err != nil {
		return passkey.Assertion{}, err
	}
	data := a.data(a.Flags)
	hash := sha256.Sum256(client)
	sum := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := a.key.Sign(rand.Reader, sum[:], crypto.SHA256)
	return passkey.Assertion{ID: a.ID, ClientData: client, AuthenticatorData: data, Signature: signature}, err
}

func (a *Authenticator) client(kind, challenge string) ([]byte, error) {
	return json.Marshal(map[string]any{"type": kind, "challenge": base64.RawURLEncoding.EncodeToString([]byte(challenge)),
		"origin": a.Origin, "crossOrigin": a.CrossOrigin})
}

func (a *Authenticator) data(flags byte) []byte {
	site := sha256.Sum256([]byte(a.Site))
	return binary.BigEndian.AppendUint32(append(site[:], flags), a.Uses)
}
