// Package token signs tokens for links and browser sessions. Each token grants one capability, such
// as access to one order or to one checkout.
//
// # Format
//
// A token is
//
//	base64url(JSON claims) "." base64url(HMAC-SHA256 of the first part)
//
// The claims are signed but not encrypted, so they contain no secrets. They include the scope, so a
// token for one purpose is not valid for another. The claims are decoded only after the signature
// is verified.
//
// # Usage
//
//	s := token.Signer{Secret: secret}
//	tok, err := s.Sign(token.Claims{Scope: token.Manage, OrderID: id, Email: email, Expires: now.Add(token.ManageLife)})
//	...
//	claims, err := s.Verify(tok, token.Manage, now)
//
// Verify fails with code Unauthorized. A Signer is safe for concurrent use.
package token
