// Package token signs the small capabilities that travel in links and come
// back from browsers: who may see and change one order, or finish one checkout.
//
// A token is
//
//	base64url(JSON claims) "." base64url(HMAC-SHA256 of the first part)
//
// It is readable by whoever holds it and carries nothing secret. The scope is
// part of what is signed, so a token for one purpose never serves another, and
// nothing of a token is decoded before its signature holds.
package token
