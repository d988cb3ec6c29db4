// Package passkey checks what a passkey answers: the part of Web Authentication
// (https://www.w3.org/TR/webauthn-3/) that a second factor takes.
//
// It asks for no attestation, and has the browser read out a new passkey's public key
// (getPublicKey, 5.2.1.1): so there is no CBOR to parse. A passkey has to have checked who
// uses it, by a PIN, a finger or a face: it is two factors in itself.
package passkey
