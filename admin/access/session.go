package access

import (
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const sessionPrefix = "access/session/"

const (
	// SessionLife is how long a session lasts, whatever is done in it.
	SessionLife = 12 * time.Hour
	// IdleLife is how long it lasts while nothing is done.
	IdleLife = time.Hour
	// FreshLife is how long a sign-in is good for what takes a fresh one.
	FreshLife = 10 * time.Minute
	// HistoryLife is how long sessions that have ended are listed.
	HistoryLife = 30 * 24 * time.Hour
)

// Session is one browser of one user.
type Session struct {
	ID    string `json:"id"` // to speak of it; it opens nothing
	Email string `json:"email"`
	// Client says by what, in classes: never a whole user agent.
	Client Client `json:"client"`
	// Network is a keyed fingerprint of the network: the same for the same one, and nobody
	// gets the address out of it.
	Network     string    `json:"network"`
	CreatedAt   time.Time `json:"createdAt"`
	ConfirmedAt time.Time `json:"confirmedAt"` // when its user last showed who they are
	// FactorAt is when a second factor was shown in it; nil where none was.
	FactorAt *time.Time `json:"factorAt,omitempty"`
	EndsAt   time.Time  `json:"endsAt"` // at the latest
	// EndedAt is when it was ended before that, and EndedBy by whom: "" is the host.
	EndedAt *time.Time `json:"endedAt,omitempty"`
	EndedBy string     `json:"endedBy,omitempty"`
	// CSRF is what a page shows with each change, so that no other site can make one.
	CSRF string `json:"csrf,omitempty"`
}

// Active reports whether the session lasts at a time.
func (s Session) Active(now time.Time) bool { return s.EndedAt == nil && now.Before(s.EndsAt) }

// Fresh reports whether its user has shown lately who they are.
func (s Session) Fresh(now time.Time) bool { return now.Before(s.ConfirmedAt.Add(FreshLife)) }

// stored is a session with the hash of its secret.
type stored struct {
	Session
	Hash  string  `json:"hash"`
	Spent []spent `json:"spent,omitempty"`
}

type check struct {
	Hash string `json:"hash"`
}

func (check) Kind() string { return "access-check" }

type checked struct {
	User    User    `json:"user"`
	Session Session `json:"session"`
	// Passkeys is how many the user has.
	Passkeys int `json:"passkeys"`
}

func runCheck(tx kv.Tx, now time.Time, cmd check) (checked, error) {
	s, ok, err := kv.Load[stored](tx, sessionPrefix+cmd.Hash)
	if err != nil {
		return checked{}, err
	}
	if !ok || !s.Active(now) {
		return checked{}, signedOut()
	}
	u, known, err := kv.Load[User](tx, userPrefix+s.Email)
	if err != nil {
		return checked{}, err
	}
	if !known {
		return checked{}, signedOut()
	}
	f, _, err := kv.Load[factors](tx, factorsPrefix+s.Email)
	return checked{u, s.Session, len(f.Passkeys)}, err
}

func signedOut() error { return fault.New(fault.Unauthorized, "You are not signed in") }

// leave ends the session of a secret.
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
	return kv.Keep(tx, sessionPrefix+hash, s)
}

// revoke ends one session, or all of a user but the one that asks.
type revoke struct {
	By      string `json:"by"`
	Current string `json:"current"` // the ID of the session that asks
	ID      string `json:"id"`
	Email   string `json:"email"`
}

func (revoke) Kind() string { return "access-revoke" }

func runRevoke(tx kv.Tx, now time.Time, cmd revoke) ([]string, error) {
	if err := bySuperAdmin(tx, cmd.By); err != nil {
		return nil, err
	}
	if cmd.ID != "" && cmd.ID == cmd.Current {
		return nil, fault.New(fault.Conflict, "This is the session you are using: sign out instead").In("sessionId")
	}
	ended := []string{}
	err := sessions(tx, func(s stored) error {
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
	return sessions(tx, func(s stored) error {
		if s.Email != email {
			return nil
		}
		return endSession(tx, now, s.Hash, by)
	})
}

// sessions does something with each of them, however many there are.
func sessions(tx kv.Tx, do func(stored) error) error {
	for after := ""; ; {
		entries, err := tx.List(sessionPrefix, after, atOnce)
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
		if len(entries) < atOnce {
			return nil
		}
	}
}

type history struct{}

func (history) Kind() string { return "access-sessions" }

func runHistory(tx kv.Tx, now time.Time, _ history) ([]Session, error) {
	all := []Session{}
	err := sessions(tx, func(s stored) error {
		if now.Before(s.CreatedAt.Add(HistoryLife)) {
			s.CSRF = ""
			all = append(all, s.Session)
		}
		return nil
	})
	return all, err
}

// sweep drops what has ended among some records after a key, and returns where to go on: ""
// where there are no more.
type sweep struct {
	After string `json:"after"`
}

func (sweep) Kind() string { return "access-sweep" }

// atOnce is how many records are read at once, and how many one sweep looks at: whoever asks
// to sign in by a thousand addresses makes many, and no command takes long over them.
const atOnce = 500

func runSweep(tx kv.Tx, now time.Time, cmd sweep) (string, error) {
	entries, err := tx.List("access/", cmd.After, atOnce)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		ended, err := over(e, now)
		if err == nil && ended {
			err = tx.Delete(e.Key)
		}
		if err != nil {
			return "", err
		}
	}
	if len(entries) < atOnce {
		return "", nil
	}
	return entries[len(entries)-1].Key, nil
}

// over reports whether a record is of no more use.
func over(e kv.Entry, now time.Time) (bool, error) {
	switch {
	case strings.HasPrefix(e.Key, loginPrefix):
		l, err := kv.Decode[login](e.Key, e.Value)
		return !now.Before(l.EndsAt), err
	case strings.HasPrefix(e.Key, askedPrefix):
		a, err := kv.Decode[asked](e.Key, e.Value)
		return len(a.At) == 0 || now.Sub(a.At[len(a.At)-1]) >= 24*time.Hour, err
	case strings.HasPrefix(e.Key, sessionPrefix):
		s, err := kv.Decode[stored](e.Key, e.Value)
		return !now.Before(s.CreatedAt.Add(HistoryLife)), err
	}
	return false, nil
}
