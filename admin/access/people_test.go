package access_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves USR-07: users who are removed or demoted are signed out at once.
func TestSave_RemovedOrDemotedIsSignedOut(t *testing.T) {
	for name, change := range map[string]func(o *fixture, eve access.User) error{
		"deleted": func(o *fixture, eve access.User) error { return o.Remove(ctx, ada, eve.Email) },
		"demoted": func(o *fixture, eve access.User) error {
			eve.Role, eve.Campaigns, eve.Permissions = access.CampaignUser, []string{"film"}, nil
			_, err := o.Save(ctx, ada, eve)
			return err
		},
		"deleted and created again": func(o *fixture, eve access.User) error {
			if err := o.Remove(ctx, ada, eve.Email); err != nil {
				return err
			}
			_, err := o.Save(ctx, ada, access.User{Email: eve.Email, Name: "Eve", Role: access.SuperAdmin})
			return err
		},
	} {
		o := newFixtureWithUsers(t)
		eve := o.save(ada, access.User{Email: "eve@example.org", Name: "Eve", Role: access.SuperAdmin})
		o.sendMails()
		_, theirs := o.signIn(ada)
		_, cookie := o.signIn(eve.Email)
		link, _ := o.proof(o.requestLink(eve.Email))
		if err := change(o, eve); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := o.Check(ctx, cookie); fault.CodeOf(err) != fault.Unauthorized {
			t.Errorf("%s: still signed in: %v", name, err)
		}
		if _, err := o.Check(ctx, theirs); err != nil {
			t.Errorf("%s: another user was signed out: %v", name, err)
		}
		if name == "deleted" {
			_, _, err := o.SignIn(ctx, link)
			o.wantCode(fault.Unauthorized, err)
		}
	}
}

// Removing a user ends all of their sessions, and all sessions are listed, regardless of their
// number.
//
// Proves AAU-16.
func TestRemove_EndsAllSessions(t *testing.T) {
	o := newFixtureWithUsers(t)
	for range 600 {
		made, err := o.HostLink(ctx, ben)
		if err != nil {
			t.Fatal(err)
		}
		o.exchange(access.Proof{Link: linkIn.FindStringSubmatch(made)[1]})
	}
	if err := o.Remove(ctx, ada, ben); err != nil {
		t.Fatal(err)
	}
	all, err := o.Sessions(ctx)
	if err != nil || len(all) != 600 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	for _, s := range all {
		if s.Active(o.now) {
			t.Fatalf("session %s is still active", s.ID)
		}
	}
}

// Other changes to a user apply to existing sessions from the next request.
func TestSave_PermissionsApplyAtOnce(t *testing.T) {
	o := newFixtureWithUsers(t)
	c, cookie := o.signIn(ben)
	u := c.User
	u.Campaigns, u.Permissions = []string{"game"}, []access.Permission{access.Fulfilment}
	o.save(ada, u)
	got, err := o.Check(ctx, cookie)
	if err != nil || got.User.HasAccess("film") || !got.User.HasAccess("game") ||
		got.User.Has(access.Money) || !got.User.Has(access.Fulfilment) {
		t.Errorf("the session is of %+v, %v", got.User, err)
	}
}

// Proves AAU-29, LIM-13, USR-01, USR-08.
func TestSave_Validation(t *testing.T) {
	o := newFixtureWithUsers(t)
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
		t.Errorf("campaign user without permissions: %s", diff)
	}
	saved.Role = access.SuperAdmin
	if saved = o.save(ada, saved); len(saved.Campaigns)+len(saved.Permissions) != 0 {
		t.Errorf("a super admin has %v and %v", saved.Campaigns, saved.Permissions)
	}
}

// Proves USR-05, USR-06.
func TestSave_LastSuperAdminStays(t *testing.T) {
	o := newFixtureWithUsers(t)
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
	o.wantCode(fault.Conflict, o.Remove(ctx, "", ada)) // by the host: the last super admin
	if err := o.Remove(ctx, self.Email, ada); fault.CodeOf(err) != fault.Forbidden {
		t.Errorf("a removed user removed another: %v", err)
	}
	o.wantCode(fault.NotFound, o.Remove(ctx, ada, "nobody@example.org"))
}

// Saving a user writes one record; it publishes nothing and sends no mail.
//
// Proves USR-09.
func TestSave_WritesOneRecord(t *testing.T) {
	o := newFixtureWithUsers(t)
	u, _, err := o.User(ctx, ben)
	if err != nil {
		t.Fatal(err)
	}
	written := []string{}
	o.cut = func(op memkv.Op) error {
		if (op.Kind == memkv.OpPut || op.Kind == memkv.OpDelete) && !op.After {
			written = append(written, op.Write.Key)
		}
		return nil
	}
	u.Name, u.Campaigns, u.Lang = "Benjamin", []string{"game"}, "es"
	o.save(ada, u)
	if diff := cmp.Diff([]string{"admin-users:v1"}, written); diff != "" {
		t.Error(diff)
	}
}

func TestSave_ConcurrentEdits(t *testing.T) {
	o := newFixtureWithUsers(t)
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
	if got := users[1]; got.Name != "Benjamin" || len(got.Campaigns) != 1 || got.Revision != 2 ||
		got.CreatedAt != mine.CreatedAt {
		t.Errorf("the user is %+v", got)
	}
}

// Proves EML-06, USR-10, USR-11.
func TestSave_InvitesOnce(t *testing.T) {
	o := newFixture(t)
	u := o.save("", access.User{Email: ada, Name: "Ada", Role: access.SuperAdmin, Invited: true})
	mails := o.sendMails()
	if len(mails) != 1 || mails[0].To != ada || !strings.Contains(mails[0].Text, "https://example.org/admin/") ||
		!strings.Contains(mails[0].Text, "Hello Ada") {
		t.Fatalf("mails %+v", mails)
	}
	u.Name, u.Revision = "Ada L.", 1
	o.save("", u)
	if err := o.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if mails := o.sendMails(); len(mails) != 0 {
		t.Errorf("an edit sent mail: %+v", mails)
	}
	o.now = o.now.AddDate(2, 0, 0) // after the outbox's record of the mail expired
	if err := o.Sweep(ctx); err != nil || len(o.sendMails()) != 0 {
		t.Errorf("old users are mailed again, %v", err)
	}
	u.Revision = 2
	if o.save("", u); len(o.sendMails()) != 0 {
		t.Error("a late edit sent mail")
	}
}

// Every new user is mailed where to sign in, in their language, for every role and creator.
//
// Proves USR-10.
func TestSave_InvitesEveryNewUser(t *testing.T) {
	o := newFixture(t)
	o.save("", access.User{Email: ada, Name: "Ada", Role: access.SuperAdmin})
	o.sendMails()
	for i, u := range []access.User{
		{Role: access.SuperAdmin, Lang: "es"}, {Role: access.CampaignUser, Campaigns: []string{"film"}},
		{Role: access.CampaignUser, Lang: "es", Campaigns: []string{"film", "game"},
			Permissions: []access.Permission{access.Fulfilment}},
	} {
		u.Email, u.Name = fmt.Sprintf("new%d@example.org", i), "Nia"
		link, hello := "https://example.org/admin/", "Hello Nia"
		if u.Lang == "es" {
			link, hello = "https://example.org/es/admin/", "Hola, Nia"
		}
		o.save(ada, u)
		mails := o.sendMails()
		if len(mails) != 1 || mails[0].Kind != notify.AdminInvitation || mails[0].To != u.Email ||
			!strings.Contains(mails[0].Text, link) || !strings.Contains(mails[0].Text, hello) {
			t.Errorf("%+v: mails %+v", u, mails)
		}
	}
}

// After a crash between any two effects, a user is saved, notified and listed, or does not
// exist.
func TestSave_Crash(t *testing.T) {
	crash := errors.New("simulated crash")
	for cut := 1; ; cut++ {
		o := newFixture(t)
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
				t.Fatalf("only %d effects", cut)
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
				t.Fatalf("crash at effect %d: the save succeeded but there is no user", cut)
			}
			continue
		}
		if mails := o.sendMails(); len(mails) != 1 {
			t.Errorf("crash at effect %d: %d mails", cut, len(mails))
		}
		if !strings.Contains(o.dumpStore(), "admin-users:v1=") {
			t.Errorf("crash at effect %d: no copy", cut)
		}
	}
}
