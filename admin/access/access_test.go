package access_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

var ctx = context.Background()

const (
	ada = "ada@example.org" // a super admin
	ben = "ben@example.org" // a campaign user
)

// office is the people of a platform in memory, under a clock.
type office struct {
	*access.Service
	t    *testing.T
	db   *memkv.DB
	now  time.Time
	said bytes.Buffer
	sent []notify.Mail
	cut  func(memkv.Op) error
}

type sender struct{ *office }

func (s sender) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	s.sent = append(s.sent, m)
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: "1"}, nil
}

func newOffice(t *testing.T) *office {
	o := &office{t: t, now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	class := kv.NewClass("office")
	access.Register(class)
	clock := func() time.Time { return o.now }
	o.db = memkv.New(memkv.Options{Now: clock, Classes: []*kv.Class{class}, Fail: func(op memkv.Op) error {
		if o.cut == nil {
			return nil
		}
		return o.cut(op)
	}})
	signer := token.Signer{Secret: []byte("0123456789abcdef0123456789abcdef")}
	store := o.db.Store("")
	o.Service = &access.Service{
		Store: store, Coordinator: o.db.Coordinator(), Object: kv.Object{Class: "office", Name: "*access"},
		Outbox: &notify.Outbox{Store: store, Sender: sender{o}, Now: clock, From: "desk@example.org"},
		Links:  notify.Links{SiteBase: "https://example.org/", Signer: signer, Platform: notify.Platform{Name: "Ferry"}},
		Signer: signer, Key: []byte("a key"), Now: clock, Rand: rand.Reader, Log: slog.New(slog.NewTextHandler(&o.said, nil)),
	}
	return o
}

// staffed has a super admin and a campaign user, whom nobody has mailed anything since.
func staffed(t *testing.T) *office {
	o := newOffice(t)
	o.save("", access.User{Email: ada, Name: "Ada", Role: access.SuperAdmin})
	o.save(ada, access.User{Email: ben, Name: "Ben", Role: access.CampaignUser, Campaigns: []string{"film"}})
	o.mails()
	return o
}

func (o *office) save(by string, u access.User) access.User {
	o.t.Helper()
	saved, err := o.Save(ctx, by, u)
	if err != nil {
		o.t.Fatal(err)
	}
	return saved
}

// mails sends what waits, and returns it.
func (o *office) mails() []notify.Mail {
	o.t.Helper()
	o.sent = nil
	if _, err := o.Outbox.Drain(ctx, kv.MaxPage); err != nil {
		o.t.Fatal(err)
	}
	return o.sent
}

func (o *office) ask(email string) access.Asked {
	o.t.Helper()
	asked, err := o.Ask(ctx, email, "en")
	if err != nil {
		o.t.Fatal(err)
	}
	return asked
}

var (
	linkIn = regexp.MustCompile(`#sign-in=([\w-]+)`)
	codeIn = regexp.MustCompile(`\b\d{4} \d{4}\b`)
)

// proof is what the one mail that waits brings to the browser that asked.
func (o *office) proof(asked access.Asked) (link, code access.Proof) {
	o.t.Helper()
	mails := o.mails()
	if len(mails) != 1 {
		o.t.Fatalf("%d mails", len(mails))
	}
	link = access.Proof{Browser: asked.Browser, Link: linkIn.FindStringSubmatch(mails[0].Text)[1]}
	return link, access.Proof{Browser: asked.Browser, Code: codeIn.FindString(mails[0].Text)}
}

// enter signs somebody in.
func (o *office) enter(email string) (access.Caller, string) {
	o.t.Helper()
	link, _ := o.proof(o.ask(email))
	return o.exchange(link)
}

func (o *office) exchange(p access.Proof) (access.Caller, string) {
	o.t.Helper()
	c, cookie, err := o.SignIn(ctx, p)
	if err != nil {
		o.t.Fatal(err)
	}
	return c, cookie
}

func (o *office) wantCode(want fault.Code, err error) {
	o.t.Helper()
	if fault.CodeOf(err) != want {
		o.t.Errorf("got %v, want a fault with code %q", err, want)
	}
}

func (o *office) wantField(field string, err error) {
	o.t.Helper()
	if f := fault.Of(err); f == nil || f.Field != field {
		o.t.Errorf("got %v, want a fault of %s", err, field)
	}
}

// stored is all that is stored anywhere.
func (o *office) stored() string {
	var b strings.Builder
	snap := o.db.Snapshot()
	for _, entries := range snap.Objects {
		for _, e := range entries {
			fmt.Fprintf(&b, "%s=%s\n", e.Key, e.Value)
		}
	}
	for _, entries := range snap.Stores {
		for _, e := range entries {
			fmt.Fprintf(&b, "%s=%s\n", e.Key, e.Value)
		}
	}
	return b.String()
}

// Proves AAU-11.
func TestALinkOpensOneSession(t *testing.T) {
	o := staffed(t)
	link, code := o.proof(o.ask(ben))
	c, cookie := o.exchange(link)
	if c.User.Email != ben || !c.User.Sees("film") || c.User.Sees("game") {
		t.Errorf("signed in as %+v", c.User)
	}
	for _, again := range []access.Proof{link, code} {
		_, _, err := o.SignIn(ctx, again)
		o.wantCode(fault.Unauthorized, err)
	}
	got, err := o.Check(ctx, cookie)
	if err != nil || got.User.Email != ben || got.Session.CSRF != c.Session.CSRF {
		t.Errorf("the cookie is of %+v, %v", got, err)
	}
}

// A code is typed by people, in whatever groups.
func TestACodeOpensTheSameDoor(t *testing.T) {
	o := staffed(t)
	_, code := o.proof(o.ask(ada))
	code.Code = strings.ReplaceAll(code.Code, " ", "-") + " "
	if c, _ := o.exchange(code); c.User.Email != ada {
		t.Errorf("signed in as %+v", c.User)
	}
}

// A link that somebody else opens, or has asked for, lets nobody in.
func TestALinkIsBoundToItsBrowser(t *testing.T) {
	o := staffed(t)
	link, code := o.proof(o.ask(ada))
	other := o.ask(ben)
	o.mails()
	for name, p := range map[string]access.Proof{
		"no browser":                    {Link: link.Link},
		"another browser":               {Browser: other.Browser, Link: link.Link},
		"the code elsewhere":            {Browser: other.Browser, Code: code.Code},
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
	o.exchange(link) // which nothing of this has used up
}

func TestCodesAreTriedFiveTimes(t *testing.T) {
	o := staffed(t)
	link, code := o.proof(o.ask(ada))
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

func TestTheFifthCodeMayBeRight(t *testing.T) {
	o := staffed(t)
	_, code := o.proof(o.ask(ada))
	for range 4 {
		_, _, err := o.SignIn(ctx, access.Proof{Browser: code.Browser, Code: "1"})
		o.wantCode(fault.Unauthorized, err)
	}
	o.exchange(code)
}

func TestLinksAndCodesGrowOldInTenMinutes(t *testing.T) {
	o := staffed(t)
	link, code := o.proof(o.ask(ada))
	o.now = o.now.Add(10 * time.Minute)
	for _, late := range []access.Proof{code, link} {
		_, _, err := o.SignIn(ctx, late)
		o.wantCode(fault.Unauthorized, err)
	}
	link, _ = o.proof(o.ask(ada))
	o.now = o.now.Add(10*time.Minute - time.Second)
	o.exchange(link)
}

// What an address gets, and what is written for it, is the same for a stranger's: but the
// mail.
func TestNobodyLearnsWhoIsAUser(t *testing.T) {
	count := func(email string) (ops []string, asked access.Asked, mails int) {
		o := staffed(t)
		o.cut = func(op memkv.Op) error {
			if !op.After {
				ops = append(ops, fmt.Sprintf("%v %s", op.Kind, op.Command.Kind))
			}
			return nil
		}
		asked = o.ask(email)
		o.cut = nil
		return ops, asked, len(o.mails())
	}
	known, _, sent := count(ada)
	unknown, asked, none := count("eve@example.org")
	if diff := cmp.Diff(known, unknown); diff != "" || len(known) < 3 {
		t.Errorf("other effects for a stranger: %s", diff)
	}
	if sent != 1 || none != 0 || asked.Browser == "" || asked.Link != "" {
		t.Errorf("%d and %d mails, and a stranger got %+v", sent, none, asked)
	}
}

func TestAStrangersLinkIsNone(t *testing.T) {
	o := staffed(t)
	asked := o.ask("eve@example.org")
	o.save(ada, access.User{Email: "eve@example.org", Name: "Eve", Role: access.SuperAdmin}) // by now she is known
	for _, p := range []access.Proof{{Browser: asked.Browser, Code: "0000 0000"}, {Browser: asked.Browser, Link: asked.Browser}} {
		_, _, err := o.SignIn(ctx, p)
		o.wantCode(fault.Unauthorized, err)
	}
}

func TestAnAddressGetsFewMails(t *testing.T) {
	o := staffed(t)
	sent := func(times int, every time.Duration) (n int) {
		for range times {
			o.ask(ada)
			n += len(o.mails())
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
	if o.ask(ben); len(o.mails()) != 1 {
		t.Error("another address pays for it")
	}
}

func TestSessionsEnd(t *testing.T) {
	o := staffed(t)
	_, cookie := o.enter(ada)
	lasts := func(cookie string) bool {
		_, err := o.Check(ctx, cookie)
		if err != nil {
			o.wantCode(fault.Unauthorized, err)
		}
		return err == nil
	}
	began := o.now
	o.now = began.Add(access.IdleLife - time.Second)
	if !lasts(cookie) {
		t.Fatal("the session is over early")
	}
	c, _ := o.Check(ctx, cookie)
	o.now = began.Add(access.IdleLife)
	if lasts(cookie) {
		t.Error("an idle session goes on")
	}
	if c.Cookie == "" || !lasts(c.Cookie) {
		t.Fatal("a used session ends")
	}
}

// However much it is used, a session ends after twelve hours.
func TestASessionIsNotForever(t *testing.T) {
	o := staffed(t)
	_, cookie := o.enter(ada)
	began, renewed := o.now, 0
	for o.now.Before(began.Add(2 * access.SessionLife)) {
		c, err := o.Check(ctx, cookie)
		if err != nil {
			o.wantCode(fault.Unauthorized, err)
			break
		}
		if c.Cookie != "" {
			cookie = c.Cookie
			renewed++
		}
		o.now = o.now.Add(7 * time.Minute)
	}
	if lasted := o.now.Sub(began); lasted < access.SessionLife || lasted >= access.SessionLife+7*time.Minute {
		t.Errorf("the session lasted %s", lasted)
	}
	if renewed < 12 || renewed > 30 {
		t.Errorf("its cookie was renewed %d times", renewed)
	}
}

func TestCookiesThatAreNone(t *testing.T) {
	o := staffed(t)
	_, cookie := o.enter(ada)
	mine, _ := (token.Signer{Secret: []byte("another secret of thirty-two byte")}).Sign(token.Claims{Scope: "admin-session", Topic: "x", Expires: o.now.Add(time.Hour)})
	manage, _ := o.Signer.Sign(token.Claims{Scope: token.Manage, Topic: "x", Expires: o.now.Add(time.Hour)})
	unknown, _ := o.Signer.Sign(token.Claims{Scope: "admin-session", Topic: "x", Expires: o.now.Add(time.Hour)})
	for _, c := range []string{"", "x", cookie + "x", cookie[:len(cookie)-1], mine, manage, unknown} {
		if _, err := o.Check(ctx, c); fault.CodeOf(err) != fault.Unauthorized {
			t.Errorf("%q: %v", c, err)
		}
	}
}

// Proves USR-07: and whoever is deleted or demoted is out at once.
func TestWhoIsDeletedOrDemotedIsOut(t *testing.T) {
	for name, change := range map[string]func(o *office, eve access.User) error{
		"deleted": func(o *office, eve access.User) error { return o.Remove(ctx, ada, eve.Email) },
		"demoted": func(o *office, eve access.User) error {
			eve.Role, eve.Campaigns, eve.Permissions = access.CampaignUser, []string{"film"}, nil
			_, err := o.Save(ctx, ada, eve)
			return err
		},
		"deleted and made again": func(o *office, eve access.User) error {
			if err := o.Remove(ctx, ada, eve.Email); err != nil {
				return err
			}
			_, err := o.Save(ctx, ada, access.User{Email: eve.Email, Name: "Eve", Role: access.SuperAdmin})
			return err
		},
	} {
		o := staffed(t)
		eve := o.save(ada, access.User{Email: "eve@example.org", Name: "Eve", Role: access.SuperAdmin})
		o.mails()
		_, theirs := o.enter(ada)
		_, cookie := o.enter(eve.Email)
		link, _ := o.proof(o.ask(eve.Email))
		if err := change(o, eve); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := o.Check(ctx, cookie); fault.CodeOf(err) != fault.Unauthorized {
			t.Errorf("%s, and still signed in: %v", name, err)
		}
		if _, err := o.Check(ctx, theirs); err != nil {
			t.Errorf("%s, and somebody else is out: %v", name, err)
		}
		if name == "deleted" {
			_, _, err := o.SignIn(ctx, link)
			o.wantCode(fault.Unauthorized, err)
		}
	}
}

// Other changes of a user hold from the next request on, in the session that is there.
func TestPermissionsHoldAtOnce(t *testing.T) {
	o := staffed(t)
	c, cookie := o.enter(ben)
	u := c.User
	u.Campaigns, u.Permissions = []string{"game"}, []access.Permission{access.Fulfilment}
	o.save(ada, u)
	got, err := o.Check(ctx, cookie)
	if err != nil || got.User.Sees("film") || !got.User.Sees("game") || got.User.Has(access.Money) || !got.User.Has(access.Fulfilment) {
		t.Errorf("the session is of %+v, %v", got.User, err)
	}
}

// Proves AAU-29, USR-01, USR-08.
func TestUsersAreChecked(t *testing.T) {
	o := staffed(t)
	good := access.User{Email: "eve@example.org", Name: "Eve", Role: access.CampaignUser, Campaigns: []string{"film"}}
	for field, change := range map[string]func(*access.User){
		"email":       func(u *access.User) { u.Email = "eve" },
		"name":        func(u *access.User) { u.Name = " " },
		"role":        func(u *access.User) { u.Role = "owner" },
		"campaigns":   func(u *access.User) { u.Campaigns = nil },
		"permissions": func(u *access.User) { u.Permissions = []access.Permission{"platform"} },
	} {
		u := good
		change(&u)
		_, err := o.Save(ctx, ada, u)
		o.wantCode(fault.Invalid, err)
		o.wantField(field, err)
	}
	none := good
	none.Permissions = []access.Permission{}
	_, err := o.Save(ctx, ada, none)
	o.wantField("permissions", err)
	long := good
	long.Name = strings.Repeat("x", 101)
	_, err = o.Save(ctx, ada, long)
	o.wantField("name", err)
	saved := o.save(ada, good)
	if diff := cmp.Diff(slices.Sorted(slices.Values(access.Permissions)), saved.Permissions); diff != "" {
		t.Errorf("a campaign user of whom nothing is said: %s", diff)
	}
	saved.Role = access.SuperAdmin
	if saved = o.save(ada, saved); len(saved.Campaigns)+len(saved.Permissions) != 0 {
		t.Errorf("a super admin has %v and %v", saved.Campaigns, saved.Permissions)
	}
}

// Proves USR-05, USR-06.
func TestNobodyIsLockedOut(t *testing.T) {
	o := staffed(t)
	self := o.save("", access.User{Email: "cy@example.org", Name: "Cy", Role: access.SuperAdmin})
	self.Role, self.Campaigns, self.Permissions = access.CampaignUser, []string{"film"}, nil
	_, err := o.Save(ctx, self.Email, self)
	o.wantCode(fault.Conflict, err)
	o.wantCode(fault.Conflict, o.Remove(ctx, self.Email, self.Email))
	for _, by := range []string{ben, "nobody@example.org"} {
		o.wantCode(fault.Forbidden, o.Remove(ctx, by, self.Email))
		_, err := o.Save(ctx, by, access.User{Email: "x@example.org", Name: "X", Role: access.SuperAdmin})
		o.wantCode(fault.Forbidden, err)
		_, err = o.Revoke(ctx, by, "", "", ada)
		o.wantCode(fault.Forbidden, err)
	}
	if err := o.Remove(ctx, ada, self.Email); err != nil {
		t.Fatal(err)
	}
	o.wantCode(fault.Conflict, o.Remove(ctx, "", ada)) // by the host: she is the last
	if err := o.Remove(ctx, self.Email, ada); fault.CodeOf(err) != fault.Forbidden {
		t.Errorf("who is deleted deletes: %v", err)
	}
	o.wantCode(fault.NotFound, o.Remove(ctx, ada, "nobody@example.org"))
}

func TestTwoEditorsLoseNothing(t *testing.T) {
	o := staffed(t)
	users, err := o.Users(ctx)
	if err != nil || len(users) != 2 {
		t.Fatalf("%v, %v", users, err)
	}
	mine, theirs := users[1], users[1]
	mine.Name, theirs.Campaigns = "Benjamin", []string{"film", "game"}
	o.save(ada, mine)
	_, err = o.Save(ctx, ada, theirs)
	o.wantCode(fault.Conflict, err)
	o.wantField("revision", err)
	_, err = o.Save(ctx, ada, access.User{Email: ben, Name: "Ben", Role: access.SuperAdmin})
	o.wantCode(fault.Conflict, err)
	o.wantField("email", err)
	_, err = o.Save(ctx, ada, access.User{Email: "x@example.org", Name: "X", Role: access.SuperAdmin, Revision: 3})
	o.wantCode(fault.NotFound, err)
	users, _ = o.Users(ctx)
	if got := users[1]; got.Name != "Benjamin" || len(got.Campaigns) != 1 || got.Revision != 2 || got.CreatedAt != mine.CreatedAt {
		t.Errorf("the user is %+v", got)
	}
}

// Proves USR-10, USR-11.
func TestNewUsersAreToldOnce(t *testing.T) {
	o := newOffice(t)
	u := o.save("", access.User{Email: ada, Name: "Ada", Role: access.SuperAdmin, Invited: true})
	mails := o.mails()
	if len(mails) != 1 || mails[0].To != ada || !strings.Contains(mails[0].Text, "https://example.org/admin/") || !strings.Contains(mails[0].Text, "Hello Ada") {
		t.Fatalf("mails %+v", mails)
	}
	u.Name, u.Revision = "Ada L.", 1
	o.save("", u)
	if err := o.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if mails := o.mails(); len(mails) != 0 {
		t.Errorf("an edit is mailed: %+v", mails)
	}
	o.now = o.now.AddDate(2, 0, 0) // when nobody knows of the mail any more
	if err := o.Sweep(ctx); err != nil || len(o.mails()) != 0 {
		t.Errorf("old users are mailed again, %v", err)
	}
	u.Revision = 2
	if o.save("", u); len(o.mails()) != 0 {
		t.Error("a late edit is mailed")
	}
}

// A crash between any two effects leaves a user who is there, told and listed, or nothing.
func TestCrashesOfASave(t *testing.T) {
	crash := errors.New("cut off")
	for cut := 1; ; cut++ {
		o := newOffice(t)
		n := 0
		o.cut = func(memkv.Op) error {
			if n++; n == cut {
				return crash
			}
			return nil
		}
		_, err := o.Save(ctx, "", access.User{Email: ada, Name: "Ada", Role: access.SuperAdmin})
		if n < cut {
			if cut < 10 {
				t.Fatalf("only %d places to cut", cut)
			}
			return
		}
		o.cut = nil
		if swept := o.Sweep(ctx); swept != nil {
			t.Fatal(swept)
		}
		users, _ := o.Users(ctx)
		if len(users) == 0 {
			if err == nil {
				t.Fatalf("cut at %d: the save succeeded and nobody is there", cut)
			}
			continue
		}
		if mails := o.mails(); len(mails) != 1 {
			t.Errorf("cut at %d: %d mails", cut, len(mails))
		}
		if !strings.Contains(o.stored(), "admin-users:v1=") {
			t.Errorf("cut at %d: no copy", cut)
		}
	}
}

// Proves AAU-16, AAU-17, AAU-18, AAU-19, AAU-21, AAU-22.
func TestSessionsAreListedAndRevoked(t *testing.T) {
	o := staffed(t)
	const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0 Sneaky/9"
	var ids []string
	for _, network := range []string{"192.0.2.7", "192.0.2.7", "198.51.100.9"} {
		link, _ := o.proof(o.ask(ben))
		link.UserAgent, link.Network = agent, network
		c, _ := o.exchange(link)
		ids = append(ids, c.Session.ID)
		o.now = o.now.Add(time.Minute)
	}
	boss, cookie := o.enter(ada)
	all, err := o.Sessions(ctx)
	if err != nil || len(all) != 4 || all[0].ID != boss.Session.ID || all[3].ID != ids[0] {
		t.Fatalf("sessions %+v, %v", all, err)
	}
	if want := (access.Client{Browser: "Firefox", System: "Linux", Device: "computer"}); all[3].Client != want {
		t.Errorf("client %+v", all[3].Client)
	}
	if all[3].Network != all[2].Network || all[3].Network == all[1].Network || all[3].Network == "" {
		t.Errorf("networks %q, %q, %q", all[3].Network, all[2].Network, all[1].Network)
	}
	b, _ := json.Marshal(all)
	for _, secret := range []string{boss.Session.CSRF, "Sneaky", "192.0.2", "198.51"} {
		if strings.Contains(string(b), secret) {
			t.Errorf("the list says %q: %s", secret, b)
		}
		if secret != boss.Session.CSRF && strings.Contains(o.stored(), secret) {
			t.Errorf("%q is stored", secret)
		}
	}
	_, err = o.Revoke(ctx, ada, boss.Session.ID, boss.Session.ID, "")
	o.wantCode(fault.Conflict, err)
	_, err = o.Revoke(ctx, ada, boss.Session.ID, "unknown", "")
	o.wantCode(fault.NotFound, err)
	_, err = o.Revoke(ctx, ada, boss.Session.ID, ids[0], ben)
	o.wantCode(fault.Invalid, err)
	_, err = o.Revoke(ctx, ada, boss.Session.ID, "", "")
	o.wantCode(fault.Invalid, err)
	if n, err := o.Revoke(ctx, ada, boss.Session.ID, ids[1], ""); n != 1 || err != nil {
		t.Errorf("%d revoked, %v", n, err)
	}
	if n, err := o.Revoke(ctx, ada, boss.Session.ID, "", ben); n != 2 || err != nil {
		t.Errorf("%d revoked, %v", n, err)
	}
	if n, err := o.Revoke(ctx, ada, boss.Session.ID, "", ada); n != 0 || err != nil {
		t.Errorf("%d of one's own revoked, %v", n, err)
	}
	if _, err := o.Check(ctx, cookie); err != nil {
		t.Errorf("the one that asked ended: %v", err)
	}
	all, _ = o.Sessions(ctx)
	for _, s := range all[1:] {
		if s.EndedAt == nil || s.EndedBy != ada || s.Active(o.now) {
			t.Errorf("revoked: %+v", s)
		}
	}
	if strings.Count(o.stored(), "admin-session:") != 1 {
		t.Error("copies of revoked sessions are left")
	}
	o.now = o.now.Add(30*24*time.Hour - 5*time.Minute)
	if all, _ = o.Sessions(ctx); len(all) != 4 {
		t.Errorf("%d sessions are listed after a month", len(all))
	}
	o.now = o.now.Add(10 * time.Minute)
	if all, _ = o.Sessions(ctx); len(all) != 0 {
		t.Errorf("%d sessions are listed after more than a month", len(all))
	}
	if err := o.Sweep(ctx); err != nil || strings.Contains(o.stored(), "access/session/") || strings.Contains(o.stored(), "access/login/") {
		t.Errorf("old sessions and logins are kept, %v", err)
	}
}

func TestSignOutAndSignInAnew(t *testing.T) {
	o := staffed(t)
	c, cookie := o.enter(ada)
	if err := o.SignOut(ctx, c, cookie); err != nil {
		t.Fatal(err)
	}
	_, err := o.Check(ctx, cookie)
	o.wantCode(fault.Unauthorized, err)
	if strings.Contains(o.stored(), c.Session.CSRF) {
		t.Error("what was shown with changes is kept")
	}
	_, cookie = o.enter(ada)
	link, _ := o.proof(o.ask(ada))
	link.Former = cookie
	_, next := o.exchange(link)
	_, err = o.Check(ctx, cookie)
	o.wantCode(fault.Unauthorized, err)
	if _, err := o.Check(ctx, next); err != nil || next == cookie {
		t.Errorf("signed in anew: %v", err)
	}
}

func TestAFreshSignInGrowsOld(t *testing.T) {
	o := staffed(t)
	c, _ := o.enter(ada)
	if !c.Session.Fresh(o.now.Add(access.FreshLife-time.Second)) || c.Session.Fresh(o.now.Add(access.FreshLife)) {
		t.Error("a sign-in is fresh for ten minutes")
	}
}

func TestTheHostsLink(t *testing.T) {
	o := staffed(t)
	_, err := o.HostLink(ctx, "nobody@example.org")
	o.wantCode(fault.NotFound, err)
	made, err := o.HostLink(ctx, ada)
	if err != nil || !strings.HasPrefix(made, "https://example.org/admin/#sign-in=") || len(o.mails()) != 0 {
		t.Fatalf("%s, %v", made, err)
	}
	token := linkIn.FindStringSubmatch(made)[1]
	_, _, err = o.SignIn(ctx, access.Proof{Browser: token, Code: "1"})
	o.wantCode(fault.Unauthorized, err)
	waits := o.ask(ben) // the browser waits for a mail of its own
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

// Proves KVR-21, KVR-22, KVR-23, KVR-24, USR-09: the records, what they hold, and that none
// of them lets anybody in.
func TestWhatIsStored(t *testing.T) {
	o := staffed(t)
	asked := o.ask(ben)
	link, code := o.proof(asked)
	records := o.stored()
	if !regexp.MustCompile(`admin-login:[0-9a-f]{64}=[^\n]*"email":"ben@example.org"`).MatchString(records) {
		t.Errorf("no login is stored: %s", records)
	}
	c, cookie := o.exchange(link)
	records += o.stored()
	if !regexp.MustCompile(`admin-session:[0-9a-f]{64}=[^\n]*"email":"ben@example.org","role":"campaign_user","campaigns":\["film"\],"csrfToken":"` +
		regexp.QuoteMeta(c.Session.CSRF) + `","expiresAt":"2026-11-02T00:00:00Z"`).MatchString(records) {
		t.Errorf("no session is stored: %s", records)
	}
	if !regexp.MustCompile(`admin-users:v1=[^\n]*ada@example.org[^\n]*ben@example.org[^\n]*"film"`).MatchString(records) {
		t.Errorf("no users are stored: %s", records)
	}
	claims, _ := o.Signer.Verify(cookie, "admin-session", o.now)
	for _, secret := range []string{asked.Browser, link.Link, code.Code, strings.ReplaceAll(code.Code, " ", ""), claims.Topic, cookie} {
		if strings.Contains(records, secret) || strings.Contains(o.said.String(), secret) {
			t.Errorf("%q is stored or logged", secret)
		}
	}
	if strings.Contains(o.stored(), "admin-login:") {
		t.Error("the login that was used is kept")
	}
	o.ask("eve@example.org")
	o.now = o.now.Add(access.LoginLife + time.Minute)
	if got := o.stored(); strings.Contains(got, "admin-login:") {
		t.Errorf("logins are kept: %s", got)
	}
}

func TestClients(t *testing.T) {
	for agent, want := range map[string]access.Client{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0":              {Browser: "Edge", System: "Windows", Device: "computer"},
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15":                      {Browser: "Safari", System: "macOS", Device: "computer"},
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.0.0 Mobile/15E148 Safari/604.1": {Browser: "Chrome", System: "iOS", Device: "phone"},
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36":        {Browser: "Samsung Internet", System: "Android", Device: "phone"},
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36":                                   {Browser: "Chrome", System: "Android", Device: "tablet"},
		"Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1":             {Browser: "Safari", System: "iOS", Device: "tablet"},
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 OPR/120.0.0.0":               {Browser: "Opera", System: "ChromeOS", Device: "computer"},
		"curl/8.5.0": {Browser: "other", System: "other", Device: "computer"},
		"":           {Browser: "other", System: "other", Device: "computer"},
	} {
		if got := access.ClientOf(agent); got != want {
			t.Errorf("%s: %+v", agent, got)
		}
	}
}

// A flood of strangers who ask is forgotten, and takes nobody's session along.
func TestAFloodIsSwept(t *testing.T) {
	o := staffed(t)
	_, cookie := o.enter(ada)
	for n := range 1200 {
		o.ask(fmt.Sprintf("s%d@example.com", n))
	}
	o.now = o.now.Add(access.LoginLife)
	if err := o.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if left := strings.Count(o.stored(), "access/login/"); left != 0 {
		t.Errorf("%d logins are left", left)
	}
	if _, err := o.Check(ctx, cookie); err != nil {
		t.Errorf("the session: %v", err)
	}
	o.now = o.now.Add(24 * time.Hour)
	if err := o.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if left := strings.Count(o.stored(), "access/asked/"); left != 0 {
		t.Errorf("%d counts are left", left)
	}
}

// A sign-in that is cut off at any place opens one session or none, and never two.
func TestCrashesOfASignIn(t *testing.T) {
	crash := errors.New("cut off")
	for cut := 1; ; cut++ {
		o := staffed(t)
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
		link, _ := o.proof(o.ask(ada))
		cutting = true
		_, cookie, err := o.SignIn(ctx, link)
		cutting = false
		if n < cut {
			if cut < 4 {
				t.Fatalf("only %d places to cut", cut)
			}
			return
		}
		if err == nil {
			if _, err := o.Check(ctx, cookie); err != nil {
				t.Errorf("cut at %d: signed in, and %v", cut, err)
			}
		}
		_, _, again := o.SignIn(ctx, link)
		all, _ := o.Sessions(ctx)
		if len(all) != 1 || (again == nil) == (err == nil) && err == nil {
			t.Errorf("cut at %d: %d sessions, %v and then %v", cut, len(all), err, again)
		}
	}
}

// Whoever asks more often than mails go out has no codes to guess: a right one opens nothing.
func TestNoMailNoCode(t *testing.T) {
	asks := func(before int) (*office, access.Asked) {
		o := staffed(t)
		for range before {
			o.ask(ada)
		}
		o.mails()
		o.Rand = mathrand.NewChaCha8([32]byte{1})
		return o, o.ask(ada)
	}
	o, asked := asks(0)
	link, code := o.proof(asked)
	o.exchange(link)
	o, again := asks(5)
	if len(o.mails()) != 0 || again.Browser != asked.Browser {
		t.Fatal("a sixth mail went out, or its secrets are others")
	}
	for _, p := range []access.Proof{link, code} {
		_, _, err := o.SignIn(ctx, p)
		o.wantCode(fault.Unauthorized, err)
	}
}
