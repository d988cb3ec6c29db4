package passkey_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/admin/passkey/passkeytest"
	"github.com/pledgeworks/pledgeworks/admin/passkey/publickey"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const challenge = "a challenge.of this session"

var site = passkey.Site{Origin: "https://example.org:8443"}

func authenticator(t *testing.T, algorithm int) *passkeytest.Authenticator {
	t.Helper()
	a, err := passkeytest.New(site.Origin, algorithm)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// registered returns an authenticator with its credential.
func registered(t *testing.T, algorithm int) (*passkeytest.Authenticator, passkey.Credential) {
	t.Helper()
	a := authenticator(t, algorithm)
	r, err := a.Register(challenge)
	if err != nil {
		t.Fatal(err)
	}
	c, err := site.Register(challenge, r)
	if err != nil {
		t.Fatal(err)
	}
	return a, c
}

func TestRegisterAndAssert(t *testing.T) {
	for name, algorithm := range map[string]int{"ES256": passkey.ES256, "RS256": passkey.RS256} {
		t.Run(name, func(t *testing.T) {
			a, c := registered(t, algorithm)
			a.Uses, a.Flags = 7, a.Flags|0x18
			assertion, err := a.Assert(challenge)
			if err != nil {
				t.Fatal(err)
			}
			if got := passkey.Challenge(assertion.ClientData); got != challenge {
				t.Errorf("the challenge is %q", got)
			}
			after, err := site.VerifyAssertion(t.Context(), challenge, c, assertion, publickey.Verify)
			want := c
			want.Uses, want.Synced = 7, true
			if diff := cmp.Diff(want, after); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestRegister_Rejects(t *testing.T) {
	cases := map[string]struct {
		field  string
		modify func(*passkeytest.Authenticator)
		tamper func(*passkey.Registration)
	}{
		"another page": {field: "clientDataJSON",
			modify: func(a *passkeytest.Authenticator) { a.Origin = "https://example.org" }},
		"a frame": {field: "clientDataJSON",
			modify: func(a *passkeytest.Authenticator) { a.CrossOrigin = true }},
		"malformed JSON": {field: "clientDataJSON",
			tamper: func(r *passkey.Registration) { r.ClientData = []byte("x") }},
		"another site": {field: "authenticatorData",
			modify: func(a *passkeytest.Authenticator) { a.Site = "example.com" }},
		"user not present":  {field: "authenticatorData", modify: func(a *passkeytest.Authenticator) { a.Flags = 0x04 }},
		"user not verified": {field: "authenticatorData", modify: func(a *passkeytest.Authenticator) { a.Flags = 0x01 }},
		"truncated before flags": {field: "authenticatorData",
			tamper: func(r *passkey.Registration) { r.AuthenticatorData = r.AuthenticatorData[:36] }},
		"truncated before ID": {field: "authenticatorData",
			tamper: func(r *passkey.Registration) { r.AuthenticatorData = r.AuthenticatorData[:54] }},
		"truncated within ID": {field: "authenticatorData",
			tamper: func(r *passkey.Registration) { r.AuthenticatorData = r.AuthenticatorData[:60] }},
		"another ID": {field: "id",
			tamper: func(r *passkey.Registration) { r.ID = append(bytes.Clone(r.ID), 1) }},
		"no ID":             {field: "id", modify: func(a *passkeytest.Authenticator) { a.ID = nil }},
		"a long ID":         {field: "id", modify: func(a *passkeytest.Authenticator) { a.ID = make([]byte, 1024) }},
		"another algorithm": {field: "publicKeyAlgorithm", tamper: func(r *passkey.Registration) { r.Algorithm = -8 }},
		"no key":            {field: "publicKey", tamper: func(r *passkey.Registration) { r.PublicKey = nil }},
		"a long key": {field: "publicKey",
			tamper: func(r *passkey.Registration) { r.PublicKey = make([]byte, 1025) }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := authenticator(t, passkey.ES256)
			if tc.modify != nil {
				tc.modify(a)
			}
			r, err := a.Register(challenge)
			if err != nil {
				t.Fatal(err)
			}
			if tc.tamper != nil {
				tc.tamper(&r)
			}
			wantFault(t, fault.Invalid, tc.field)(site.Register(challenge, r))
		})
	}
	a := authenticator(t, passkey.ES256)
	r, _ := a.Register(challenge)
	wantFault(t, fault.Invalid, "clientDataJSON")(site.Register("another question", r))
	r, _ = a.Register("")
	wantFault(t, fault.Invalid, "clientDataJSON")(site.Register("", r))
	r, _ = a.Register(challenge)
	assertion, _ := a.Assert(challenge)
	r.ClientData = assertion.ClientData
	wantFault(t, fault.Invalid, "clientDataJSON")(site.Register(challenge, r))
}

func TestAssert_Rejects(t *testing.T) {
	type bent struct {
		code   fault.Code
		field  string
		modify func(*passkeytest.Authenticator, *passkey.Credential)
		tamper func(*passkey.Assertion)
	}
	cases := map[string]bent{
		"another page": {fault.Invalid, "clientDataJSON",
			func(a *passkeytest.Authenticator, _ *passkey.Credential) { a.Origin = "https://evil.example" }, nil},
		"another site": {fault.Invalid, "authenticatorData",
			func(a *passkeytest.Authenticator, _ *passkey.Credential) { a.Site = "evil.example" }, nil},
		"user not verified": {fault.Invalid, "authenticatorData",
			func(a *passkeytest.Authenticator, _ *passkey.Credential) { a.Flags = 0x01 }, nil},
		"another's ID": {fault.Invalid, "id", nil, func(s *passkey.Assertion) { s.ID = passkey.Bytes("another") }},
		"a changed flag": {fault.Invalid, "signature", nil,
			func(s *passkey.Assertion) { s.AuthenticatorData[32] |= 0x08 }},
		"a cut signature": {fault.Invalid, "signature", nil, func(s *passkey.Assertion) { s.Signature = s.Signature[:8] }},
		"no signature":    {fault.Invalid, "signature", nil, func(s *passkey.Assertion) { s.Signature = nil }},
		"another key": {fault.Invalid, "signature",
			func(_ *passkeytest.Authenticator, c *passkey.Credential) { c.PublicKey = anotherKey(t) }, nil},
		"no key at all": {fault.Invalid, "signature",
			func(_ *passkeytest.Authenticator, c *passkey.Credential) { c.PublicKey = passkey.Bytes("x") }, nil},
		"as if by RSA": {fault.Invalid, "signature",
			func(_ *passkeytest.Authenticator, c *passkey.Credential) { c.Algorithm = passkey.RS256 }, nil},
		"the same use": {fault.Invalid, "authenticatorData",
			func(a *passkeytest.Authenticator, c *passkey.Credential) { a.Uses, c.Uses = 4, 4 }, nil},
		"an older use": {fault.Invalid, "authenticatorData",
			func(a *passkeytest.Authenticator, c *passkey.Credential) { a.Uses, c.Uses = 0, 4 }, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a, c := registered(t, passkey.ES256)
			if tc.modify != nil {
				tc.modify(a, &c)
			}
			assertion, err := a.Assert(challenge)
			if err != nil {
				t.Fatal(err)
			}
			if tc.tamper != nil {
				tc.tamper(&assertion)
			}
			wantFault(t, tc.code, tc.field)(site.VerifyAssertion(t.Context(), challenge, c, assertion, publickey.Verify))
		})
	}
	a, c := registered(t, passkey.ES256)
	r, _ := a.Register(challenge)
	assertion, _ := a.Assert(challenge)
	assertion.ClientData = r.ClientData
	wantFault(t, fault.Invalid, "clientDataJSON")(site.VerifyAssertion(t.Context(), challenge, c, assertion, publickey.Verify))
	assertion, _ = a.Assert(challenge)
	away := errors.New("platform unavailable")
	_, err := site.VerifyAssertion(t.Context(), challenge, c, assertion,
		func(context.Context, int, []byte, []byte, []byte) (bool, error) { return false, away })
	if !errors.Is(err, away) {
		t.Errorf("%v", err)
	}
}

func TestBytes_Encoding(t *testing.T) {
	b, err := json.Marshal(passkey.Bytes{0xfb, 0xff, 0x01})
	if err != nil || string(b) != `"-_8B"` {
		t.Errorf("%s, %v", b, err)
	}
	var back passkey.Bytes
	if err := json.Unmarshal([]byte(`"-_8B"`), &back); err != nil || !bytes.Equal(back, []byte{0xfb, 0xff, 0x01}) {
		t.Errorf("%v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`"+/=="`), &back); err == nil {
		t.Error("accepted another alphabet")
	}
}

// No input from a browser causes a panic, and assertions without a valid signature are rejected.
func FuzzPasskeys(f *testing.F) {
	a, err := passkeytest.New(site.Origin, passkey.ES256)
	if err != nil {
		f.Fatal(err)
	}
	r, _ := a.Register(challenge)
	assertion, _ := a.Assert(challenge)
	f.Add([]byte(r.ClientData), []byte(r.AuthenticatorData), []byte(assertion.Signature))
	f.Add([]byte(assertion.ClientData), []byte(assertion.AuthenticatorData), []byte{})
	f.Fuzz(func(t *testing.T, client, data, signature []byte) {
		passkey.Challenge(client)
		_, _ = site.Register(challenge, passkey.Registration{ID: r.ID, ClientData: client, AuthenticatorData: data,
			PublicKey: r.PublicKey, Algorithm: passkey.ES256})
		c := passkey.Credential{ID: a.ID, PublicKey: anotherKey(t), Algorithm: passkey.ES256}
		if _, err := site.VerifyAssertion(t.Context(), challenge, c, passkey.Assertion{ID: a.ID, ClientData: client,
			AuthenticatorData: data, Signature: signature}, publickey.Verify); err == nil {
			t.Error("accepted a signature of another key")
		}
	})
}

func anotherKey(t *testing.T) passkey.Bytes {
	t.Helper()
	_, c := registered(t, passkey.ES256)
	return c.PublicKey
}

func wantFault(t *testing.T, code fault.Code, field string) func(passkey.Credential, error) {
	t.Helper()
	return func(c passkey.Credential, err error) {
		t.Helper()
		if err == nil || fault.Of(err).Code != code || fault.Of(err).Field != field {
			t.Errorf("%+v, %#v, want %s in %q", c, err, code, field)
		}
	}
}
