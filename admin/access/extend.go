package access

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// extend moves a session's start, last confirmation and end forward by By.
type extend struct {
	Hash string        `json:"hash"`
	By   time.Duration `json:"by"`
}

func (extend) Kind() string { return "access-extend" }

func runExtend(tx kv.Tx, now time.Time, cmd extend) (none, error) {
	s, ok, err := kv.Load[stored](tx, sessionPrefix+cmd.Hash)
	if err != nil {
		return none{}, err
	}
	if !ok || !s.Active(now) {
		return none{}, notSignedIn()
	}
	s.CreatedAt, s.ConfirmedAt, s.EndsAt = s.CreatedAt.Add(cmd.By), s.ConfirmedAt.Add(cmd.By), s.EndsAt.Add(cmd.By)
	return none{}, kv.PutValue(tx, sessionPrefix+cmd.Hash, s)
}

// Extend prepares a session for a clock that is about to be moved forward, so that the user stays
// signed in, and returns the cookie's new value. It is for demos. It fails with code Unauthorized
// if the cookie is not valid now.
func (s *Service) Extend(ctx context.Context, cookie string, by time.Duration) (string, error) {
	claims, err := s.Signer.Verify(cookie, cookieScope, s.Now())
	if err != nil {
		return "", notSignedIn()
	}
	made, err := s.newSecrets(1)
	if err != nil {
		return "", err
	}
	if _, err := kv.Send[none](ctx, s.Coordinator, s.Object, "access-extend:"+made[0],
		extend{hash(claims.Topic), by}); err != nil {
		return "", err
	}
	return s.Signer.Sign(token.Claims{Scope: cookieScope, Topic: claims.Topic, Expires: s.Now().Add(by + IdleLife)})
}
