package access

import (
	"crypto/subtle"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	loginPrefix = "access/login/"
	askedPrefix = "access/asked/"
)

// LoginLife is how long a mailed link and its code work: no longer than OWASP's ASVS 5.0
// allows, 6.5.5.
const LoginLife = 10 * time.Minute

// maxTries is how many codes can be typed for one mail.
const maxTries = 5

// quota is how many sign-in mails go out.
type quota struct{ lately, daily int } // in fifteen minutes, in a day

// The quotas of one address. Requests of another network take nothing from a network's quota,
// and a browser that has signed in before has a separate quota. With eight digits and five
// tries, a day of guessing with all of them finds a code in one of 100,000 days.
var (
	networkQuota = quota{5, 20}
	addressQuota = quota{50, 100} // of all networks together
)

const (
	latelyLife = 15 * time.Minute
	dailyLife  = 24 * time.Hour
)

// login is one way in that somebody has asked for.
type login struct {
	Email string `json:"email"`
	Link  string `json:"link"` // the hash of the link's token
	Code  string `json:"code"` // of the code with the browser's own secret
	// Known says that the mail went out. Otherwise nothing opens it: whoever asks more often
	// than mails are sent has no more codes to guess.
	Known   bool      `json:"known"`
	Tries   int       `json:"tries"`
	EndsAt  time.Time `json:"endsAt"`
	Unbound bool      `json:"unbound"` // made on the host, for whichever browser
}

// asked are the times at which mails to an address were asked for.
type asked struct {
	At []time.Time `json:"at"`
}

// start asks for a way in. Its key is the hash of the secret of the browser that asks, or of
// the link's token where it is for any browser.
type start struct {
	Key   string `json:"key"`
	Login login  `json:"login"`
	// Network is the fingerprint of the network that asks.
	Network string `json:"network,omitempty"`
	// Known is the ID of a browser that has signed in as this user before, "" for others.
	Known string `json:"known,omitempty"`
}

func (start) Kind() string { return "access-start" }

// started reports whether a mail goes out.
type started struct {
	Mail bool   `json:"mail"`
	Name string `json:"name"`
	// Retry is when the next mail may go out if the quota was used up.
	Retry time.Time `json:"retry,omitzero"`
}

// runStart does the same work for every address, known or not.
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
	return started{Mail: l.Known, Name: u.Name, Retry: retry}, kv.Keep(tx, loginPrefix+cmd.Key, l)
}

// countMail counts a mail to the address of the command. It returns when the next one may go
// out if a quota is used up, and the zero time if this one may.
func countMail(tx kv.Tx, now time.Time, cmd start) (time.Time, error) {
	email := cmd.Login.Email
	if cmd.Known != "" {
		return countQuotas(tx, now, counter{email + " by " + cmd.Known, networkQuota})
	}
	return countQuotas(tx, now, counter{email + " from " + cmd.Network, networkQuota}, counter{email, addressQuota})
}

// counter is what a quota is counted for.
type counter struct {
	name  string
	quota quota
}

// countQuotas counts one mail for all counters, or for none if one of them is used up.
func countQuotas(tx kv.Tx, now time.Time, counters ...counter) (retry time.Time, err error) {
	all := make([]asked, len(counters))
	for i, c := range counters {
		if all[i], _, err = kv.Load[asked](tx, askedPrefix+hash(c.name)); err != nil {
			return time.Time{}, err
		}
		all[i].drop(now)
		if next := all[i].next(now, c.quota); next.After(retry) {
			retry = next
		}
	}
	for i, c := range counters {
		if retry.IsZero() {
			all[i].At = append(all[i].At, now.UTC())
		}
		if err := kv.Keep(tx, askedPrefix+hash(c.name), all[i]); err != nil {
			return time.Time{}, err
		}
	}
	return retry, nil
}

// drop forgets the times that are older than a day.
func (a *asked) drop(now time.Time) {
	a.At = slices.DeleteFunc(a.At, func(at time.Time) bool { return now.Sub(at) >= dailyLife })
	if a.At == nil {
		a.At = []time.Time{}
	}
}

// next is when the quota has room again, the zero time if it has room now.
func (a *asked) next(now time.Time, q quota) time.Time {
	if n := len(a.At); n >= q.daily {
		return a.At[n-q.daily].Add(dailyLife)
	} else if n >= q.lately && now.Sub(a.At[n-q.lately]) < latelyLife {
		return a.At[n-q.lately].Add(latelyLife)
	}
	return time.Time{}
}

// enter exchanges a link or a code for a session.
type enter struct {
	Browser string  `json:"browser"` // the hash of the browser's secret, "" where it has none
	Link    string  `json:"link"`    // the hash of the link's token, or ""
	Code    string  `json:"code"`    // the hash of the code with the browser's secret, or ""
	Session Session `json:"session"`
	Hash    string  `json:"hash"` // of the session's secret
	// Former is the hash of the session that the browser had, which ends.
	Former string `json:"former"`
}

func (enter) Kind() string { return "access-enter" }

type entered struct {
	User    User    `json:"user"`
	Session Session `json:"session"`
	// Login is the key of the login that was used up.
	Login string `json:"login"`
	// Wrong says that it was not the right code: that is remembered, so it is no refusal.
	Wrong bool `json:"wrong"`
}

func runEnter(tx kv.Tx, now time.Time, cmd enter) (entered, error) {
	key, l, err := findLogin(tx, now, cmd)
	if err != nil {
		return entered{}, err
	}
	if !l.opens(cmd) {
		l.Tries++
		return entered{Wrong: true}, kv.Keep(tx, loginPrefix+key, l)
	}
	u, known, err := kv.Load[User](tx, userPrefix+l.Email)
	if err != nil {
		return entered{}, err
	}
	if !known {
		return entered{}, used()
	}
	if err := tx.Delete(loginPrefix + key); err != nil {
		return entered{}, err
	}
	if cmd.Former != "" {
		if err := endSession(tx, now, cmd.Former, u.Email); err != nil {
			return entered{}, err
		}
	}
	s := cmd.Session
	s.Email, s.CreatedAt, s.ConfirmedAt, s.EndsAt = u.Email, now.UTC(), now.UTC(), now.UTC().Add(SessionLife)
	return entered{User: u, Session: s, Login: key}, kv.Keep(tx, sessionPrefix+cmd.Hash, stored{Session: s, Hash: cmd.Hash})
}

// findLogin finds what this browser has asked for, or what was made for any browser.
func findLogin(tx kv.Tx, now time.Time, cmd enter) (string, login, error) {
	for _, key := range []string{cmd.Browser, cmd.Link} {
		if key == "" {
			continue
		}
		l, ok, err := kv.Load[login](tx, loginPrefix+key)
		if err != nil {
			return "", login{}, err
		}
		if ok && now.Before(l.EndsAt) && l.Tries < maxTries && (cmd.Link == "" || same(cmd.Link, l.Link)) {
			return key, l, nil
		}
	}
	return "", login{}, used()
}

func (l login) opens(cmd enter) bool {
	if cmd.Link != "" {
		return l.Known && same(cmd.Link, l.Link)
	}
	return l.Known && same(cmd.Code, l.Code)
}

func same(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

func used() error {
	return fault.New(fault.Unauthorized, "This way to sign in was used, is too old, or was asked for by another browser")
}
