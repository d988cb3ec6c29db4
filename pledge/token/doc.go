// Package token signs the capabilities in links and browser sessions: access to one
// order, one checkout, one unsubscription and so on.
//
// # Format
//
// A token is
//
//	base64url(JSON claims) "." base64url(HMAC-SHA256 of the first part)
//
// Its claims are readable by everyone who has it, so they contain no secrets. The scope
// is part of the signed claims, so a token for one purpose is not valid for another.
// Nothing is decoded before the signature is verified.
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
