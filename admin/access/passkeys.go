package access

import (
	"context"
	"encoding/base32"
	"io"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

const (
	challengeScope = "admin-passkey"
	// challengeLife is how long a challenge can be answered.
	challengeLife = 5 * time.Minute
)

// Passkeys are a user's second factors, with a challenge for a passkey.
type Passkeys struct {
	Passkeys []Passkey
	Codes    int // unused recovery codes
	// Challenge can be answered by a new or existing passkey, once, within five minutes. The
	// passkey signs the bytes of this text.
	Challenge string
	Site      string // the relying party ID that passkeys are bound to
	UserID    string // the user handle for passkeys; derived from a hash, it reveals nothing about the user
}

// Passkeys returns the second factors of the caller's user. It writes nothing.
func (s *Service) Passkeys(ctx context.Context, c Caller) (Passkeys, error) {
	f, err := kv.Ask[factors](ctx, s.Coordinator, s.Object, getFactors{c.hash})
	if err != nil {
		return Passkeys{}, err
	}
	nonce, err := s.newSecrets(1)
	if err != nil {
		return Passkeys{}, err
	}
	challenge, err := s.Signer.Sign(token.Claims{Scope: challengeScope, Topic: c.hash + nonce[0],
		Expires: s.Now().Add(challengeLife)})
	return Passkeys{
		Passkeys: f.Passkeys, Codes: len(f.Codes), Challenge: challenge, Site: s.Site.ID(),
		UserID: hash("passkey:" + c.User.Email)[:32],
	}, err
}

// verifyChallenge returns the challenge that the client data answers. It fails with code Invalid if
// that is not a current challenge of the session.
func (s *Service) verifyChallenge(c Caller, client []byte) (string, answer, error) {
	challenge := passkey.Challenge(client)
	claims, err := s.Signer.Verify(challenge, challengeScope, s.Now())
	if err != nil || !strings.HasPrefix(claims.Topic, c.hash) {
		return "", answer{}, fault.New(fault.Invalid,
			"The passkey's challenge is not one of this session or has expired: try again").In("clientDataJSON")
	}
	return challenge, answer{Hash: c.hash, Challenge: hash(challenge), EndsAt: claims.Expires}, nil
}

// AddPasskey adds a passkey to the caller's user. If the user has no recovery codes, it also
// creates and returns them; they cannot be read again.
//
// It fails with code Invalid if the name, the challenge or the registration is invalid, Forbidden
// if the user has a passkey and the session has not confirmed one, and Conflict if the user already
// has this passkey or maxPasskeys others, or the challenge was already used.
func (s *Service) AddPasskey(ctx context.Context, c Caller, name string, r passkey.Registration) ([]string, error) {
	name, err := cleanName(name)
	if err != nil {
		return nil, err
	}
	challenge, ans, err := s.verifyChallenge(c, r.ClientData)
	if err != nil {
		return nil, err
	}
	credential, err := s.Site.Register(challenge, r)
	if err != nil {
		return nil, err
	}
	codes, hashes, err := s.newRecoveryCodes()
	if err != nil {
		return nil, err
	}
	n := newNotice(c.User, mailtext.PasskeyAdded, ans.Challenge)
	cmd := enrol{Answer: ans, Passkey: Passkey{Credential: credential, Name: name}, Codes: hashes, Notice: n}
	taken, err := kv.Send[bool](ctx, s.Coordinator, s.Object, "access-enrol:"+ans.Challenge, cmd)
	if err != nil {
		return nil, err
	}
	s.logDeferred(ctx, s.queueNotice(ctx, n))
	if !taken {
		return []string{}, nil
	}
	return codes, nil
}

// UsePasskey verifies an assertion and returns the caller with a verified session. It fails
// with code Invalid if the challenge or the signature is not valid, NotFound if the user has
// no such passkey, and Conflict if the challenge or the passkey was used in the meantime.
func (s *Service) UsePasskey(ctx context.Context, c Caller, a passkey.Assertion) (Caller, error) {
	challenge, ans, err := s.verifyChallenge(c, a.ClientData)
	if err != nil {
		return Caller{}, err
	}
	f, err := kv.Ask[factors](ctx, s.Coordinator, s.Object, getFactors{c.hash})
	if err != nil {
		return Caller{}, err
	}
	i := f.find(a.ID)
	if i < 0 {
		return Caller{}, unknownPasskey()
	}
	credential, err := s.Site.VerifyAssertion(ctx, challenge, f.Passkeys[i].Credential, a, s.Verify)
	if err != nil {
		return Caller{}, err
	}
	_, err = kv.Send[Session](ctx, s.Coordinator, s.Object, "access-confirm:"+ans.Challenge, confirm{ans, credential})
	if err != nil {
		return Caller{}, err
	}
	return s.loadCaller(ctx, c.hash)
}

// UseCode uses up a recovery code in place of a lost passkey and returns the caller with a
// verified session. It fails with code Invalid if the code is wrong or was already used.
func (s *Service) UseCode(ctx context.Context, c Caller, code string) (Caller, error) {
	nonce, err := s.newSecrets(1)
	if err != nil {
		return Caller{}, err
	}
	n := newNotice(c.User, mailtext.RecoveryCodeUsed, nonce[0])
	_, err = kv.Send[Session](ctx, s.Coordinator, s.Object, "access-recover:"+nonce[0],
		recovery{c.hash, hash(plainCode(code)), n})
	if err != nil {
		return Caller{}, err
	}
	s.logDeferred(ctx, s.queueNotice(ctx, n))
	return s.loadCaller(ctx, c.hash)
}

// NewCodes replaces the recovery codes and returns the new ones, which cannot be read again.
// It fails with code Conflict if the user has no passkey or the session has not confirmed one.
func (s *Service) NewCodes(ctx context.Context, c Caller) ([]string, error) {
	codes, hashes, err := s.newRecoveryCodes()
	if err != nil {
		return nil, err
	}
	n := newNotice(c.User, mailtext.RecoveryCodesMade, hashes[0])
	_, err = kv.Send[none](ctx, s.Coordinator, s.Object, "access-codes:"+hashes[0], newCodes{c.hash, hashes, n})
	if err != nil {
		return nil, err
	}
	s.logDeferred(ctx, s.queueNotice(ctx, n))
	return codes, nil
}

// RemovePasskey removes a passkey of the caller's user, and with the last one also the recovery
// codes. It fails with code Forbidden if the session has not confirmed a passkey, NotFound if the
// user has no such passkey, and Conflict for the last one if the platform requires one.
func (s *Service) RemovePasskey(ctx context.Context, c Caller, id passkey.Bytes) error {
	nonce, err := s.newSecrets(1)
	if err != nil {
		return err
	}
	n := newNotice(c.User, mailtext.PasskeyRemoved, nonce[0])
	_, err = kv.Send[none](ctx, s.Coordinator, s.Object, "access-forget-passkey:"+nonce[0],
		forgetPasskey{c.hash, id, s.DemandPasskeys, n})
	if err != nil {
		return err
	}
	s.logDeferred(ctx, s.queueNotice(ctx, n))
	return nil
}

// ResetPasskeys removes all passkeys and recovery codes of a user who has lost them, and ends
// their sessions. By is the address of the super admin, "" for the host. It fails with code
// Conflict if by is the user's own address, Forbidden if by is not a super admin, and NotFound
// if there is no such user.
func (s *Service) ResetPasskeys(ctx context.Context, by, email string) error {
	email, nonce, err := s.parseTarget(email)
	if err != nil {
		return err
	}
	n := newNotice(User{Email: email}, mailtext.PasskeysReset, nonce)
	if _, err := kv.Send[none](ctx, s.Coordinator, s.Object, "access-reset:"+nonce, reset{by, email, n}); err != nil {
		return err
	}
	s.logDeferred(ctx, s.sendPendingNotices(ctx)) // nothing is pending for a user without passkeys
	return nil
}

// recoveryCodes is the number of recovery codes per user.
const recoveryCodes = 10

// newRecoveryCodes generates recovery codes of 80 bits. It returns them as displayed and as hashes.
func (s *Service) newRecoveryCodes() (shown, hashes []string, err error) {
	for range recoveryCodes {
		b := make([]byte, 10)
		if _, err := io.ReadFull(s.Rand, b); err != nil {
			return nil, nil, fault.Wrap(err, fault.Unavailable, "Could not generate a random code")
		}
		code := strings.ToLower(base32.StdEncoding.EncodeToString(b))
		shown = append(shown, code[:4]+"-"+code[4:8]+"-"+code[8:12]+"-"+code[12:])
		hashes = append(hashes, hash(code))
	}
	return shown, hashes, nil
}

// plainCode normalizes a typed recovery code to the form that was hashed.
func plainCode(code string) string {
	return strings.NewReplacer("-", "", " ", "").Replace(strings.ToLower(strings.TrimSpace(code)))
}
