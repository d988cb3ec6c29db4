package access

import (
	"context"
	"encoding/base32"
	"io"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

const (
	challengeScope = "admin-passkey"
	// challengeLife is how long a passkey may take to answer.
	challengeLife = 5 * time.Minute
)

// Passkeys are what a user has beside mails, and a question for one of them.
type Passkeys struct {
	Passkeys []Passkey
	Codes    int // recovery codes that are left
	// Challenge is what a passkey answers, new or old, once and within five minutes. Its
	// bytes are those of the text.
	Challenge string
	Site      string // the ID that passkeys are bound to
	UserID    string // what passkeys know the user by; it tells nothing
}

// Passkeys returns what a caller's user has. It writes nothing.
func (s *Service) Passkeys(ctx context.Context, c Caller) (Passkeys, error) {
	f, err := kv.Ask[factors](ctx, s.Coordinator, s.Object, factorsOf{c.hash})
	if err != nil {
		return Passkeys{}, err
	}
	nonce, err := s.secrets(1)
	if err != nil {
		return Passkeys{}, err
	}
	challenge, err := s.Signer.Sign(token.Claims{Scope: challengeScope, Topic: c.hash + nonce[0], Expires: s.Now().Add(challengeLife)})
	return Passkeys{
		Passkeys: f.Passkeys, Codes: len(f.Codes), Challenge: challenge, Site: s.Site.ID(),
		UserID: hash("passkey:" + c.User.Email)[:32],
	}, err
}

// answered returns which challenge of the session it is that client data answers.
func (s *Service) answered(c Caller, client []byte) (string, answer, error) {
	challenge := passkey.Challenge(client)
	claims, err := s.Signer.Verify(challenge, challengeScope, s.Now())
	if err != nil || !strings.HasPrefix(claims.Topic, c.hash) {
		return "", answer{}, fault.New(fault.Invalid, "This answers no question of this session, or too late").In("clientDataJSON")
	}
	return challenge, answer{Hash: c.hash, Challenge: hash(challenge), EndsAt: claims.Expires}, nil
}

// AddPasskey gives the caller's user a passkey, and with the first one recovery codes, which
// are shown this once. It fails with code Forbidden for who has one and has not shown it.
func (s *Service) AddPasskey(ctx context.Context, c Caller, name string, r passkey.Registration) ([]string, error) {
	name, err := line(name)
	if err != nil {
		return nil, err
	}
	challenge, ans, err := s.answered(c, r.ClientData)
	if err != nil {
		return nil, err
	}
	credential, err := s.Site.Register(challenge, r)
	if err != nil {
		return nil, err
	}
	codes, hashes, err := s.codes()
	if err != nil {
		return nil, err
	}
	n := noticeOf(c.User, notify.PasskeyAdded, ans.Challenge)
	cmd := enrol{Answer: ans, Passkey: Passkey{Credential: credential, Name: name}, Codes: hashes, Notice: n}
	taken, err := kv.Send[bool](ctx, s.Coordinator, s.Object, "access-enrol:"+ans.Challenge, cmd)
	if err != nil {
		return nil, err
	}
	s.soon(ctx, s.tell(ctx, n))
	if !taken {
		return []string{}, nil
	}
	return codes, nil
}

// UsePasskey notes that the caller has shown a passkey, and returns the caller as it is
// after that. It fails with code Invalid where the passkey has not signed.
func (s *Service) UsePasskey(ctx context.Context, c Caller, a passkey.Assertion) (Caller, error) {
	challenge, ans, err := s.answered(c, a.ClientData)
	if err != nil {
		return Caller{}, err
	}
	f, err := kv.Ask[factors](ctx, s.Coordinator, s.Object, factorsOf{c.hash})
	if err != nil {
		return Caller{}, err
	}
	i := f.find(a.ID)
	if i < 0 {
		return Caller{}, noPasskey()
	}
	credential, err := s.Site.Assert(ctx, challenge, f.Passkeys[i].Credential, a, s.Verify)
	if err != nil {
		return Caller{}, err
	}
	_, err = kv.Send[Session](ctx, s.Coordinator, s.Object, "access-confirm:"+ans.Challenge, confirm{ans, credential})
	if err != nil {
		return Caller{}, err
	}
	return s.caller(ctx, c.hash)
}

// UseCode uses a recovery code up where a passkey was lost.
func (s *Service) UseCode(ctx context.Context, c Caller, code string) (Caller, error) {
	nonce, err := s.secrets(1)
	if err != nil {
		return Caller{}, err
	}
	n := noticeOf(c.User, notify.RecoveryCodeUsed, nonce[0])
	_, err = kv.Send[Session](ctx, s.Coordinator, s.Object, "access-recover:"+nonce[0], recovery{c.hash, hash(plainCode(code)), n})
	if err != nil {
		return Caller{}, err
	}
	s.soon(ctx, s.tell(ctx, n))
	return s.caller(ctx, c.hash)
}

// NewCodes replaces the recovery codes, and returns the new ones, which are shown this once.
func (s *Service) NewCodes(ctx context.Context, c Caller) ([]string, error) {
	codes, hashes, err := s.codes()
	if err != nil {
		return nil, err
	}
	n := noticeOf(c.User, notify.RecoveryCodesMade, hashes[0])
	_, err = kv.Send[none](ctx, s.Coordinator, s.Object, "access-codes:"+hashes[0], newCodes{c.hash, hashes, n})
	if err != nil {
		return nil, err
	}
	s.soon(ctx, s.tell(ctx, n))
	return codes, nil
}

// RemovePasskey takes one from the caller's user; the last one only where none is demanded.
func (s *Service) RemovePasskey(ctx context.Context, c Caller, id passkey.Bytes) error {
	nonce, err := s.secrets(1)
	if err != nil {
		return err
	}
	n := noticeOf(c.User, notify.PasskeyRemoved, nonce[0])
	_, err = kv.Send[none](ctx, s.Coordinator, s.Object, "access-forget-passkey:"+nonce[0], forgetPasskey{c.hash, id, s.DemandPasskeys, n})
	if err != nil {
		return err
	}
	s.soon(ctx, s.tell(ctx, n))
	return nil
}

// ResetPasskeys takes all passkeys and recovery codes from a user who has lost them, and ends
// their sessions. By is the address of who does it, never the user; "" for the host.
func (s *Service) ResetPasskeys(ctx context.Context, by, email string) error {
	email, err := pledge.ParseEmail(email)
	if err != nil {
		return err
	}
	nonce, err := s.secrets(1)
	if err != nil {
		return err
	}
	n := noticeOf(User{Email: email}, notify.PasskeysReset, nonce[0])
	if _, err := kv.Send[none](ctx, s.Coordinator, s.Object, "access-reset:"+nonce[0], reset{by, email, n}); err != nil {
		return err
	}
	s.soon(ctx, s.tellOwed(ctx)) // who had none is told nothing
	return nil
}

// recoveryCodes is how many a user gets.
const recoveryCodes = 10

// codes makes recovery codes of 80 bits, as they are shown and as they are kept.
func (s *Service) codes() (shown, hashes []string, err error) {
	for range recoveryCodes {
		b := make([]byte, 10)
		if _, err := io.ReadFull(s.Rand, b); err != nil {
			return nil, nil, fault.Wrap(err, fault.Unavailable, "No randomness for a code")
		}
		code := strings.ToLower(base32.StdEncoding.EncodeToString(b))
		shown = append(shown, code[:4]+"-"+code[4:8]+"-"+code[8:12]+"-"+code[12:])
		hashes = append(hashes, hash(code))
	}
	return shown, hashes, nil
}

// plainCode is a recovery code as it was kept, however it is typed.
func plainCode(code string) string {
	return strings.NewReplacer("-", "", " ", "").Replace(strings.ToLower(strings.TrimSpace(code)))
}
