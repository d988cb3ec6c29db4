package access

import (
	"context"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// cookieScope is the scope of session cookies.
const cookieScope = "admin-session"

// LinkRequest is the result of a sign-in request.
type LinkRequest struct {
	// Browser is a secret that the browser stores in a cookie. The link and the code work only with
	// it.
	Browser string
	// Link is the link in the mail, "" if none is sent. It is shown only to developers on
	// their own machine.
	Link string
}

// Origin identifies the browser that requests a sign-in.
type Origin struct {
	Network       string // an IP address, or the prefix of one customer
	BrowserCookie string // the cookie of KnownBrowser, "" for none
}

// RequestLink mails a link and a code to the address if it is a user's. The response and its timing
// do not reveal whether it is. A network that has used up its mail quota gets the same response,
// and no mail is sent. A browser that has signed in as the address before has a separate quota; if
// that is used up, RequestLink fails with a QuotaError. It fails with code Invalid if the address
// is not valid.
func (s *Service) RequestLink(ctx context.Context, email, lang string, from Origin) (LinkRequest, error) {
	email, err := pledge.ParseEmail(email)
	if err != nil {
		return LinkRequest{}, err
	}
	made, err := s.newSecrets(2)
	if err != nil {
		return LinkRequest{}, err
	}
	browser, link := made[0], made[1]
	code, err := s.newCode()
	if err != nil {
		return LinkRequest{}, err
	}
	l := login{Email: email, Link: hash(link), Code: hash(browser + code)}
	cmd := start{Key: hash(browser), Login: l, Network: s.networkFingerprint(from.Network),
		Known: s.knownBrowser(from.BrowserCookie, email)}
	st, err := kv.Send[started](ctx, s.Coordinator, s.Object, "access-start:"+hash(browser), cmd)
	if err != nil {
		return LinkRequest{}, err
	}
	if cmd.Known != "" && !st.Retry.IsZero() {
		return LinkRequest{}, QuotaError{Max: networkQuota.lately, Retry: st.Retry}
	}
	m, err := mailtext.SignInMail(mailtext.SignIn{
		To: email, Name: st.Name, Lang: lang, Link: s.signInURL(lang, link), Code: code[:4] + " " + code[4:],
		Identity: "sign-in:" + hash(browser), NotAfter: s.Now().Add(LoginLife),
	}, s.Links.Platform)
	if err != nil {
		return LinkRequest{}, err
	}
	writes, err := s.Outbox.Writes(ctx, m)
	if err != nil {
		return LinkRequest{}, err
	}
	asked := LinkRequest{Browser: browser}
	if asked.Link = s.signInURL(lang, link); !st.Mail {
		asked.Link, writes = "", s.decoyWrites(browser, writes)
	}
	copied, err := kv.Record(loginKey(hash(browser)), struct {
		Email string `json:"email"`
	}{email}, s.Now().Add(LoginLife))
	if err != nil {
		return LinkRequest{}, err
	}
	return asked, s.Store.Apply(ctx, append(writes, copied))
}

// decoyWrites returns writes of the same sizes as those of a mail, which expire with the login.
// Applying them keeps the timing the same whether or not a mail is sent.
func (s *Service) decoyWrites(browser string, writes []kv.Write) []kv.Write {
	out := make([]kv.Write, 0, len(writes))
	for i, w := range writes {
		out = append(out, kv.PutUntil(fmt.Sprintf("%s:%d", loginKey(hash(browser)), i), w.Value, s.Now().Add(LoginLife)))
	}
	return out
}

// HostLink returns a sign-in link for a user that works in any browser, once, for ten minutes. It
// is for the host's command line, for the first sign-in and when no mail can be sent. It fails with
// code NotFound if there is no such user.
func (s *Service) HostLink(ctx context.Context, email string) (string, error) {
	email, err := pledge.ParseEmail(email)
	if err != nil {
		return "", err
	}
	made, err := s.newSecrets(1)
	if err != nil {
		return "", err
	}
	key := hash(made[0])
	_, err = kv.Send[started](ctx, s.Coordinator, s.Object, "access-start:"+key,
		start{Key: key, Login: login{Email: email, Link: key, Unbound: true}})
	return s.signInURL("en", made[0]), err
}

// signInURL returns the URL of a link. The token is in the fragment, so that no server logs
// it.
func (s *Service) signInURL(lang, link string) string {
	return s.Links.Dashboard(lang) + "#sign-in=" + link
}

// Proof is the credential for a sign-in: the link's token, or the code in the mail. Link is used if
// both are set.
type Proof struct {
	Browser string // the secret that the browser keeps since the request; "" if it has none
	Link    string
	Code    string
	Former  string // the cookie of the browser's previous session, which ends
	// UserAgent and Network are those of the browser. A session stores only coarse classes of the
	// first and a keyed fingerprint of the second.
	UserAgent string
	Network   string // an IP address, or the prefix of one customer
}

// SignIn exchanges a link or a code for a session, once, and returns the session with the
// value of its cookie. It fails with code Unauthorized if the link or code is not valid.
func (s *Service) SignIn(ctx context.Context, p Proof) (Caller, string, error) {
	secret, session, err := s.newSession(p)
	if err != nil {
		return Caller{}, "", err
	}
	cmd := enter{Session: session, Hash: hash(secret), Former: s.cookieHash(p.Former)}
	if p.Browser != "" {
		cmd.Browser = hash(p.Browser)
	}
	switch {
	case p.Link != "":
		cmd.Link = hash(p.Link)
	case p.Browser != "" && p.Code != "":
		cmd.Code = hash(p.Browser + onlyDigits(p.Code))
	default:
		return Caller{}, "", invalidLogin()
	}
	e, err := kv.Send[entered](ctx, s.Coordinator, s.Object, "access-enter:"+cmd.Hash, cmd)
	if err != nil {
		return Caller{}, "", err
	}
	if e.Wrong {
		return Caller{}, "", fault.New(fault.Unauthorized, "Wrong code: enter the code from the latest email").In("code")
	}
	writes := []kv.Write{kv.Delete(loginKey(e.Login))}
	if cmd.Former != "" {
		writes = append(writes, kv.Delete(sessionKey(cmd.Former)))
	}
	return s.openSession(ctx, secret, writes...)
}

// newSession returns a new session for the proof's browser, and its secret. It does not store the
// session.
func (s *Service) newSession(p Proof) (secret string, _ Session, err error) {
	made, err := s.newSecrets(2)
	if err != nil {
		return "", Session{}, err
	}
	secret = made[0]
	return secret, Session{ID: hash("id:" + secret)[:16], Client: ClientOf(p.UserAgent),
		Network: s.networkFingerprint(p.Network), CSRF: made[1]}, nil
}

// openSession loads the session with the given secret and returns it with the value of its cookie.
// It also copies the session to the Store, together with other writes.
func (s *Service) openSession(ctx context.Context, secret string, writes ...kv.Write) (Caller, string, error) {
	key := hash(secret)
	c, err := s.loadCaller(ctx, key)
	if err != nil {
		return Caller{}, "", err
	}
	copied, err := kv.Record(sessionKey(key), newSessionCopy(c), c.Session.EndsAt)
	if err != nil {
		return Caller{}, "", err
	}
	s.logDeferred(ctx, s.Store.Apply(ctx, append(writes, copied)))
	cookie, err := s.signCookie(secret)
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

func newSessionCopy(c Caller) sessionCopy {
	return sessionCopy{c.User.Email, c.User.Role, c.User.Campaigns, c.Session.CSRF, c.Session.EndsAt}
}
