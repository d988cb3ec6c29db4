package access

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// cookieScope is what the tokens in cookies are good for.
const cookieScope = "admin-session"

// Asked is what the browser gets that has asked to sign in.
type Asked struct {
	// Browser is a secret that it keeps in a cookie: what the mail brings works with it alone.
	Browser string
	// Link is what the mail says, and "" where none goes out. Nobody is shown it but
	// developers on their own machine.
	Link string
}

// Origin is the browser that asks to sign in.
type Origin struct {
	Network string // an address, or the part of it that one customer has
	Known   string // the cookie that KnownBrowser made for it; "" for none
}

// Ask mails a link and a code to the address, if it is a user's; nothing that a stranger could
// see or measure tells whether it is. A network that has used up its quota of mails gets the
// same answer without a mail. A browser that has signed in as the address before has a quota
// of its own; if it is used up, Ask fails with a QuotaError. It fails with code Invalid for
// what is not an address.
func (s *Service) Ask(ctx context.Context, email, lang string, from Origin) (Asked, error) {
	email, err := pledge.ParseEmail(email)
	if err != nil {
		return Asked{}, err
	}
	made, err := s.secrets(2)
	if err != nil {
		return Asked{}, err
	}
	browser, link := made[0], made[1]
	code, err := s.code()
	if err != nil {
		return Asked{}, err
	}
	l := login{Email: email, Link: hash(link), Code: hash(browser + code)}
	cmd := start{Key: hash(browser), Login: l, Network: s.network(from.Network), Known: s.knownBrowser(from.Known, email)}
	st, err := kv.Send[started](ctx, s.Coordinator, s.Object, "access-start:"+hash(browser), cmd)
	if err != nil {
		return Asked{}, err
	}
	if cmd.Known != "" && !st.Retry.IsZero() {
		return Asked{}, QuotaError{Max: networkQuota.lately, Retry: st.Retry}
	}
	m, err := notify.SignInOf(notify.SignIn{
		To: email, Name: st.Name, Lang: lang, Link: s.page(lang, link), Code: code[:4] + " " + code[4:],
		Identity: "sign-in:" + hash(browser), NotAfter: s.Now().Add(LoginLife),
	}, s.Links.Platform)
	if err != nil {
		return Asked{}, err
	}
	writes, err := s.Outbox.Writes(ctx, m)
	if err != nil {
		return Asked{}, err
	}
	asked := Asked{Browser: browser}
	if asked.Link = s.page(lang, link); !st.Mail {
		asked.Link, writes = "", s.decoys(browser, writes)
	}
	copied, err := kv.Record(loginKey(hash(browser)), struct {
		Email string `json:"email"`
	}{email}, s.Now().Add(LoginLife))
	if err != nil {
		return Asked{}, err
	}
	return asked, s.Store.Apply(ctx, append(writes, copied))
}

// decoys are as much to write as a mail, and go away soon.
func (s *Service) decoys(browser string, writes []kv.Write) []kv.Write {
	out := make([]kv.Write, 0, len(writes))
	for i, w := range writes {
		out = append(out, kv.PutUntil(fmt.Sprintf("%s:%d", loginKey(hash(browser)), i), w.Value, s.Now().Add(LoginLife)))
	}
	return out
}

// HostLink returns a link for a user that works in any browser, once, for ten minutes. It is
// for whoever may use the host's command line: on the first day, and where no mail goes out.
func (s *Service) HostLink(ctx context.Context, email string) (string, error) {
	email, err := pledge.ParseEmail(email)
	if err != nil {
		return "", err
	}
	made, err := s.secrets(1)
	if err != nil {
		return "", err
	}
	key := hash(made[0])
	_, err = kv.Send[started](ctx, s.Coordinator, s.Object, "access-start:"+key, start{Key: key, Login: login{Email: email, Link: key, Unbound: true}})
	return s.page("en", made[0]), err
}

// page is where a link leads: the token stands behind the #, so that no server's log has it.
func (s *Service) page(lang, link string) string { return s.Links.Dashboard(lang) + "#sign-in=" + link }

// Proof is what somebody signs in with: the link's token, or the code that the mail has.
type Proof struct {
	Browser string // what the browser keeps since it asked; "" where it has not
	Link    string
	Code    string
	Former  string // the cookie of the session that the browser has, which ends
	// UserAgent and Network are the browser's. Neither is kept.
	UserAgent string
	Network   string // an address, or the part of it that one customer has
}

// SignIn exchanges a link or a code for a session, once, and returns the session with the
// value of its cookie. It fails with code Unauthorized for what opens nothing.
func (s *Service) SignIn(ctx context.Context, p Proof) (Caller, string, error) {
	made, err := s.secrets(2)
	if err != nil {
		return Caller{}, "", err
	}
	secret, csrf := made[0], made[1]
	cmd := enter{
		Session: Session{ID: hash("id:" + secret)[:16], Client: ClientOf(p.UserAgent), Network: s.network(p.Network), CSRF: csrf},
		Hash:    hash(secret), Former: s.secretOf(p.Former),
	}
	if p.Browser != "" {
		cmd.Browser = hash(p.Browser)
	}
	switch {
	case p.Link != "":
		cmd.Link = hash(p.Link)
	case p.Browser != "" && p.Code != "":
		cmd.Code = hash(p.Browser + digits(p.Code))
	default:
		return Caller{}, "", used()
	}
	e, err := kv.Send[entered](ctx, s.Coordinator, s.Object, "access-enter:"+cmd.Hash, cmd)
	if err != nil {
		return Caller{}, "", err
	}
	if e.Wrong {
		return Caller{}, "", fault.New(fault.Unauthorized, "The code is not the one in the mail").In("code")
	}
	c, err := s.caller(ctx, cmd.Hash)
	if err != nil {
		return Caller{}, "", err
	}
	writes := []kv.Write{kv.Delete(loginKey(e.Login))}
	if cmd.Former != "" {
		writes = append(writes, kv.Delete(sessionKey(cmd.Former)))
	}
	copied, err := kv.Record(sessionKey(cmd.Hash), copyOf(c), e.Session.EndsAt)
	if err != nil {
		return Caller{}, "", err
	}
	s.soon(ctx, s.Store.Apply(ctx, append(writes, copied)))
	cookie, err := s.cookie(secret)
	return c, cookie, err
}

// sessionCopy is the Store's copy of a session.
type sessionCopy struct {
	Email     string    `json:"email"`
	Role      Role      `json:"role"`
	Campaigns []string  `json:"campaigns"`
	CSRF      string    `json:"csrfToken"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func copyOf(c Caller) sessionCopy {
	return sessionCopy{c.User.Email, c.User.Role, c.User.Campaigns, c.Session.CSRF, c.Session.EndsAt}
}
