// Package passkey verifies registrations and assertions of passkeys. It implements the part
// of Web Authentication (https://www.w3.org/TR/webauthn-3/) that a second factor needs.
//
// Site.Register checks a new passkey and returns the Credential to store. Site.VerifyAssertion
// checks that a passkey signed a challenge and returns the updated credential. Both fail
// with code Invalid and the field that is wrong. The caller creates challenges and must
// make sure that each is used only once.
//
// The package does not request attestation, and uses the public key that the browser returns
// (getPublicKey, 5.2.1.1), so that no CBOR has to be parsed. The authenticator must have verified
// its user by PIN, fingerprint or face, so that a passkey combines two factors.
package passkey
