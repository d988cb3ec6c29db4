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
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Register adds the commands to a class. One object of it has the people. A command that
// comes twice is refused by what it did: no answer is remembered, with what it says of a
// session.
func Register(c *kv.Class) {
	kv.OnRepeatable(c, runSave)
	kv.OnRepeatable(c, runRemove)
	kv.OnRepeatable(c, runInvited)
	kv.OnRepeatable(c, runStart)
	kv.OnRepeatable(c, runEnter)
	kv.OnRepeatable(c, runLeave)
	kv.OnRepeatable(c, runRevoke)
	kv.OnRepeatable(c, runSweep)
	kv.OnRepeatable(c, runEnrol)
	kv.OnRepeatable(c, runConfirm)
	kv.OnRepeatable(c, runRecover)
	kv.OnRepeatable(c, runForgetPasskey)
	kv.OnRepeatable(c, runNewCodes)
	kv.OnRepeatable(c, runReset)
	kv.OnRepeatable(c, runTold)
	kv.OnQuery(c, runOwed)
	kv.OnQuery(c, runFactorsOf)
	kv.OnQuery(c, runList)
	kv.OnQuery(c, runCheck)
	kv.OnQuery(c, runHistory)
	registerReaders(c)
}

// Service is the people of one platform. All fields are required. It is safe for concurrent
// use, by any number of processes.
type Service struct {
	Store       kv.Store // the primary namespace, for copies and mails
	Coordinator kv.Coordinator
	Object      kv.Object // of a class that has the commands: see Register
	Outbox      *notify.Outbox
	Links       notify.Links
	Signer      token.Signer // of cookies, and of what passkeys answer
	Key         []byte       // of the fingerprints of networks
	Site        passkey.Site // the page on which people sign in
	Verify      passkey.Verify
	// DemandPasskeys keeps everybody to adding a passkey who has none.
	DemandPasskeys bool
	Now            func() time.Time
	Rand           io.Reader
	Log            *slog.Logger
}

// Sweep drops what has ended, and mends what a crash has left: users who were not told, and
// an older copy of them all.
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
	if err := s.tellOwed(ctx); err != nil {
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

// secrets makes so many secrets of 256 bits.
func (s *Service) secrets(n int) ([]string, error) {
	out := make([]string, n)
	for i := range out {
		b := make([]byte, 32)
		if _, err := io.ReadFull(s.Rand, b); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "No randomness for a secret")
		}
		out[i] = base64.RawURLEncoding.EncodeToString(b)
	}
	return out, nil
}

// code makes eight digits: 26 bits, where ASVS 5.0 asks for 20 (6.5.4).
func (s *Service) code() (string, error) {
	b := make([]byte, 8)
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "No randomness for a code")
	}
	return fmt.Sprintf("%08d", binary.BigEndian.Uint64(b)%100_000_000), nil
}

// digits is a code as somebody may type it, without what stands between.
func digits(code string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, code)
}

// network is a keyed fingerprint, cut so short that it can't be turned back by trying all.
func (s *Service) network(address string) string { return s.fingerprint("network:"+address, 6) }

// fingerprint returns so many bytes of a keyed hash, in hexadecimal.
func (s *Service) fingerprint(text string, size int) string {
	h := hmac.New(sha256.New, s.Key)
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil)[:size])
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
