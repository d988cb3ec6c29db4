package access_test

import (
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves AAU-11.
func TestSignIn_LinkWorksOnce(t *testing.T) {
	o := newFixtureWithUsers(t)
	link, code := o.proof(o.requestLink(ben))
	c, cookie := o.exchange(link)
	if c.User.Email != ben || !c.User.HasAccess("film") || c.User.HasAccess("game") {
		t.Errorf("signed in as %+v", c.User)
	}
	for _, again := range []access.Proof{link, code} {
		_, _, err := o.SignIn(ctx, again)
		o.wantCode(fault.Unauthorized, err)
	}
	got, err := o.Check(ctx, cookie)
	if err != nil || got.User.Email != ben || got.Session.CSRF != c.Session.CSRF {
		t.Errorf("the cookie belongs to %+v, %v", got, err)
	}
	link, code = o.proof(o.requestLink(ben))
	o.exchange(code)
	onHost, err := o.HostLink(ctx, ben)
	if err != nil {
		t.Fatal(err)
	}
	host := access.Proof{Link: linkIn.FindStringSubmatch(onHost)[1]}
	o.exchange(host)
	host.Browser = link.Browser
	for name, again := range map[string]access.Proof{"the code": code, "link after its code was used": link,
		"the host's link": host} {
		if _, _, err := o.SignIn(ctx, again); fault.CodeOf(err) != fault.Unauthorized {
			t.Errorf("%s created another session: %v", name, err)
		}
	}
}

// oldSave saves a user whose address is not normalized, as earlier versions did.
type oldSave struct {
	User access.User `json:"user"`
}

func (oldSave) Kind() string { return "access-save" }

func TestRequestLink_AddressStoredInUnicode(t *testing.T) {
	o := newFixtureWithUsers(t)
	const old, now = "zoe@übung.example", "zoe@xn--bung-zra.example"
	u := access.User{Email: old, Name: "Zoe", Role: access.CampaignUser, Campaigns: []string{"film"}}
	if _, err := kv.Send[access.User](ctx, o.Coordinator, o.Object, "old", oldSave{User: u}); err != nil {
		t.Fatal(err)
	}
	o.sendMails()
	for _, typed := range []string{"Zoe@Übung.example", now} {
		if c, _ := o.signIn(typed); c.User.Email != old {
			t.Errorf("%s is signed in as %+v", typed, c.User)
		}
	}
	if to := o.sent[len(o.sent)-1].To; to != now {
		t.Errorf("the mail goes to %s", to)
	}
	if err := o.ResetPasskeys(ctx, ada, now); err != nil {
		t.Error(err)
	}
	u.Email = now
	_, err := o.Save(ctx, ada, u)
	o.wantCode(fault.Conflict, err) // a user with this address exists
	if err := o.Remove(ctx, ada, now); err != nil {
		t.Error(err)
	}
	if all, err := o.Users(ctx); err != nil || len(all) != 2 {
		t.Errorf("%d users are left, %v", len(all), err)
	}
}

// Codes can be typed in any grouping.
func TestSignIn_Code(t *testing.T) {
	o := newFixtureWithUsers(t)
	_, code := o.proof(o.requestLink(ada))
	code.Code = strings.ReplaceAll(code.Code, " ", "-") + " "
	if c, _ := o.exchange(code); c.User.Email != ada {
		t.Errorf("signed in as %+v", c.User)
	}
}

// A link works only in the browser that requested it.
//
// Proves AAU-10.
func TestSignIn_LinkIsBoundToBrowser(t *testing.T) {
	o := newFixtureWithUsers(t)
	link, code := o.proof(o.requestLink(ada))
	other := o.requestLink(ben)
	o.sendMails()
	for name, p := range map[string]access.Proof{
		"no browser":                    {Link: link.Link},
		"another browser":               {Browser: other.Browser, Link: link.Link},
		"the code in another browser":   {Browser: other.Browser, Code: code.Code},
		"the code without browser":      {Code: code.Code},
		"nothing":                       {Browser: link.Browser},
		"the browser's secret as link":  {Browser: link.Browser, Link: link.Browser},
		"an invented browser and link":  {Browser: "x", Link: "y"},
		"the link as the browser's own": {Browser: link.Link, Link: link.Link},
	} {
		if _, _, err := o.SignIn(ctx, p); fault.CodeOf(err) != fault.Unauthorized {
			t.Errorf("%s: %v", name, err)
		}
	}
	o.exchange(link) // none of the attempts used it up
}

func TestSignIn_FiveTries(t *testing.T) {
	o := newFixtureWithUsers(t)
	link, code := o.proof(o.requestLink(ada))
	wrong := access.Proof{Browser: code.Browser, Code: "0000 0000"}
	if code.Code == wrong.Code {
		wrong.Code = "0000 0001"
	}
	for range 4 {
		_, _, err := o.SignIn(ctx, wrong)
		o.wantCode(fault.Unauthorized, err)
		o.wantField("code", err)
	}
	_, _, err := o.SignIn(ctx, wrong)
	o.wantField("code", err)
	for _, late := range []access.Proof{code, link} {
		_, _, err := o.SignIn(ctx, late)
		o.wantCode(fault.Unauthorized, err)
	}
}

func TestSignIn_FifthTryCanSucceed(t *testing.T) {
	o := newFixtureWithUsers(t)
	_, code := o.proof(o.requestLink(ada))
	for range 4 {
		_, _, err := o.SignIn(ctx, access.Proof{Browser: code.Browser, Code: "1"})
		o.wantCode(fault.Unauthorized, err)
	}
	o.exchange(code)
}

func TestSignIn_LinkAndCodeExpire(t *testing.T) {
	o := newFixtureWithUsers(t)
	link, code := o.proof(o.requestLink(ada))
	o.now = o.now.Add(10 * time.Minute)
	for _, late := range []access.Proof{code, link} {
		_, _, err := o.SignIn(ctx, late)
		o.wantCode(fault.Unauthorized, err)
	}
	link, _ = o.proof(o.requestLink(ada))
	o.now = o.now.Add(10*time.Minute - time.Second)
	o.exchange(link)
}

// For an unknown address, the response and the writes are the same as for a user's address, except
// for the mail.
func TestRequestLink_DoesNotRevealUsers(t *testing.T) {
	count := func(email string) (ops []string, asked access.LinkRequest, mails int) {
		o := newFixtureWithUsers(t)
		o.cut = func(op memkv.Op) error {
			if !op.After {
				ops = append(ops, fmt.Sprintf("%v %s", op.Kind, op.Command.Kind))
			}
			return nil
		}
		asked = o.requestLink(email)
		o.cut = nil
		return ops, asked, len(o.sendMails())
	}
	known, _, sent := count(ada)
	unknown, asked, none := count("eve@example.org")
	if diff := cmp.Diff(known, unknown); diff != "" || len(known) < 3 {
		t.Errorf("different effects for an unknown address: %s", diff)
	}
	if sent != 1 || none != 0 || asked.Browser == "" || asked.Link != "" {
		t.Errorf("%d and %d mails, unknown address got %+v", sent, none, asked)
	}
}

func TestSignIn_RequestedBeforeUserExisted(t *testing.T) {
	o := newFixtureWithUsers(t)
	asked := o.requestLink("eve@example.org")
	o.save(ada, access.User{Email: "eve@example.org", Name: "Eve", Role: access.SuperAdmin}) // a user after the request
	for _, p := range []access.Proof{{Browser: asked.Browser, Code: "0000 0000"},
		{Browser: asked.Browser, Link: asked.Browser}} {
		_, _, err := o.SignIn(ctx, p)
		o.wantCode(fault.Unauthorized, err)
	}
}

func TestRequestLink_Quota(t *testing.T) {
	o := newFixtureWithUsers(t)
	sent := func(times int, every time.Duration) (n int) {
		for range times {
			o.requestLink(ada)
			n += len(o.sendMails())
			o.now = o.now.Add(every)
		}
		return n
	}
	if n := sent(9, time.Minute); n != 5 {
		t.Errorf("%d mails in nine minutes", n)
	}
	o.now = o.now.Add(6 * time.Minute)
	if n := sent(100, 10*time.Minute); n != 15 {
		t.Errorf("%d more in the day", n)
	}
	o.now = o.now.Add(24 * time.Hour)
	if n := sent(1, 0); n != 1 {
		t.Errorf("%d on the next day", n)
	}
	if o.requestLink(ben); len(o.sendMails()) != 1 {
		t.Error("another address has no quota left")
	}
}

// askFrom requests a mail from a browser and returns how many are sent.
func (o *fixture) askFrom(email string, from access.Origin) (mails int, err error) {
	o.t.Helper()
	_, err = o.RequestLink(ctx, email, "es", from)
	return len(o.sendMails()), err
}

// Requests from other networks use up neither a network's quota nor a known browser's. All
// networks together have a quota per address.
func TestRequestLink_OtherRequestersQuota(t *testing.T) {
	o := newFixtureWithUsers(t)
	cookie, err := o.KnownBrowser(ben)
	if err != nil {
		t.Fatal(err)
	}
	others, err := o.KnownBrowser(ada)
	if err != nil {
		t.Fatal(err)
	}
	flood := func(network string, times int, every time.Duration) (n int) {
		for range times {
			sent, err := o.askFrom(ben, access.Origin{Network: network})
			if err != nil {
				t.Fatal(err)
			}
			n += sent
			o.now = o.now.Add(every)
		}
		return n
	}
	if n := flood("198.51.100.1", 60, 4*time.Minute); n != 20 {
		t.Errorf("%d mails are sent for one network", n)
	}
	if n, err := o.askFrom(ben, access.Origin{Network: "198.51.100.2"}); n != 1 || err != nil {
		t.Errorf("another network: %d mails, %v", n, err)
	}
	sent := 21
	for n := range 15 {
		sent += flood(fmt.Sprintf("2001:db8:%x::/64", n), 20, 3*time.Minute)
	}
	if sent != 100 {
		t.Errorf("%d mails to one address in a day", sent)
	}
	for name, from := range map[string]access.Origin{
		"nothing": {Network: "192.0.2.1"}, "no cookie of ours": {Network: "192.0.2.1", BrowserCookie: cookie + "x"},
		"another user's": {Network: "192.0.2.1", BrowserCookie: others},
	} {
		if n, err := o.askFrom(ben, from); n != 0 || err != nil {
			t.Errorf("with %s: %d mails, %v", name, n, err)
		}
	}
	known := access.Origin{Network: "198.51.100.1", BrowserCookie: cookie}
	for n := range 5 {
		if sent, err := o.askFrom(ben, known); sent != 1 || err != nil {
			t.Errorf("mail %d of a known browser: %d, %v", n+1, sent, err)
		}
	}
	var quota access.QuotaError
	if sent, err := o.askFrom(ben, known); sent != 0 || !errors.As(err, &quota) ||
		quota.Retry.Sub(o.now) != 15*time.Minute {
		t.Errorf("beyond the quota: %d mails, %v", sent, err)
	}
	o.now = o.now.Add(15 * time.Minute)
	if sent, err := o.askFrom(ben, known); sent != 1 || err != nil {
		t.Errorf("after the quota reset: %d mails, %v", sent, err)
	}
}

func TestKnownBrowser_Expires(t *testing.T) {
	o := newFixtureWithUsers(t)
	cookie, err := o.KnownBrowser(ben)
	if err != nil || strings.Contains(cookie, ben) {
		t.Fatalf("%s, %v", cookie, err)
	}
	for _, tc := range []struct {
		after time.Duration
		fails bool
	}{{access.KnownLife - time.Hour, true}, {2 * time.Hour, false}} {
		o.now = o.now.Add(tc.after)
		var err error
		for range 6 {
			_, err = o.askFrom(ben, access.Origin{Network: "192.0.2.4", BrowserCookie: cookie})
		}
		if (err != nil) != tc.fails {
			t.Errorf("the sixth request returned %v", err)
		}
	}
}

func TestHostLink(t *testing.T) {
	o := newFixtureWithUsers(t)
	_, err := o.HostLink(ctx, "nobody@example.org")
	o.wantCode(fault.NotFound, err)
	made, err := o.HostLink(ctx, ada)
	if err != nil || !strings.HasPrefix(made, "https://example.org/admin/#sign-in=") || len(o.sendMails()) != 0 {
		t.Fatalf("%s, %v", made, err)
	}
	token := linkIn.FindStringSubmatch(made)[1]
	_, _, err = o.SignIn(ctx, access.Proof{Browser: token, Code: "1"})
	o.wantCode(fault.Unauthorized, err)
	waits := o.requestLink(ben) // the browser is waiting for its own mail
	c, _ := o.exchange(access.Proof{Browser: waits.Browser, Link: token})
	if c.User.Email != ada {
		t.Errorf("signed in as %s", c.User.Email)
	}
	_, _, err = o.SignIn(ctx, access.Proof{Link: token})
	o.wantCode(fault.Unauthorized, err)
	made, _ = o.HostLink(ctx, ada)
	o.now = o.now.Add(access.LoginLife)
	_, _, err = o.SignIn(ctx, access.Proof{Link: linkIn.FindStringSubmatch(made)[1]})
	o.wantCode(fault.Unauthorized, err)
}

// Sweep deletes the logins of many requests for unknown addresses and ends no session.
func TestSweep_Flood(t *testing.T) {
	o := newFixtureWithUsers(t)
	_, cookie := o.signIn(ada)
	for n := range 1200 {
		o.requestLink(fmt.Sprintf("s%d@example.com", n))
	}
	o.now = o.now.Add(access.LoginLife)
	if err := o.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if left := strings.Count(o.dumpStore(), "access/login/"); left != 0 {
		t.Errorf("%d logins are left", left)
	}
	if _, err := o.Check(ctx, cookie); err != nil {
		t.Errorf("the session: %v", err)
	}
	o.now = o.now.Add(24 * time.Hour)
	if err := o.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if left := strings.Count(o.dumpStore(), "access/asked/"); left != 0 {
		t.Errorf("%d counts are left", left)
	}
}

// A sign-in that crashes at any point creates one session or none, never two.
func TestSignIn_Crash(t *testing.T) {
	crash := errors.New("simulated crash")
	for cut := 1; ; cut++ {
		o := newFixtureWithUsers(t)
		n, cutting := 0, false
		o.cut = func(memkv.Op) error {
			if !cutting {
				return nil
			}
			if n++; n == cut {
				return crash
			}
			return nil
		}
		link, _ := o.proof(o.requestLink(ada))
		cutting = true
		_, cookie, err := o.SignIn(ctx, link)
		cutting = false
		if n < cut {
			if cut < 4 {
				t.Fatalf("only %d effects", cut)
			}
			return
		}
		if err == nil {
			if _, err := o.Check(ctx, cookie); err != nil {
				t.Errorf("crash at effect %d: signed in, but %v", cut, err)
			}
		}
		_, _, again := o.SignIn(ctx, link)
		all, _ := o.Sessions(ctx)
		if len(all) != 1 || (again == nil) == (err == nil) && err == nil {
			t.Errorf("crash at effect %d: %d sessions, %v, then %v", cut, len(all), err, again)
		}
	}
}

// Requests beyond the mail quota yield no code to guess: even the right code is rejected.
func TestSignIn_CodeBeyondQuota(t *testing.T) {
	requestAfter := func(before int) (*fixture, access.LinkRequest) {
		o := newFixtureWithUsers(t)
		for range before {
			o.requestLink(ada)
		}
		o.sendMails()
		o.Rand = mathrand.NewChaCha8([32]byte{1})
		asked := o.requestLink(ada)
		return o, asked
	}
	o, asked := requestAfter(0)
	link, code := o.proof(asked)
	o.exchange(link)
	o, again := requestAfter(5)
	if len(o.sendMails()) != 0 || again.Browser != asked.Browser {
		t.Fatal("a sixth mail was sent, or its secrets differ")
	}
	for _, p := range []access.Proof{link, code} {
		_, _, err := o.SignIn(ctx, p)
		o.wantCode(fault.Unauthorized, err)
	}
}

// The sign-in mail is sent from the service's own address, and no configuration can add a
// header to it.
//
// Proves EML-05, EML-29, EML-30.
func TestRequestLink_Mail(t *testing.T) {
	o := newFixtureWithUsers(t)
	o.Links.Platform.Name = "Fer\r\nBcc: evil@example.org\x00\x7fry\u202e"
	o.Outbox.From = "Desk\r\nX-Evil: 1 <desk@example.org>"
	asked := o.requestLink(ada)
	mails := o.sendMails()
	if len(mails) != 1 || mails[0].Kind != notify.AdminSignIn || mails[0].To != ada {
		t.Fatalf("mails %+v", mails)
	}
	m := mails[0]
	if want := "Sign in to Fer Bcc: evil@example.orgry"; m.Subject != want ||
		m.From != "Desk X-Evil: 1 <desk@example.org>" {
		t.Errorf("%q from %q, want %q", m.Subject, m.From, want)
	}
	links := regexp.MustCompile(`https?://\S+`).FindAllString(m.Text, -1)
	if len(links) != 1 || links[0] != asked.Link || !strings.HasPrefix(links[0], "https://example.org/admin/#sign-in=") {
		t.Errorf("links %q", links)
	}
}
