package access

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const sessionPrefix = "access/session/"

const (
	// SessionLife is the maximum lifetime of a session.
	SessionLife = 12 * time.Hour
	// IdleLife is how long a session lasts without a request.
	IdleLife = time.Hour
	// FreshLife is how long after a sign-in or a passkey confirmation a session is fresh, as some
	// actions require.
	FreshLife = 10 * time.Minute
	// HistoryLife is how long after its creation a session is listed.
	HistoryLife = 30 * 24 * time.Hour
)

// Session is a user's sign-in in one browser.
type Session struct {
	ID    string `json:"id"` // identifies the session in the API; not a secret
	Email string `json:"email"`
	// Client holds coarse classes, never a whole user agent.
	Client Client `json:"client"`
	// Network is a keyed fingerprint: equal for equal networks, and it does not reveal the
	// address.
	Network     string    `json:"network"`
	CreatedAt   time.Time `json:"createdAt"`
	ConfirmedAt time.Time `json:"confirmedAt"` // when the user last proved their identity
	// FactorAt is when a second factor was verified in this session, or nil.
	FactorAt *time.Time `json:"factorAt,omitempty"`
	EndsAt   time.Time  `json:"endsAt"` // maximum lifetime
	// EndedAt is set if the session was ended before EndsAt. EndedBy is the address of the user who
	// ended it, "" for the host.
	EndedAt *time.Time `json:"endedAt,omitempty"`
	EndedBy string     `json:"endedBy,omitempty"`
	// CSRF is the token that pages send with each change, against cross-site request
	// forgery.
	CSRF string `json:"csrf,omitempty"`
}

// Active reports whether the session is valid at a time.
func (s Session) Active(now time.Time) bool { return s.EndedAt == nil && now.Before(s.EndsAt) }

// Fresh reports whether the user has proved their identity recently enough; see FreshLife.
func (s Session) Fresh(now time.Time) bool { return now.Before(s.ConfirmedAt.Add(FreshLife)) }

// stored is a session with the hash of its secret.
type stored struct {
	Session
	Hash  string          `json:"hash"`
	Spent []usedChallenge `json:"spent,omitempty"`
}

type check struct {
	Hash string `json:"hash"`
}

func (check) Kind() string { return "access-check" }

type checked struct {
	User    User    `json:"user"`
	Session Session `json:"session"`
	// Passkeys is the number of the user's passkeys.
	Passkeys int `json:"passkeys"`
}

func runCheck(tx kv.Tx, now time.Time, cmd check) (checked, error) {
	s, ok, err := kv.Load[stored](tx, sessionPrefix+cmd.Hash)
	if err != nil {
		return checked{}, err
	}
	if !ok || !s.Active(now) {
		return checked{}, notSignedIn()
	}
	u, known, err := kv.Load[User](tx, userPrefix+s.Email)
	if err != nil {
		return checked{}, err
	}
	if !known {
		return checked{}, notSignedIn()
	}
	f, _, err := kv.Load[factors](tx, factorsPrefix+s.Email)
	return checked{u, s.Session, len(f.Passkeys)}, err
}

func notSignedIn() error { return fault.New(fault.Unauthorized, "You are not signed in") }

// leave ends the session with the given hash.
type leave struct {
	Hash string `json:"hash"`
	By   string `json:"by"`
}

func (leave) Kind() string { return "access-leave" }

func runLeave(tx kv.Tx, now time.Time, cmd leave) (none, error) {
	return none{}, endSession(tx, now, cmd.Hash, cmd.By)
}

func endSession(tx kv.Tx, now time.Time, hash, by string) error {
	s, ok, err := kv.Load[stored](tx, sessionPrefix+hash)
	if err != nil || !ok || !s.Active(now) {
		return err
	}
	now = now.UTC()
	s.EndedAt, s.EndedBy, s.CSRF = &now, by, ""
	return kv.PutValue(tx, sessionPrefix+hash, s)
}

// revoke ends one session, or all sessions of a user except the current one.
type revoke struct {
	By      string `json:"by"`
	Current string `json:"current"` // the ID of the requesting session
	ID      string `json:"id"`
	Email   string `json:"email"`
}

func (revoke) Kind() string { return "access-revoke" }

func runRevoke(tx kv.Tx, now time.Time, cmd revoke) ([]string, error) {
	if err := requireSuperAdmin(tx, cmd.By); err != nil {
		return nil, err
	}
	if cmd.ID != "" && cmd.ID == cmd.Current {
		return nil, fault.New(fault.Conflict, "This is the session you are using: sign out instead").In("sessionId")
	}
	ended := []string{}
	err := eachSession(tx, func(s stored) error {
		if !s.Active(now) || s.ID == cmd.Current || s.ID != cmd.ID && s.Email != cmd.Email {
			return nil
		}
		ended = append(ended, s.Hash)
		return endSession(tx, now, s.Hash, cmd.By)
	})
	if err == nil && cmd.ID != "" && len(ended) == 0 {
		err = fault.New(fault.NotFound, "There is no such session").In("sessionId")
	}
	return ended, err
}

func endSessions(tx kv.Tx, now time.Time, email, by string) error {
	return eachSession(tx, func(s stored) error {
		if s.Email != email {
			return nil
		}
		return endSession(tx, now, s.Hash, by)
	})
}

// eachSession calls do for every session, in batches.
func eachSession(tx kv.Tx, do func(stored) error) error {
	for after := ""; ; {
		entries, err := tx.List(sessionPrefix, after, batchSize)
		if err != nil {
			return err
		}
		for _, e := range entries {
			s, err := kv.Decode[stored](e.Key, e.Value)
			if err != nil {
				return err
			}
			if err := do(s); err != nil {
				return err
			}
			after = e.Key
		}
		if len(entries) < batchSize {
			return nil
		}
	}
}

type history struct{}

func (history) Kind() string { return "access-sessions" }

func runHistory(tx kv.Tx, now time.Time, _ history) ([]Session, error) {
	all := []Session{}
	err := eachSession(tx, func(s stored) error {
		if now.Before(s.CreatedAt.Add(HistoryLife)) {
			s.CSRF = ""
			all = append(all, s.Session)
		}
		return nil
	})
	return all, err
}

// sweep deletes expired records in one batch of keys after After. It returns the last key
// of the batch, or "" after the last batch.
type sweep struct {
	After string `json:"after"`
}

func (sweep) Kind() string { return "access-sweep" }

// batchSize is how many records a command reads at once. A sweep works in batches because
// sign-in requests for thousands of addresses create many records.
const batchSize = 500

func runSweep(tx kv.Tx, now time.Time, cmd sweep) (string, error) {
	entries, err := tx.List("access/", cmd.After, batchSize)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		ended, err := expired(e, now)
		if err == nil && ended {
			err = tx.Delete(e.Key)
		}
		if err != nil {
			return "", err
		}
	}
	if len(entries) < batchSize {
		return "", nil
	}
	return entries[len(entries)-1].Key, nil
}

// expired reports whether a record can be deleted.
func expired(e kv.Entry, now time.Time) (bool, error) {
	switch {
	case strings.HasPrefix(e.Key, loginPrefix):
		l, err := kv.Decode[login](e.Key, e.Value)
		return !now.Before(l.EndsAt), err
	case strings.HasPrefix(e.Key, mailTimesPrefix):
		a, err := kv.Decode[mailTimes](e.Key, e.Value)
		return len(a.At) == 0 || now.Sub(a.At[len(a.At)-1]) >= 24*time.Hour, err
	case strings.HasPrefix(e.Key, sessionPrefix):
		s, err := kv.Decode[stored](e.Key, e.Value)
		return !now.Before(s.CreatedAt.Add(HistoryLife)), err
	}
	return false, nil
}
