package access

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Register adds the commands of this package to a class. One object of the class holds all users.
// The commands are registered as repeatable because their results can contain session data and must
// not be stored.
func Register(c *kv.Class) {
	kv.OnRepeatable(c, runSave)
	kv.OnRepeatable(c, runRemove)
	kv.OnRepeatable(c, runInvited)
	kv.OnRepeatable(c, runStart)
	kv.OnRepeatable(c, runEnter)
	kv.OnRepeatable(c, runOfferSetup)
	kv.OnRepeatable(c, runSetUp)
	kv.OnRepeatable(c, runExtend)
	kv.OnRepeatable(c, runLeave)
	kv.OnRepeatable(c, runRevoke)
	kv.OnRepeatable(c, runSweep)
	kv.OnRepeatable(c, runEnrol)
	kv.OnRepeatable(c, runConfirm)
	kv.OnRepeatable(c, runRecover)
	kv.OnRepeatable(c, runForgetPasskey)
	kv.OnRepeatable(c, runNewCodes)
	kv.OnRepeatable(c, runReset)
	kv.OnRepeatable(c, runNoticeSent)
	kv.OnQuery(c, runListNotices)
	kv.OnQuery(c, runGetFactors)
	kv.OnQuery(c, runList)
	kv.OnQuery(c, runCheck)
	kv.OnQuery(c, runCheckSetup)
	kv.OnQuery(c, runHistory)
	registerReaders(c)
}

// Service manages the users of one platform. All fields are required. It is safe for
// concurrent use by any number of processes.
type Service struct {
	Store       kv.Store // the primary namespace, for copies and mails
	Coordinator kv.Coordinator
	Object      kv.Object // an object of the class that Register prepared
	Outbox      *notify.Outbox
	Links       mailtext.Links
	Signer      token.Signer // signs cookies and passkey challenges
	Key         []byte       // keys the fingerprints of networks and users
	Site        passkey.Site // the page on which people sign in
	Verify      passkey.Verify
	// DemandPasskeys requires users without a passkey to add one.
	DemandPasskeys bool
	Now            func() time.Time
	Rand           io.Reader
	Log            *slog.Logger
}

// Sweep deletes expired records and completes follow-up steps that a crash interrupted: it sends
// pending notices and invitations and rewrites the copy of all users.
func (s *Service) Sweep(ctx context.Context) error {
	for cmd := (sweep{}); ; {
		next, err := kv.Send[string](ctx, s.Coordinator, s.Object, "access-sweep:"+cmd.After, cmd)
		if err != nil {
			return err
		}
		if cmd.After = next; next == "" {
			break
		}
	}
	if err := s.sendPendingNotices(ctx); err != nil {
		return err
	}
	all, err := s.Users(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, u := range all {
		if err := s.invite(ctx, u); err != nil {
			return err
		}
	}
	return s.copyUsers(ctx)
}

func loginKey(hash string) string   { return "admin-login:" + hash }
func sessionKey(hash string) string { return "admin-session:" + hash }

// newSecrets generates n random secrets of 256 bits.
func (s *Service) newSecrets(n int) ([]string, error) {
	out := make([]string, n)
	for i := range out {
		b := make([]byte, 32)
		if _, err := io.ReadFull(s.Rand, b); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "Could not generate a random secret")
		}
		out[i] = base64.RawURLEncoding.EncodeToString(b)
	}
	return out, nil
}

// newCode generates a code of eight digits: 26 bits, where ASVS 5.0 requires 20 (6.5.4).
func (s *Service) newCode() (string, error) {
	b := make([]byte, 8)
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "Could not generate a random code")
	}
	return fmt.Sprintf("%08d", binary.BigEndian.Uint64(b)%100_000_000), nil
}

// onlyDigits returns a typed code without the characters that are not digits.
func onlyDigits(code string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, code)
}

// networkFingerprint returns a truncated, keyed fingerprint of an address. Without the key it
// cannot be reversed by trying all addresses.
func (s *Service) networkFingerprint(address string) string {
	return s.fingerprint("network:"+address, 6)
}

// fingerprint returns the first size bytes of a keyed hash, in hexadecimal.
func (s *Service) fingerprint(text string, size int) string {
	h := hmac.New(sha256.New, s.Key)
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil)[:size])
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
