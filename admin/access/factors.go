package access

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const factorsPrefix = "access/factors/"

// maxPasskeys is how many one user can have.
const maxPasskeys = 10

// Passkey is a second factor of a user: a passkey under the name that they gave it.
type Passkey struct {
	passkey.Credential
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
	UsedAt    time.Time `json:"usedAt"` // the zero time before its first use
}

// factors are what a user shows beside a mail. Codes are the hashes of the recovery codes
// that are left.
type factors struct {
	Passkeys []Passkey `json:"passkeys"`
	Codes    []string  `json:"codes"`
}

func (f factors) find(id passkey.Bytes) int {
	return slices.IndexFunc(f.Passkeys, func(p Passkey) bool { return string(p.ID) == string(id) })
}

// answer names the session that does something, and the challenge that was answered for it.
type answer struct {
	Hash      string    `json:"hash"`
	Challenge string    `json:"challenge"` // its hash
	EndsAt    time.Time `json:"endsAt"`    // of the challenge
}

// spent is a challenge that was answered, for as long as it could be answered again.
type spent struct {
	Challenge string    `json:"challenge"`
	EndsAt    time.Time `json:"endsAt"`
}

// spend uses a challenge up, which works once.
func (s *stored) spend(now time.Time, a answer) error {
	s.Spent = slices.DeleteFunc(s.Spent, func(c spent) bool { return !now.Before(c.EndsAt) })
	known := slices.ContainsFunc(s.Spent, func(c spent) bool { return c.Challenge == a.Challenge })
	if known || !now.Before(a.EndsAt) {
		return fault.New(fault.Conflict, "This was answered before, or too late: ask again").In("clientDataJSON")
	}
	s.Spent = append(s.Spent, spent{a.Challenge, a.EndsAt})
	return nil
}

// show notes that the session's user has shown a second factor.
func (s *stored) show(now time.Time) {
	now = now.UTC()
	s.FactorAt, s.ConfirmedAt = &now, now
}

// inSession loads the session of a hash and its user's factors, has something done with
// them, and keeps what became of them.
func inSession[R any](tx kv.Tx, now time.Time, hash string, do func(*stored, *factors) (R, error)) (R, error) {
	var none R
	s, ok, err := kv.Load[stored](tx, sessionPrefix+hash)
	if err != nil {
		return none, err
	}
	if !ok || !s.Active(now) {
		return none, signedOut()
	}
	f, _, err := kv.Load[factors](tx, factorsPrefix+s.Email)
	if err != nil {
		return none, err
	}
	r, err := do(&s, &f)
	if err != nil {
		return none, err
	}
	if err := kv.Keep(tx, factorsPrefix+s.Email, f); err != nil {
		return none, err
	}
	return r, kv.Keep(tx, sessionPrefix+hash, s)
}

// changed is inSession for what the user is told of.
func changed[R any](tx kv.Tx, now time.Time, hash string, n notice, do func(*stored, *factors) (R, error)) (R, error) {
	r, err := inSession(tx, now, hash, do)
	if err != nil {
		return r, err
	}
	return r, owe(tx, n)
}

// enrol gives a user a passkey. Codes are taken where the user has none.
type enrol struct {
	Answer  answer   `json:"answer"`
	Passkey Passkey  `json:"passkey"`
	Codes   []string `json:"codes"`
	Notice  notice   `json:"notice"`
}

func (enrol) Kind() string { return "access-enrol" }

// runEnrol reports whether the codes were taken. Who has signed in by mail alone gets a
// first passkey that way, and no second one: else a mail were as good as the passkey.
func runEnrol(tx kv.Tx, now time.Time, cmd enrol) (bool, error) {
	return changed(tx, now, cmd.Answer.Hash, cmd.Notice, func(s *stored, f *factors) (bool, error) {
		switch {
		case len(f.Passkeys) > 0 && s.FactorAt == nil:
			return false, fault.New(fault.Forbidden, "Show the passkey that you have first")
		case len(f.Passkeys) >= maxPasskeys:
			return false, fault.New(fault.Conflict, "There are %d passkeys, and no more can be kept", maxPasskeys)
		case f.find(cmd.Passkey.ID) >= 0:
			return false, fault.New(fault.Conflict, "This passkey is known already").In("id")
		}
		if err := s.spend(now, cmd.Answer); err != nil {
			return false, err
		}
		p := cmd.Passkey
		p.CreatedAt = now.UTC()
		f.Passkeys = append(f.Passkeys, p)
		first := len(f.Codes) == 0
		if first {
			f.Codes = cmd.Codes
		}
		s.show(now)
		return first, nil
	})
}

// confirm notes that a passkey was used.
type confirm struct {
	Answer     answer             `json:"answer"`
	Credential passkey.Credential `json:"credential"`
}

func (confirm) Kind() string { return "access-confirm" }

func runConfirm(tx kv.Tx, now time.Time, cmd confirm) (Session, error) {
	return inSession(tx, now, cmd.Answer.Hash, func(s *stored, f *factors) (Session, error) {
		i := f.find(cmd.Credential.ID)
		if i < 0 {
			return Session{}, noPasskey()
		}
		p := &f.Passkeys[i]
		if p.Uses != 0 && cmd.Credential.Uses <= p.Uses {
			return Session{}, fault.New(fault.Conflict, "The passkey was used meanwhile: use it again").In("authenticatorData")
		}
		if err := s.spend(now, cmd.Answer); err != nil {
			return Session{}, err
		}
		p.Uses, p.Synced, p.UsedAt = cmd.Credential.Uses, cmd.Credential.Synced, now.UTC()
		s.show(now)
		return s.Session, nil
	})
}

// recovery uses a recovery code up, in the place of a passkey.
type recovery struct {
	Hash   string `json:"hash"` // of the session
	Code   string `json:"code"` // its hash
	Notice notice `json:"notice"`
}

func (recovery) Kind() string { return "access-recover" }

func runRecover(tx kv.Tx, now time.Time, cmd recovery) (Session, error) {
	return changed(tx, now, cmd.Hash, cmd.Notice, func(s *stored, f *factors) (Session, error) {
		i := slices.IndexFunc(f.Codes, func(c string) bool { return same(c, cmd.Code) })
		if i < 0 {
			return Session{}, fault.New(fault.Invalid, "This is none of your recovery codes, or was used").In("code")
		}
		f.Codes = slices.Delete(f.Codes, i, i+1)
		s.show(now)
		return s.Session, nil
	})
}

// forgetPasskey takes a passkey from the session's user.
type forgetPasskey struct {
	Hash string        `json:"hash"`
	ID   passkey.Bytes `json:"id"`
	// Keep says that the last one stays.
	Keep   bool   `json:"keep"`
	Notice notice `json:"notice"`
}

func (forgetPasskey) Kind() string { return "access-forget-passkey" }

func runForgetPasskey(tx kv.Tx, now time.Time, cmd forgetPasskey) (none, error) {
	return changed(tx, now, cmd.Hash, cmd.Notice, func(s *stored, f *factors) (none, error) {
		i := f.find(cmd.ID)
		switch {
		case i < 0:
			return none{}, noPasskey()
		case s.FactorAt == nil:
			return none{}, fault.New(fault.Forbidden, "Show the passkey that you have first")
		case cmd.Keep && len(f.Passkeys) == 1:
			return none{}, fault.New(fault.Conflict, "This is your last passkey, and you need one: add another first").In("id")
		}
		if f.Passkeys = slices.Delete(f.Passkeys, i, i+1); len(f.Passkeys) == 0 {
			f.Codes = nil
		}
		return none{}, nil
	})
}

func noPasskey() error { return fault.New(fault.NotFound, "You have no such passkey").In("id") }

// newCodes replaces the recovery codes of the session's user.
type newCodes struct {
	Hash   string   `json:"hash"`
	Codes  []string `json:"codes"`
	Notice notice   `json:"notice"`
}

func (newCodes) Kind() string { return "access-codes" }

func runNewCodes(tx kv.Tx, now time.Time, cmd newCodes) (none, error) {
	return changed(tx, now, cmd.Hash, cmd.Notice, func(s *stored, f *factors) (none, error) {
		if len(f.Passkeys) == 0 || s.FactorAt == nil {
			return none{}, fault.New(fault.Conflict, "Recovery codes stand for a passkey: add or show one first")
		}
		f.Codes = cmd.Codes
		return none{}, nil
	})
}

// reset takes all passkeys and codes from a user, whose sessions end.
type reset struct {
	By     string `json:"by"`
	Email  string `json:"email"`
	Notice notice `json:"notice"`
}

func (reset) Kind() string { return "access-reset" }

func runReset(tx kv.Tx, now time.Time, cmd reset) (none, error) {
	if err := bySuperAdmin(tx, cmd.By); err != nil {
		return none{}, err
	}
	var err error
	if cmd.Email, err = storedEmail(tx, cmd.Email); err != nil {
		return none{}, err
	}
	if cmd.By == cmd.Email {
		return none{}, fault.New(fault.Conflict, "Use a recovery code, or have another super admin do it").In("email")
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
	if err := owe(tx, cmd.Notice); err != nil {
		return none{}, err
	}
	return none{}, tx.Delete(factorsPrefix + cmd.Email)
}

type factorsOf struct {
	Hash string `json:"hash"`
}

func (factorsOf) Kind() string { return "access-factors" }

func runFactorsOf(tx kv.Tx, now time.Time, cmd factorsOf) (factors, error) {
	s, ok, err := kv.Load[stored](tx, sessionPrefix+cmd.Hash)
	if err != nil {
		return factors{}, err
	}
	if !ok || !s.Active(now) {
		return factors{}, signedOut()
	}
	f, _, err := kv.Load[factors](tx, factorsPrefix+s.Email)
	return f, err
}
