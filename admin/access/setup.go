package access

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// setupKey is the key of the setup link, which exists only while the platform has no user.
const setupKey = "access/setup"

// SetupLife is how long a setup link works.
const SetupLife = 24 * time.Hour

// setup is the link with which the first super admin is created.
type setup struct {
	Token  string    `json:"token"` // hash of the link's token
	EndsAt time.Time `json:"endsAt"`
}

// offerSetup replaces the setup link, unless there is a user.
type offerSetup struct {
	Token string `json:"token"` // hash of the link's token
}

func (offerSetup) Kind() string { return "access-offer-setup" }

// runOfferSetup reports whether the link was stored.
func runOfferSetup(tx kv.Tx, now time.Time, cmd offerSetup) (bool, error) {
	if has, err := hasUsers(tx); err != nil || has {
		return false, err
	}
	return true, kv.PutValue(tx, setupKey, setup{cmd.Token, now.UTC().Add(SetupLife)})
}

// checkSetup verifies the token of a setup link. With "" it only checks that there is no user.
type checkSetup struct {
	Token string `json:"token"`
}

func (checkSetup) Kind() string { return "access-check-setup" }

func runCheckSetup(tx kv.Tx, now time.Time, cmd checkSetup) (none, error) {
	return none{}, requireSetup(tx, now, cmd.Token)
}

// requireSetup fails with code Gone if there is a user, and with code Unauthorized if the token
// is not that of the current setup link.
func requireSetup(tx kv.Tx, now time.Time, token string) error {
	has, err := hasUsers(tx)
	if err != nil {
		return err
	}
	if has {
		return fault.New(fault.Gone, "This platform is set up already: sign in instead")
	}
	if token == "" {
		return nil
	}
	s, _, err := kv.Load[setup](tx, setupKey)
	if err != nil {
		return err
	}
	if !equalHash(token, s.Token) || !now.Before(s.EndsAt) {
		return fault.New(fault.Unauthorized, "This setup link has expired: restart the server, which prints a new one")
	}
	return nil
}

func hasUsers(tx kv.Tx) (bool, error) {
	entries, err := tx.List(userPrefix, "", 1)
	return len(entries) > 0, err
}

// setUp creates the first super admin and signs them in.
type setUp struct {
	Token   string  `json:"token"`
	User    User    `json:"user"`
	Session Session `json:"session"`
	Hash    string  `json:"hash"` // of the session's secret
}

func (setUp) Kind() string { return "access-set-up" }

func runSetUp(tx kv.Tx, now time.Time, cmd setUp) (Session, error) {
	if err := requireSetup(tx, now, cmd.Token); err != nil {
		return Session{}, err
	}
	u := cmd.User
	u.Revision, u.CreatedAt, u.UpdatedAt, u.Invited = 1, now.UTC(), now.UTC(), true
	if err := kv.PutValue(tx, userPrefix+u.Email, u); err != nil {
		return Session{}, err
	}
	if err := tx.Delete(setupKey); err != nil {
		return Session{}, err
	}
	return saveSession(tx, now, cmd.Session, cmd.Hash, u.Email)
}

// SetupLink returns a link with which the first super admin is created, once, within SetupLife,
// and invalidates earlier ones. It returns "" if the platform has a user.
func (s *Service) SetupLink(ctx context.Context) (string, error) {
	made, err := s.newSecrets(1)
	if err != nil {
		return "", err
	}
	cmd := offerSetup{hash(made[0])}
	offered, err := kv.Send[bool](ctx, s.Coordinator, s.Object, "access-offer-setup:"+cmd.Token, cmd)
	if err != nil || !offered {
		return "", err
	}
	return s.Links.Dashboard("en") + "#setup=" + made[0], nil
}

// NeedsSetup reports whether the platform has no user yet.
func (s *Service) NeedsSetup(ctx context.Context) (bool, error) {
	_, err := kv.Ask[none](ctx, s.Coordinator, s.Object, checkSetup{})
	if fault.Is(err, fault.Gone) {
		return false, nil
	}
	return err == nil, err
}

// CheckSetup verifies the token of a setup link. It fails with code Gone if the platform has a
// user, and with code Unauthorized if the token is wrong or has expired.
func (s *Service) CheckSetup(ctx context.Context, token string) error {
	_, err := kv.Ask[none](ctx, s.Coordinator, s.Object, checkSetup{hash(token)})
	return err
}

// SetUp creates the first super admin with the token of a setup link, and returns their session
// with the value of its cookie. Only the proof's UserAgent and Network are used. It fails like
// CheckSetup, and with code Invalid for an invalid address or name.
func (s *Service) SetUp(ctx context.Context, token string, u User, p Proof) (Caller, string, error) {
	u.Role = SuperAdmin
	u, err := u.checked()
	if err != nil {
		return Caller{}, "", err
	}
	secret, session, err := s.newSession(p)
	if err != nil {
		return Caller{}, "", err
	}
	cmd := setUp{Token: hash(token), User: u, Session: session, Hash: hash(secret)}
	if _, err := kv.Send[Session](ctx, s.Coordinator, s.Object, "access-set-up:"+cmd.Hash, cmd); err != nil {
		return Caller{}, "", err
	}
	s.logDeferred(ctx, s.copyUsers(ctx))
	return s.openSession(ctx, secret)
}
