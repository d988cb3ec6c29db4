package access_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/admin/passkey/publickey"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

var ctx = context.Background()

const (
	ada = "ada@example.org" // a super admin
	ben = "ben@example.org" // a campaign user
)

// fixture is a service in memory with a fake clock.
type fixture struct {
	*access.Service
	t    *testing.T
	db   *memkv.DB
	now  time.Time
	logs bytes.Buffer
	sent []notify.Mail
	cut  func(memkv.Op) error
}

type sender struct{ *fixture }

func (s sender) Send(_ context.Context, m notify.Mail) (notify.Receipt, error) {
	s.sent = append(s.sent, m)
	return notify.Receipt{Outcome: notify.Accepted, ProviderID: "1"}, nil
}

func newFixture(t *testing.T) *fixture {
	o := &fixture{t: t, now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	class := kv.NewClass("access")
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
		Store: store, Coordinator: o.db.Coordinator(), Object: kv.Object{Class: "access", Name: "*access"},
		Outbox: &notify.Outbox{Store: store, Sender: sender{o}, Now: clock, From: "desk@example.org"},
		Links:  mailtext.Links{SiteBase: "https://example.org/", Signer: signer, Platform: mailtext.Platform{Name: "Ferry"}},
		Site:   passkey.Site{Origin: "https://example.org"}, Verify: publickey.Verify,
		Signer: signer, Key: []byte("a key"), Now: clock, Rand: rand.Reader, Log: slog.New(slog.NewTextHandler(&o.logs, nil)),
	}
	return o
}

// newFixtureWithUsers returns a fixture with a super admin and a campaign user, whose
// invitations were sent.
func newFixtureWithUsers(t *testing.T) *fixture {
	o := newFixture(t)
	o.save("", access.User{Email: ada, Name: "Ada", Role: access.SuperAdmin})
	o.save(ada, access.User{Email: ben, Name: "Ben", Role: access.CampaignUser, Campaigns: []string{"film"}})
	o.sendMails()
	return o
}

func (o *fixture) save(by string, u access.User) access.User {
	o.t.Helper()
	saved, err := o.Save(ctx, by, u)
	if err != nil {
		o.t.Fatal(err)
	}
	return saved
}

// sendMails sends the pending mails and returns them.
func (o *fixture) sendMails() []notify.Mail {
	o.t.Helper()
	o.sent = nil
	if _, err := o.Outbox.Drain(ctx, kv.MaxPage); err != nil {
		o.t.Fatal(err)
	}
	return o.sent
}

func (o *fixture) requestLink(email string) access.LinkRequest {
	o.t.Helper()
	asked, err := o.RequestLink(ctx, email, "en", access.Origin{Network: "203.0.113.5"})
	if err != nil {
		o.t.Fatal(err)
	}
	return asked
}

var (
	linkIn = regexp.MustCompile(`#sign-in=([\w-]+)`)
	codeIn = regexp.MustCompile(`\b\d{4} \d{4}\b`)
)

// proof sends the pending mail, of which there must be one, and returns the credentials in it with
// the secret of the browser that requested it.
func (o *fixture) proof(asked access.LinkRequest) (link, code access.Proof) {
	o.t.Helper()
	mails := o.sendMails()
	if len(mails) != 1 {
		o.t.Fatalf("%d mails", len(mails))
	}
	link = access.Proof{Browser: asked.Browser, Link: linkIn.FindStringSubmatch(mails[0].Text)[1]}
	return link, access.Proof{Browser: asked.Browser, Code: codeIn.FindString(mails[0].Text)}
}

// signIn signs a user in.
func (o *fixture) signIn(email string) (access.Caller, string) {
	o.t.Helper()
	link, _ := o.proof(o.requestLink(email))
	return o.exchange(link)
}

func (o *fixture) exchange(p access.Proof) (access.Caller, string) {
	o.t.Helper()
	c, cookie, err := o.SignIn(ctx, p)
	if err != nil {
		o.t.Fatal(err)
	}
	return c, cookie
}

func (o *fixture) wantCode(want fault.Code, err error) {
	o.t.Helper()
	if fault.CodeOf(err) != want {
		o.t.Errorf("got %v, want a fault with code %q", err, want)
	}
}

func (o *fixture) wantField(field string, err error) {
	o.t.Helper()
	if f := fault.Of(err); f == nil || f.Field != field {
		o.t.Errorf("got %v, want a fault in field %q", err, field)
	}
}

// dumpStore returns the contents of all namespaces and objects.
func (o *fixture) dumpStore() string {
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

// Proves KVR-21, KVR-22, KVR-23, KVR-24, VER-03: the records, their content, and that none of
// them contains a usable credential.
func TestStorage_ContainsNoSecrets(t *testing.T) {
	o := newFixtureWithUsers(t)
	asked := o.requestLink(ben)
	link, code := o.proof(asked)
	records := o.dumpStore()
	if !regexp.MustCompile(`admin-login:[0-9a-f]{64}=[^\n]*"email":"ben@example.org"`).MatchString(records) {
		t.Errorf("no login is stored: %s", records)
	}
	c, cookie := o.exchange(link)
	records += o.dumpStore()
	if !regexp.MustCompile(`admin-session:[0-9a-f]{64}=[^\n]*"email":"ben@example.org","role":"campaign_user","campaigns":\["film"\],"csrfToken":"` +
		regexp.QuoteMeta(c.Session.CSRF) + `","expiresAt":"2026-11-02T00:00:00Z"`).MatchString(records) {
		t.Errorf("no session is stored: %s", records)
	}
	if !regexp.MustCompile(`admin-users:v1=[^\n]*ada@example.org[^\n]*ben@example.org[^\n]*"film"`).MatchString(records) {
		t.Errorf("no users are stored: %s", records)
	}
	claims, _ := o.Signer.Verify(cookie, "admin-session", o.now)
	for _, secret := range []string{asked.Browser, link.Link, code.Code,
		strings.ReplaceAll(code.Code, " ", ""), claims.Topic, cookie} {
		if strings.Contains(records, secret) || strings.Contains(o.logs.String(), secret) {
			t.Errorf("%q is stored or logged", secret)
		}
	}
	if strings.Contains(o.dumpStore(), "admin-login:") {
		t.Error("the used login still exists")
	}
	o.requestLink("eve@example.org")
	o.now = o.now.Add(access.LoginLife + time.Minute)
	if got := o.dumpStore(); strings.Contains(got, "admin-login:") {
		t.Errorf("logins are kept: %s", got)
	}
}
