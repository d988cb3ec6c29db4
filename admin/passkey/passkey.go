package passkey

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/url"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The supported algorithms, by their numbers in IANA's COSE registry.
const (
	ES256 = -7   // ECDSA on P-256 with SHA-256: nearly every passkey
	RS256 = -257 // RSA PKCS #1 v1.5 with SHA-256: Windows Hello on older machines
)

// Verify reports whether a signature of the signed data is valid. The key is a
// SubjectPublicKeyInfo in DER; an ECDSA signature is in DER too. It returns false for a
// malformed key or signature.
type Verify func(ctx context.Context, algorithm int, key, signed, signature []byte) (bool, error)

// Site is the site on which passkeys are used: the relying party in WebAuthn's terms.
type Site struct {
	Origin string // scheme, host and port, for example https://example.org
}

// ID returns the relying party ID that passkeys are bound to: the page's host.
func (s Site) ID() string {
	u, err := url.Parse(s.Origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Bytes is encoded as base64url without padding, as by the browsers' toJSON.
type Bytes []byte

// MarshalText implements encoding.TextMarshaler.
func (b Bytes) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Bytes) UnmarshalText(text []byte) error {
	out, err := base64.RawURLEncoding.DecodeString(string(text))
	if err != nil {
		return fault.New(fault.Invalid, "The value must be base64url without padding")
	}
	*b = out
	return nil
}

// Registration is a browser's response for a new passkey.
type Registration struct {
	ID                Bytes `json:"id"`
	ClientData        Bytes `json:"clientDataJSON"`
	AuthenticatorData Bytes `json:"authenticatorData"`
	PublicKey         Bytes `json:"publicKey"` // in the format of Verify
	Algorithm         int   `json:"publicKeyAlgorithm"`
}

// Assertion is a browser's response for the use of a passkey.
type Assertion struct {
	ID                Bytes `json:"id"`
	ClientData        Bytes `json:"clientDataJSON"`
	AuthenticatorData Bytes `json:"authenticatorData"`
	Signature         Bytes `json:"signature"`
}

// Credential is a registered passkey.
type Credential struct {
	ID        Bytes `json:"id"`
	PublicKey Bytes `json:"publicKey"`
	Algorithm int   `json:"algorithm"`
	// Uses is the signature counter of the last use. It stays 0 for passkeys that are
	// synchronized between devices.
	Uses uint32 `json:"uses"`
	// Synced is set if the passkey is or can be synchronized between devices.
	Synced bool `json:"synced"`
}

// Limits of values that browsers send, in bytes.
const (
	maxID  = 1023 // WebAuthn 5.8.3
	maxKey = 1024 // RSA with 4096 bits has 550
)

// Challenge returns the challenge from client data, "" if there is none. The caller must check that
// it created the challenge.
func Challenge(client []byte) string {
	var c clientData
	_ = json.Unmarshal(client, &c) // malformed JSON is reported by Register and VerifyAssertion
	b, _ := base64.RawURLEncoding.DecodeString(c.Challenge)
	return string(b)
}

// Register verifies a new passkey's response to a challenge and returns its credential. For an
// invalid response it fails with code Invalid and the field's name.
func (s Site) Register(challenge string, r Registration) (Credential, error) {
	if err := s.checkClient(r.ClientData, "webauthn.create", challenge); err != nil {
		return Credential{}, err
	}
	data, err := s.parseAuthenticatorData(r.AuthenticatorData)
	if err != nil {
		return Credential{}, err
	}
	switch {
	case len(r.ID) == 0 || len(r.ID) > maxID || !bytes.Equal(r.ID, data.id):
		return Credential{}, invalidField("id", "The ID does not match the new passkey")
	case r.Algorithm != ES256 && r.Algorithm != RS256:
		return Credential{}, invalidField("publicKeyAlgorithm", "The algorithm must be ES256 or RS256")
	case len(r.PublicKey) == 0 || len(r.PublicKey) > maxKey:
		return Credential{}, invalidField("publicKey", "The public key must have 1 to %d bytes", maxKey)
	}
	return Credential{ID: r.ID, PublicKey: r.PublicKey, Algorithm: r.Algorithm, Uses: data.uses,
		Synced: data.flags&backedUp != 0}, nil
}

// VerifyAssertion verifies that a passkey signed a challenge, and returns its updated credential.
// It fails with code Invalid and the field's name.
func (s Site) VerifyAssertion(ctx context.Context, challenge string, c Credential, a Assertion,
	verify Verify) (Credential, error) {
	if err := s.checkClient(a.ClientData, "webauthn.get", challenge); err != nil {
		return Credential{}, err
	}
	data, err := s.parseAuthenticatorData(a.AuthenticatorData)
	if err != nil {
		return Credential{}, err
	}
	if !bytes.Equal(a.ID, c.ID) {
		return Credential{}, invalidField("id", "The ID is that of a different passkey")
	}
	sum := sha256.Sum256(a.ClientData)
	good, err := verify(ctx, c.Algorithm, c.PublicKey, append(bytes.Clone(a.AuthenticatorData), sum[:]...), a.Signature)
	switch {
	case err != nil:
		return Credential{}, err
	case !good:
		return Credential{}, invalidField("signature", "The signature is not valid")
	case c.Uses != 0 && data.uses <= c.Uses: // WebAuthn 7.2, step 22
		return Credential{}, invalidField("authenticatorData",
			"The passkey may have been copied: its counter did not increase")
	}
	c.Uses, c.Synced = data.uses, data.flags&backedUp != 0
	return c, nil
}

// clientData is the browser's data about the request, WebAuthn 5.8.1.
type clientData struct {
	Type        string `json:"type"`
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
}

func (s Site) checkClient(raw []byte, kind, challenge string) error {
	var c clientData
	if err := json.Unmarshal(raw, &c); err != nil {
		return invalidField("clientDataJSON", "The client data is not valid JSON")
	}
	want := base64.RawURLEncoding.EncodeToString([]byte(challenge))
	same := subtle.ConstantTimeCompare([]byte(c.Challenge), []byte(want)) == 1
	if c.Type != kind || challenge == "" || !same || c.Origin != s.Origin || c.CrossOrigin {
		return invalidField("clientDataJSON", "The response is for a different challenge or page")
	}
	return nil
}

// The flags of authenticator data, WebAuthn 6.1.
const (
	present  = 1 << 0
	verified = 1 << 2
	backedUp = 1 << 4
	attested = 1 << 6
)

// authenticatorData is parsed authenticator data, WebAuthn 6.1. id is the credential ID, which only
// a new passkey's data contains.
type authenticatorData struct {
	flags byte
	uses  uint32
	id    []byte
}

func (s Site) parseAuthenticatorData(raw []byte) (authenticatorData, error) {
	const field = "authenticatorData"
	if len(raw) < 37 {
		return authenticatorData{}, invalidField(field, "The authenticator data is too short")
	}
	site := sha256.Sum256([]byte(s.ID()))
	d := authenticatorData{flags: raw[32], uses: binary.BigEndian.Uint32(raw[33:37])}
	switch {
	case !bytes.Equal(raw[:32], site[:]):
		return d, invalidField(field, "The passkey belongs to a different site")
	case d.flags&present == 0 || d.flags&verified == 0:
		return d, invalidField(field, "The passkey did not verify its user: set up a PIN, fingerprint or face")
	case d.flags&attested == 0:
		return d, nil
	case len(raw) < 55:
		return d, invalidField(field, "The authenticator data is too short")
	}
	length := int(binary.BigEndian.Uint16(raw[53:55]))
	if len(raw) < 55+length {
		return d, invalidField(field, "The authenticator data is too short")
	}
	d.id = raw[55 : 55+length]
	return d, nil
}

func invalidField(field, format string, args ...any) error {
	return fault.New(fault.Invalid, format, args...).In(field)
}
