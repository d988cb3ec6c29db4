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

// The algorithms that are taken, by their numbers in IANA's registry of COSE.
const (
	ES256 = -7   // ECDSA on P-256 with SHA-256: nearly every passkey
	RS256 = -257 // RSA PKCS #1 v1.5 with SHA-256: Windows Hello on older machines
)

// Verify reports whether a signature is a public key's for what was signed. The key is a
// SubjectPublicKeyInfo, in DER; an ECDSA signature is in DER too. What can't be read is a
// signature that is not the key's.
type Verify func(ctx context.Context, algorithm int, key, signed, signature []byte) (bool, error)

// Site is the page on which passkeys are used.
type Site struct {
	Origin string // scheme, host and port, such as https://example.org
}

// ID is what passkeys are bound to: the page's host.
func (s Site) ID() string {
	u, err := url.Parse(s.Origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Bytes travel as base64url without padding, as browsers write them with toJSON.
type Bytes []byte

// MarshalText implements encoding.TextMarshaler.
func (b Bytes) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Bytes) UnmarshalText(text []byte) error {
	out, err := base64.RawURLEncoding.DecodeString(string(text))
	if err != nil {
		return fault.New(fault.Invalid, "Bytes are base64url without padding")
	}
	*b = out
	return nil
}

// Registration is what a browser has of a new passkey.
type Registration struct {
	ID                Bytes `json:"id"`
	ClientData        Bytes `json:"clientDataJSON"`
	AuthenticatorData Bytes `json:"authenticatorData"`
	PublicKey         Bytes `json:"publicKey"` // as Verify takes it
	Algorithm         int   `json:"publicKeyAlgorithm"`
}

// Assertion is what a browser has of a passkey that was used.
type Assertion struct {
	ID                Bytes `json:"id"`
	ClientData        Bytes `json:"clientDataJSON"`
	AuthenticatorData Bytes `json:"authenticatorData"`
	Signature         Bytes `json:"signature"`
}

// Credential is a passkey as the service knows it.
type Credential struct {
	ID        Bytes `json:"id"`
	PublicKey Bytes `json:"publicKey"`
	Algorithm int   `json:"algorithm"`
	// Uses is the counter of the last use; passkeys that are on several devices stay at 0.
	Uses uint32 `json:"uses"`
	// Synced says that it is, or may be, on several devices.
	Synced bool `json:"synced"`
}

// The bounds of what browsers send, in bytes.
const (
	maxID  = 1023 // WebAuthn 5.8.3
	maxKey = 1024 // RSA of 4096 bits has 550
)

// Challenge is the challenge that client data answers, "" where it answers none. Whoever asks
// has to know whether it is one of theirs.
func Challenge(client []byte) string {
	var c clientData
	_ = json.Unmarshal(client, &c) // what is no JSON is told by Register and Assert
	b, _ := base64.RawURLEncoding.DecodeString(c.Challenge)
	return string(b)
}

// Register returns the credential of a new passkey that answers a challenge. It fails with
// code Invalid and the field's name.
func (s Site) Register(challenge string, r Registration) (Credential, error) {
	if err := s.checkClient(r.ClientData, "webauthn.create", challenge); err != nil {
		return Credential{}, err
	}
	data, err := s.parse(r.AuthenticatorData)
	if err != nil {
		return Credential{}, err
	}
	switch {
	case len(r.ID) == 0 || len(r.ID) > maxID || !bytes.Equal(r.ID, data.id):
		return Credential{}, wrong("id", "This is not the new passkey's ID")
	case r.Algorithm != ES256 && r.Algorithm != RS256:
		return Credential{}, wrong("publicKeyAlgorithm", "A passkey signs by ES256 or RS256")
	case len(r.PublicKey) == 0 || len(r.PublicKey) > maxKey:
		return Credential{}, wrong("publicKey", "A public key has 1 to %d bytes", maxKey)
	}
	return Credential{ID: r.ID, PublicKey: r.PublicKey, Algorithm: r.Algorithm, Uses: data.uses, Synced: data.flags&backedUp != 0}, nil
}

// Assert checks that a passkey answers a challenge, and returns its credential as it is
// after that. It fails with code Invalid and the field's name.
func (s Site) Assert(ctx context.Context, challenge string, c Credential, a Assertion, verify Verify) (Credential, error) {
	if err := s.checkClient(a.ClientData, "webauthn.get", challenge); err != nil {
		return Credential{}, err
	}
	data, err := s.parse(a.AuthenticatorData)
	if err != nil {
		return Credential{}, err
	}
	if !bytes.Equal(a.ID, c.ID) {
		return Credential{}, wrong("id", "This is another passkey's ID")
	}
	sum := sha256.Sum256(a.ClientData)
	good, err := verify(ctx, c.Algorithm, c.PublicKey, append(bytes.Clone(a.AuthenticatorData), sum[:]...), a.Signature)
	switch {
	case err != nil:
		return Credential{}, err
	case !good:
		return Credential{}, wrong("signature", "The passkey has not signed this")
	case c.Uses != 0 && data.uses <= c.Uses: // WebAuthn 7.2, step 22
		return Credential{}, wrong("authenticatorData", "The passkey was copied: its counter went back")
	}
	c.Uses, c.Synced = data.uses, data.flags&backedUp != 0
	return c, nil
}

// clientData is what the browser says of the page, WebAuthn 5.8.1.
type clientData struct {
	Type        string `json:"type"`
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
}

func (s Site) checkClient(raw []byte, kind, challenge string) error {
	var c clientData
	if err := json.Unmarshal(raw, &c); err != nil {
		return wrong("clientDataJSON", "This is not JSON")
	}
	want := base64.RawURLEncoding.EncodeToString([]byte(challenge))
	same := subtle.ConstantTimeCompare([]byte(c.Challenge), []byte(want)) == 1
	if c.Type != kind || challenge == "" || !same || c.Origin != s.Origin || c.CrossOrigin {
		return wrong("clientDataJSON", "This answers another question, or another page's")
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

// authenticatorData is what a passkey says of itself. ID is that of a new one.
type authenticatorData struct {
	flags byte
	uses  uint32
	id    []byte
}

func (s Site) parse(raw []byte) (authenticatorData, error) {
	const field = "authenticatorData"
	if len(raw) < 37 {
		return authenticatorData{}, wrong(field, "This is too short")
	}
	site := sha256.Sum256([]byte(s.ID()))
	d := authenticatorData{flags: raw[32], uses: binary.BigEndian.Uint32(raw[33:37])}
	switch {
	case !bytes.Equal(raw[:32], site[:]):
		return d, wrong(field, "This passkey is another site's")
	case d.flags&present == 0 || d.flags&verified == 0:
		return d, wrong(field, "The passkey has not checked who uses it")
	case d.flags&attested == 0:
		return d, nil
	case len(raw) < 55:
		return d, wrong(field, "This is too short")
	}
	length := int(binary.BigEndian.Uint16(raw[53:55]))
	if len(raw) < 55+length {
		return d, wrong(field, "This is too short")
	}
	d.id = raw[55 : 55+length]
	return d, nil
}

func wrong(field, format string, args ...any) error {
	return fault.New(fault.Invalid, format, args...).In(field)
}
