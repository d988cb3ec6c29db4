package access

import (
	"context"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Lack is what a session lacks before it is good for anything but to supply that.
type Lack string

// What a session can lack.
const (
	NoPasskeyShown Lack = "passkey"   // its user has passkeys, and none was shown
	NoPasskey      Lack = "enrolment" // its user has none, and the platform demands one
)

// Caller is who makes a request.
type Caller struct {
	User    User
	Session Session
	// Lacks is "" for who has shown all that is asked for.
	Lacks Lack
	hash  string // of the session's secret
	// Cookie is the cookie's next value, where it is time for one; "" otherwise.
	Cookie string
}

// Check returns whose session a cookie is of. It writes nothing: that a session is idle is
// told by the cookie's own time, which is moved on by a new value now and then. It fails
// with code Unauthorized for a cookie that is none, or of a session that has ended, or whose
// user is one no more.
func (s *Service) Check(ctx context.Context, cookie string) (Caller, error) {
	claims, err := s.Signer.Verify(cookie, cookieScope, s.Now())
	if err != nil {
		return Caller{}, signedOut()
	}
	caller, err := s.caller(ctx, hash(claims.Topic))
	if err != nil {
		return Caller{}, err
	}
	if s.Now().Add(IdleLife / 2).After(claims.Expires) {
		caller.Cookie, err = s.cookie(claims.Topic)
	}
	return caller, err
}

func (s *Service) caller(ctx context.Context, hash string) (Caller, error) {
	c, err := kv.Ask[checked](ctx, s.Coordinator, s.Object, check{hash})
	if err != nil {
		return Caller{}, err
	}
	caller := Caller{User: c.User, Session: c.Session, hash: hash}
	switch {
	case c.Session.FactorAt != nil:
	case c.Passkeys > 0:
		caller.Lacks = NoPasskeyShown
	case s.DemandPasskeys:
		caller.Lacks = NoPasskey
	}
	return caller, nil
}

func (s *Service) cookie(secret string) (string, error) {
	return s.Signer.Sign(token.Claims{Scope: cookieScope, Topic: secret, Expires: s.Now().Add(IdleLife)})
}

// secretOf is the hash of a cookie's secret, "" where it is none of ours.
func (s *Service) secretOf(cookie string) string {
	claims, err := s.Signer.Verify(cookie, cookieScope, s.Now())
	if err != nil {
		return ""
	}
	return hash(claims.Topic)
}

// SignOut ends a cookie's session.
func (s *Service) SignOut(ctx context.Context, c Caller, cookie string) error {
	secret := s.secretOf(cookie)
	if secret == "" {
		return signedOut()
	}
	if _, err := kv.Send[none](ctx, s.Coordinator, s.Object, "access-leave:"+secret, leave{secret, c.User.Email}); err != nil {
		return err
	}
	s.soon(ctx, s.forget(ctx, []string{secret}))
	return nil
}

// Sessions returns those that last and those of the last 30 days, newest first.
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

// Revoke ends the session of an ID, or all that an address has where that is given; never
// the current one, from which it is asked. By is the address of who does it, "" for the
// host. It returns how many it ended.
func (s *Service) Revoke(ctx context.Context, by, current, id, email string) (int, error) {
	if (id == "") == (email == "") {
		return 0, fault.New(fault.Invalid, "Name either a session or a user").In("sessionId")
	}
	nonce, err := s.secrets(1)
	if err != nil {
		return 0, err
	}
	cmd := revoke{By: by, Current: current, ID: id, Email: email}
	ended, err := kv.Send[[]string](ctx, s.Coordinator, s.Object, "access-revoke:"+nonce[0], cmd)
	if err != nil {
		return 0, err
	}
	s.soon(ctx, s.forget(ctx, ended))
	return len(ended), nil
}

func (s *Service) forget(ctx context.Context, hashes []string) error {
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
