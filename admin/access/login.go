package access

import (
	"crypto/subtle"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	loginPrefix     = "access/login/"
	mailTimesPrefix = "access/asked/"
)

// LoginLife is how long a mailed link and its code work: the maximum that OWASP ASVS 5.0 allows
// (6.5.5).
const LoginLife = 10 * time.Minute

// maxTries is how many codes can be entered per mail.
const maxTries = 5

// quota limits the number of sign-in mails.
type quota struct{ lately, daily int } // per fifteen minutes, per day

// The quotas of one address. Requests from one network do not use up the quota of another, and a
// browser that has signed in before has a separate quota. Codes have eight digits, so guessing five
// times for each of a day's 100 mails finds a code with a probability of 1 in 200,000.
var (
	networkQuota = quota{5, 20}
	addressQuota = quota{50, 100} // all networks together
)

const (
	latelyLife = 15 * time.Minute
	dailyLife  = 24 * time.Hour
)

// login is a pending sign-in.
type login struct {
	Email string `json:"email"`
	Link  string `json:"link"` // hash of the link's token
	Code  string `json:"code"` // hash of the code with the browser's secret
	// Known is set if a mail was sent. Otherwise neither the link nor the code is accepted, so
	// requests beyond the mail quota yield no further codes to guess.
	Known   bool      `json:"known"`
	Tries   int       `json:"tries"`
	EndsAt  time.Time `json:"endsAt"`
	Unbound bool      `json:"unbound"` // made on the host, valid in any browser
}

// mailTimes records when mails were requested.
type mailTimes struct {
	At []time.Time `json:"at"`
}

// start creates a login. Key is the hash of the requesting browser's secret or, for an
// unbound login, of the link's token.
type start struct {
	Key   string `json:"key"`
	Login login  `json:"login"`
	// Network is the fingerprint of the requesting network.
	Network string `json:"network,omitempty"`
	// Known is the ID of a browser that has signed in as this user before, "" for others.
	Known string `json:"known,omitempty"`
}

func (start) Kind() string { return "access-start" }

// started is the result of start. Mail reports whether a mail is to be sent.
type started struct {
	Mail bool   `json:"mail"`
	Name string `json:"name"`
	// Retry is when the next mail may be sent if the quota is used up.
	Retry time.Time `json:"retry,omitzero"`
}

// runStart stores a login and counts the requested mail. For a browser's request it makes the
// same reads and writes for every address, so that the timing does not reveal whether it is a
// user's. An unbound login for an unknown address fails with code NotFound.
func runStart(tx kv.Tx, now time.Time, cmd start) (started, error) {
	l := cmd.Login
	var err error
	if l.Email, err = storedEmail(tx, l.Email); err != nil {
		return started{}, err
	}
	u, known, err := kv.Load[User](tx, userPrefix+l.Email)
	if err != nil {
		return started{}, err
	}
	if l.Unbound && !known {
		return started{}, fault.New(fault.NotFound, "There is no user with this address").In("email")
	}
	var retry time.Time
	if !l.Unbound {
		if retry, err = countMail(tx, now, cmd); err != nil {
			return started{}, err
		}
	}
	l.Known, l.EndsAt = known && retry.IsZero(), now.UTC().Add(LoginLife)
	return started{Mail: l.Known, Name: u.Name, Retry: retry}, kv.PutValue(tx, loginPrefix+cmd.Key, l)
}

// countMail counts a mail to the command's address and returns the zero time. If a quota is used
// up, it counts nothing and returns when the next mail may be sent.
func countMail(tx kv.Tx, now time.Time, cmd start) (time.Time, error) {
	email := cmd.Login.Email
	if cmd.Known != "" {
		return countQuotas(tx, now, counter{email + " by " + cmd.Known, networkQuota})
	}
	return countQuotas(tx, now, counter{email + " from " + cmd.Network, networkQuota}, counter{email, addressQuota})
}

// counter is a named count of sign-in mails with its quota.
type counter struct {
	name  string
	quota quota
}

// countQuotas counts one mail in all counters and returns the zero time. If the quota of any
// counter is used up, it counts nothing and returns when all of them have room again.
func countQuotas(tx kv.Tx, now time.Time, counters ...counter) (retry time.Time, err error) {
	all := make([]mailTimes, len(counters))
	for i, c := range counters {
		if all[i], _, err = kv.Load[mailTimes](tx, mailTimesPrefix+hash(c.name)); err != nil {
			return time.Time{}, err
		}
		all[i].dropOld(now)
		if next := all[i].next(now, c.quota); next.After(retry) {
			retry = next
		}
	}
	for i, c := range counters {
		if retry.IsZero() {
			all[i].At = append(all[i].At, now.UTC())
		}
		if err := kv.PutValue(tx, mailTimesPrefix+hash(c.name), all[i]); err != nil {
			return time.Time{}, err
		}
	}
	return retry, nil
}

// dropOld removes the times that are at least a day old.
func (a *mailTimes) dropOld(now time.Time) {
	a.At = slices.DeleteFunc(a.At, func(at time.Time) bool { return now.Sub(at) >= dailyLife })
	if a.At == nil {
		a.At = []time.Time{}
	}
}

// next returns when the quota has room again, or the zero time if it has room now.
func (a *mailTimes) next(now time.Time, q quota) time.Time {
	if n := len(a.At); n >= q.daily {
		return a.At[n-q.daily].Add(dailyLife)
	} else if n >= q.lately && now.Sub(a.At[n-q.lately]) < latelyLife {
		return a.At[n-q.lately].Add(latelyLife)
	}
	return time.Time{}
}

// enter exchanges a link or a code for a session.
type enter struct {
	Browser string  `json:"browser"` // hash of the browser's secret, "" if it has none
	Link    string  `json:"link"`    // hash of the link's token, or ""
	Code    string  `json:"code"`    // hash of the code with the browser's secret, or ""
	Session Session `json:"session"`
	Hash    string  `json:"hash"` // of the session's secret
	// Former is the hash of the browser's previous session, which ends.
	Former string `json:"former"`
}

func (enter) Kind() string { return "access-enter" }

type entered struct {
	User    User    `json:"user"`
	Session Session `json:"session"`
	// Login is the key of the used login.
	Login string `json:"login"`
	// Wrong reports a wrong code. It is a result, not an error, because an error would discard the
	// increased number of tries.
	Wrong bool `json:"wrong"`
}

func runEnter(tx kv.Tx, now time.Time, cmd enter) (entered, error) {
	key, l, err := findLogin(tx, now, cmd)
	if err != nil {
		return entered{}, err
	}
	if !l.accepts(cmd) {
		l.Tries++
		return entered{Wrong: true}, kv.PutValue(tx, loginPrefix+key, l)
	}
	u, known, err := kv.Load[User](tx, userPrefix+l.Email)
	if err != nil {
		return entered{}, err
	}
	if !known {
		return entered{}, invalidLogin()
	}
	if err := tx.Delete(loginPrefix + key); err != nil {
		return entered{}, err
	}
	if cmd.Former != "" {
		if err := endSession(tx, now, cmd.Former, u.Email); err != nil {
			return entered{}, err
		}
	}
	s, err := saveSession(tx, now, cmd.Session, cmd.Hash, u.Email)
	return entered{User: u, Session: s, Login: key}, err
}

// saveSession saves a new session of a user and returns it with its address and times set. key
// is the hash of the session's secret.
func saveSession(tx kv.Tx, now time.Time, s Session, key, email string) (Session, error) {
	s.Email, s.CreatedAt, s.ConfirmedAt, s.EndsAt = email, now.UTC(), now.UTC(), now.UTC().Add(SessionLife)
	return s, kv.PutValue(tx, sessionPrefix+key, stored{Session: s, Hash: key})
}

// findLogin returns a login and its key: the one that the command's browser requested or, for
// a link, the unbound login of the link. It fails with code Unauthorized if there is none that
// can still be used.
func findLogin(tx kv.Tx, now time.Time, cmd enter) (string, login, error) {
	for _, key := range []string{cmd.Browser, cmd.Link} {
		if key == "" {
			continue
		}
		l, ok, err := kv.Load[login](tx, loginPrefix+key)
		if err != nil {
			return "", login{}, err
		}
		if ok && now.Before(l.EndsAt) && l.Tries < maxTries && (cmd.Link == "" || equalHash(cmd.Link, l.Link)) {
			return key, l, nil
		}
	}
	return "", login{}, invalidLogin()
}

func (l login) accepts(cmd enter) bool {
	if cmd.Link != "" {
		return l.Known && equalHash(cmd.Link, l.Link)
	}
	return l.Known && equalHash(cmd.Code, l.Code)
}

func equalHash(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

func invalidLogin() error {
	return fault.New(fault.Unauthorized,
		"This link or code was already used, has expired, or was requested in another browser")
}
