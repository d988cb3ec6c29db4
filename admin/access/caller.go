package access

import (
	"context"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// MissingFactor is the verification that a session is missing. A session with a MissingFactor may only be
// used to supply it.
type MissingFactor string

// The possible values of MissingFactor.
const (
	PasskeyNotUsed MissingFactor = "passkey"   // the user has passkeys and has not used one in this session
	NoPasskey      MissingFactor = "enrolment" // the user has no passkey and the platform requires one
)

// Caller is the authenticated user of a request, with the session.
type Caller struct {
	User    User
	Session Session
	// Missing is "" for a fully verified session.
	Missing MissingFactor
	hash    string // of the session's secret
	// Cookie is the cookie's renewed value, or "" if it need not be renewed yet.
	Cookie string
}

// Check authenticates a session cookie. It writes nothing: the idle timeout is the cookie's
// own expiry, and Check returns a renewed cookie once half of IdleLife has passed. It fails
// with code Unauthorized if the cookie is invalid, the session has ended, or the user was
// removed.
func (s *Service) Check(ctx context.Context, cookie string) (Caller, error) {
	claims, err := s.Signer.Verify(cookie, cookieScope, s.Now())
	if err != nil {
		return Caller{}, notSignedIn()
	}
	caller, err := s.loadCaller(ctx, hash(claims.Topic))
	if err != nil {
		return Caller{}, err
	}
	if s.Now().Add(IdleLife / 2).After(claims.Expires) {
		caller.Cookie, err = s.signCookie(claims.Topic)
	}
	return caller, err
}

func (s *Service) loadCaller(ctx context.Context, hash string) (Caller, error) {
	c, err := kv.Ask[checked](ctx, s.Coordinator, s.Object, check{hash})
	if err != nil {
		return Caller{}, err
	}
	caller := Caller{User: c.User, Session: c.Session, hash: hash}
	switch {
	case c.Session.FactorAt != nil:
	case c.Passkeys > 0:
		caller.Missing = PasskeyNotUsed
	case s.DemandPasskeys:
		caller.Missing = NoPasskey
	}
	return caller, nil
}

func (s *Service) signCookie(secret string) (string, error) {
	return s.Signer.Sign(token.Claims{Scope: cookieScope, Topic: secret, Expires: s.Now().Add(IdleLife)})
}

// cookieHash returns the hash of a cookie's secret, or "" if the cookie is invalid.
func (s *Service) cookieHash(cookie string) string {
	claims, err := s.Signer.Verify(cookie, cookieScope, s.Now())
	if err != nil {
		return ""
	}
	return hash(claims.Topic)
}

// SignOut ends the session of a cookie. It fails with code Unauthorized if the cookie is
// invalid.
func (s *Service) SignOut(ctx context.Context, c Caller, cookie string) error {
	secret := s.cookieHash(cookie)
	if secret == "" {
		return notSignedIn()
	}
	if _, err := kv.Send[none](ctx, s.Coordinator, s.Object, "access-leave:"+secret,
		leave{secret, c.User.Email}); err != nil {
		return err
	}
	s.logDeferred(ctx, s.deleteCopies(ctx, []string{secret}))
	return nil
}

// Sessions returns the sessions created within the last 30 days (HistoryLife), whether active or
// ended, newest first.
func (s *Service) Sessions(ctx context.Context) ([]Session, error) {
	all, err := kv.Ask[[]Session](ctx, s.Coordinator, s.Object, history{})
	slices.SortFunc(all, func(a, b Session) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all, err
}

// Revoke ends the active session with the given ID or, if email is given instead, all active
// sessions of that user except the one with the ID current. It returns the number of sessions that
// it ended. By is the address of the super admin, "" for the host.
//
// It fails with code Invalid unless exactly one of id and email is given, Conflict if id is the
// current session, NotFound if no active session has the ID, and Forbidden if by is not a super
// admin.
func (s *Service) Revoke(ctx context.Context, by, current, id, email string) (int, error) {
	if (id == "") == (email == "") {
		return 0, fault.New(fault.Invalid, "Give either a session ID or an email address, not both").In("sessionId")
	}
	nonce, err := s.newSecrets(1)
	if err != nil {
		return 0, err
	}
	cmd := revoke{By: by, Current: current, ID: id, Email: email}
	ended, err := kv.Send[[]string](ctx, s.Coordinator, s.Object, "access-revoke:"+nonce[0], cmd)
	if err != nil {
		return 0, err
	}
	s.logDeferred(ctx, s.deleteCopies(ctx, ended))
	return len(ended), nil
}

func (s *Service) deleteCopies(ctx context.Context, hashes []string) error {
	for part := range slices.Chunk(hashes, 100) {
		var writes []kv.Write
		for _, h := range part {
			writes = append(writes, kv.Delete(sessionKey(h)))
		}
		if err := s.Store.Apply(ctx, writes); err != nil {
			return err
		}
	}
	return nil
}
