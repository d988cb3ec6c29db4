package access

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const factorsPrefix = "access/factors/"

// maxPasskeys is the maximum number of passkeys per user.
const maxPasskeys = 10

// Passkey is a user's passkey with the name that they gave it.
type Passkey struct {
	passkey.Credential
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
	UsedAt    time.Time `json:"usedAt"` // zero before the first use
}

// factors are the second factors of a user. Codes holds the hashes of the unused recovery
// codes.
type factors struct {
	Passkeys []Passkey `json:"passkeys"`
	Codes    []string  `json:"codes"`
}

func (f factors) find(id passkey.Bytes) int {
	return slices.IndexFunc(f.Passkeys, func(p Passkey) bool { return string(p.ID) == string(id) })
}

// answer identifies a session and the challenge that a passkey answered in it.
type answer struct {
	Hash      string    `json:"hash"`
	Challenge string    `json:"challenge"` // hash
	EndsAt    time.Time `json:"endsAt"`    // when the challenge expires
}

// usedChallenge is an answered challenge. It is remembered until it expires, so that it is
// not accepted twice.
type usedChallenge struct {
	Challenge string    `json:"challenge"`
	EndsAt    time.Time `json:"endsAt"`
}

// useChallenge marks an answered challenge as used. It fails with code Conflict if the challenge
// was used before or has expired.
func (s *stored) useChallenge(now time.Time, a answer) error {
	s.Spent = slices.DeleteFunc(s.Spent, func(c usedChallenge) bool { return !now.Before(c.EndsAt) })
	known := slices.ContainsFunc(s.Spent, func(c usedChallenge) bool { return c.Challenge == a.Challenge })
	if known || !now.Before(a.EndsAt) {
		return fault.New(fault.Conflict,
			"This challenge was already used or has expired: request a new one").In("clientDataJSON")
	}
	s.Spent = append(s.Spent, usedChallenge{a.Challenge, a.EndsAt})
	return nil
}

// markVerified records that the session's user has verified a second factor.
func (s *stored) markVerified(now time.Time) {
	now = now.UTC()
	s.FactorAt, s.ConfirmedAt = &now, now
}

// inSession loads the session with the given hash and its user's factors, calls do, and saves
// both. It fails with code Unauthorized if the session is not active.
func inSession[R any](tx kv.Tx, now time.Time, hash string, do func(*stored, *factors) (R, error)) (R, error) {
	var none R
	s, ok, err := kv.Load[stored](tx, sessionPrefix+hash)
	if err != nil {
		return none, err
	}
	if !ok || !s.Active(now) {
		return none, notSignedIn()
	}
	f, _, err := kv.Load[factors](tx, factorsPrefix+s.Email)
	if err != nil {
		return none, err
	}
	r, err := do(&s, &f)
	if err != nil {
		return none, err
	}
	if err := kv.PutValue(tx, factorsPrefix+s.Email, f); err != nil {
		return none, err
	}
	return r, kv.PutValue(tx, sessionPrefix+hash, s)
}

// inSessionWithNotice is like inSession and saves a notice to the user.
func inSessionWithNotice[R any](tx kv.Tx, now time.Time, hash string, n notice,
	do func(*stored, *factors) (R, error)) (R, error) {
	r, err := inSession(tx, now, hash, do)
	if err != nil {
		return r, err
	}
	return r, saveNotice(tx, n)
}

// enrol adds a passkey to a user. Codes become the recovery codes if the user has none.
type enrol struct {
	Answer  answer   `json:"answer"`
	Passkey Passkey  `json:"passkey"`
	Codes   []string `json:"codes"`
	Notice  notice   `json:"notice"`
}

func (enrol) Kind() string { return "access-enrol" }

// runEnrol reports whether the codes were stored. A session without a verified second factor can
// add only the user's first passkey; otherwise, access to the mailbox would be as good as a
// passkey.
func runEnrol(tx kv.Tx, now time.Time, cmd enrol) (bool, error) {
	return inSessionWithNotice(tx, now, cmd.Answer.Hash, cmd.Notice, func(s *stored, f *factors) (bool, error) {
		switch {
		case len(f.Passkeys) > 0 && s.FactorAt == nil:
			return false, fault.New(fault.Forbidden, "Confirm with your existing passkey first")
		case len(f.Passkeys) >= maxPasskeys:
			return false, fault.New(fault.Conflict, "You already have %d passkeys, the maximum: remove one first", maxPasskeys)
		case f.find(cmd.Passkey.ID) >= 0:
			return false, fault.New(fault.Conflict, "This passkey is already registered").In("id")
		}
		if err := s.useChallenge(now, cmd.Answer); err != nil {
			return false, err
		}
		p := cmd.Passkey
		p.CreatedAt = now.UTC()
		f.Passkeys = append(f.Passkeys, p)
		first := len(f.Codes) == 0
		if first {
			f.Codes = cmd.Codes
		}
		s.markVerified(now)
		return first, nil
	})
}

// confirm records the use of a passkey.
type confirm struct {
	Answer     answer             `json:"answer"`
	Credential passkey.Credential `json:"credential"`
}

func (confirm) Kind() string { return "access-confirm" }

func runConfirm(tx kv.Tx, now time.Time, cmd confirm) (Session, error) {
	return inSession(tx, now, cmd.Answer.Hash, func(s *stored, f *factors) (Session, error) {
		i := f.find(cmd.Credential.ID)
		if i < 0 {
			return Session{}, unknownPasskey()
		}
		p := &f.Passkeys[i]
		if p.Uses != 0 && cmd.Credential.Uses <= p.Uses {
			return Session{}, fault.New(fault.Conflict,
				"The passkey was used elsewhere in the meantime: try again").In("authenticatorData")
		}
		if err := s.useChallenge(now, cmd.Answer); err != nil {
			return Session{}, err
		}
		p.Uses, p.Synced, p.UsedAt = cmd.Credential.Uses, cmd.Credential.Synced, now.UTC()
		s.markVerified(now)
		return s.Session, nil
	})
}

// recovery uses up a recovery code in place of a passkey.
type recovery struct {
	Hash   string `json:"hash"` // of the session
	Code   string `json:"code"` // hash
	Notice notice `json:"notice"`
}

func (recovery) Kind() string { return "access-recover" }

func runRecover(tx kv.Tx, now time.Time, cmd recovery) (Session, error) {
	return inSessionWithNotice(tx, now, cmd.Hash, cmd.Notice, func(s *stored, f *factors) (Session, error) {
		i := slices.IndexFunc(f.Codes, func(c string) bool { return equalHash(c, cmd.Code) })
		if i < 0 {
			return Session{}, fault.New(fault.Invalid, "The recovery code is wrong or was already used").In("code")
		}
		f.Codes = slices.Delete(f.Codes, i, i+1)
		s.markVerified(now)
		return s.Session, nil
	})
}

// forgetPasskey removes a passkey from the session's user.
type forgetPasskey struct {
	Hash string        `json:"hash"`
	ID   passkey.Bytes `json:"id"`
	// Keep is set if the user must keep at least one passkey.
	Keep   bool   `json:"keep"`
	Notice notice `json:"notice"`
}

func (forgetPasskey) Kind() string { return "access-forget-passkey" }

func runForgetPasskey(tx kv.Tx, now time.Time, cmd forgetPasskey) (none, error) {
	return inSessionWithNotice(tx, now, cmd.Hash, cmd.Notice, func(s *stored, f *factors) (none, error) {
		i := f.find(cmd.ID)
		switch {
		case i < 0:
			return none{}, unknownPasskey()
		case s.FactorAt == nil:
			return none{}, fault.New(fault.Forbidden, "Confirm with your existing passkey first")
		case cmd.Keep && len(f.Passkeys) == 1:
			return none{}, fault.New(fault.Conflict, "This is your last passkey, and you need one: add another first").In("id")
		}
		if f.Passkeys = slices.Delete(f.Passkeys, i, i+1); len(f.Passkeys) == 0 {
			f.Codes = nil
		}
		return none{}, nil
	})
}

func unknownPasskey() error { return fault.New(fault.NotFound, "You have no such passkey").In("id") }

// newCodes replaces the recovery codes of the session's user.
type newCodes struct {
	Hash   string   `json:"hash"`
	Codes  []string `json:"codes"`
	Notice notice   `json:"notice"`
}

func (newCodes) Kind() string { return "access-codes" }

func runNewCodes(tx kv.Tx, now time.Time, cmd newCodes) (none, error) {
	return inSessionWithNotice(tx, now, cmd.Hash, cmd.Notice, func(s *stored, f *factors) (none, error) {
		if len(f.Passkeys) == 0 || s.FactorAt == nil {
			return none{}, fault.New(fault.Conflict, "Recovery codes replace a passkey: add or confirm a passkey first")
		}
		f.Codes = cmd.Codes
		return none{}, nil
	})
}

// reset removes all passkeys and recovery codes of a user and ends their sessions.
type reset struct {
	By     string `json:"by"`
	Email  string `json:"email"`
	Notice notice `json:"notice"`
}

func (reset) Kind() string { return "access-reset" }

func runReset(tx kv.Tx, now time.Time, cmd reset) (none, error) {
	if err := requireSuperAdmin(tx, cmd.By); err != nil {
		return none{}, err
	}
	var err error
	if cmd.Email, err = storedEmail(tx, cmd.Email); err != nil {
		return none{}, err
	}
	if cmd.By == cmd.Email {
		return none{}, fault.New(fault.Conflict,
			"You can't reset your own passkeys: use a recovery code or ask another super admin").In("email")
	}
	_, known, err := kv.Load[User](tx, userPrefix+cmd.Email)
	if err != nil {
		return none{}, err
	}
	if !known {
		return none{}, fault.New(fault.NotFound, "There is no user with this address").In("email")
	}
	if err := endSessions(tx, now, cmd.Email, cmd.By); err != nil {
		return none{}, err
	}
	_, had, err := kv.Load[factors](tx, factorsPrefix+cmd.Email)
	if err != nil || !had {
		return none{}, err
	}
	if err := saveNotice(tx, cmd.Notice); err != nil {
		return none{}, err
	}
	return none{}, tx.Delete(factorsPrefix + cmd.Email)
}

type getFactors struct {
	Hash string `json:"hash"`
}

func (getFactors) Kind() string { return "access-factors" }

func runGetFactors(tx kv.Tx, now time.Time, cmd getFactors) (factors, error) {
	s, ok, err := kv.Load[stored](tx, sessionPrefix+cmd.Hash)
	if err != nil {
		return factors{}, err
	}
	if !ok || !s.Active(now) {
		return factors{}, notSignedIn()
	}
	f, _, err := kv.Load[factors](tx, factorsPrefix+s.Email)
	return f, err
}
