package access_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/passkey"
	"github.com/pledgeworks/pledgeworks/admin/passkey/passkeytest"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (o *fixture) authenticator() *passkeytest.Authenticator {
	o.t.Helper()
	a, err := passkeytest.New(o.Site.Origin, passkey.ES256)
	if err != nil {
		o.t.Fatal(err)
	}
	return a
}

// challenge returns a challenge for a caller.
func (o *fixture) challenge(c access.Caller) string {
	o.t.Helper()
	p, err := o.Passkeys(ctx, c)
	if err != nil {
		o.t.Fatal(err)
	}
	return p.Challenge
}

func (o *fixture) add(c access.Caller, a *passkeytest.Authenticator) ([]string, error) {
	o.t.Helper()
	r, err := a.Register(o.challenge(c))
	if err != nil {
		o.t.Fatal(err)
	}
	return o.AddPasskey(ctx, c, "Laptop", r)
}

func (o *fixture) use(c access.Caller, a *passkeytest.Authenticator) (access.Caller, error) {
	o.t.Helper()
	assertion, err := a.Assert(o.challenge(c))
	if err != nil {
		o.t.Fatal(err)
	}
	return o.UsePasskey(ctx, c, assertion)
}

// withPasskey returns a user with one passkey, signed in with it.
func withPasskey(t *testing.T) (*fixture, access.Caller, *passkeytest.Authenticator, []string) {
	o := newFixtureWithUsers(t)
	c, _ := o.signIn(ada)
	a := o.authenticator()
	codes, err := o.add(c, a)
	if err != nil {
		t.Fatal(err)
	}
	o.sendMails()
	return o, c, a, codes
}

func TestAddPasskey_RequiredInLaterSessions(t *testing.T) {
	o := newFixtureWithUsers(t)
	other, otherCookie := o.signIn(ada)
	c, cookie := o.signIn(ada)
	if c.Missing != "" {
		t.Errorf("session without passkeys lacks %q", c.Missing)
	}
	codes, err := o.add(c, o.authenticator())
	if err != nil || len(codes) != 10 {
		t.Fatalf("%q, %v", codes, err)
	}
	if c, err = o.Check(ctx, cookie); err != nil || c.Missing != "" || c.Session.FactorAt == nil {
		t.Errorf("session that added the passkey lacks %q, %v", c.Missing, err)
	}
	if other, err = o.Check(ctx, otherCookie); err != nil || other.Missing != access.PasskeyNotUsed {
		t.Errorf("another session lacks %q, %v", other.Missing, err)
	}
	if m := o.sendMails(); len(m) != 1 || m[0].To != ada || !strings.Contains(m[0].Text, "A passkey was added") {
		t.Errorf("mails %+v", m)
	}
	if next, _ := o.signIn(ada); next.Missing != access.PasskeyNotUsed {
		t.Errorf("a new session lacks %q", next.Missing)
	}
	if ben, _ := o.signIn(ben); ben.Missing != "" {
		t.Errorf("another user lacks %q", ben.Missing)
	}
}

// Otherwise anyone with access to the mailbox could add a passkey.
func TestAddPasskey_SecondRequiresConfirmation(t *testing.T) {
	o, full, a, codes := withPasskey(t)
	half, _ := o.signIn(ada)
	_, err := o.add(half, o.authenticator())
	o.wantCode(fault.Forbidden, err)
	o.wantCode(fault.Forbidden, o.RemovePasskey(ctx, half, a.ID))
	_, err = o.NewCodes(ctx, half)
	o.wantCode(fault.Conflict, err)
	if half, err = o.use(half, a); err != nil || half.Missing != "" {
		t.Fatalf("%q, %v", half.Missing, err)
	}
	b := o.authenticator()
	more, err := o.add(half, b)
	if err != nil || len(more) != 0 {
		t.Errorf("a second passkey returned codes: %q, %v", more, err)
	}
	_, err = o.add(full, b)
	o.wantCode(fault.Conflict, err)
	p, err := o.Passkeys(ctx, full)
	if err != nil || len(p.Passkeys) != 2 || p.Codes != len(codes) {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestUsePasskey_RefreshesSession(t *testing.T) {
	o, c, a, _ := withPasskey(t)
	o.now = o.now.Add(access.FreshLife)
	if c.Session.Fresh(o.now) {
		t.Fatal("the session is still fresh")
	}
	a.Uses++
	c, err := o.use(c, a)
	if err != nil || !c.Session.Fresh(o.now) || !c.Session.FactorAt.Equal(o.now) {
		t.Errorf("%+v, %v", c.Session, err)
	}
	p, _ := o.Passkeys(ctx, c)
	if got := p.Passkeys[0]; got.Uses != 1 || !got.UsedAt.Equal(o.now) || got.Name != "Laptop" {
		t.Errorf("%+v", got)
	}
	b := o.authenticator()
	b.ID = a.ID // another key with the same ID
	_, err = o.use(c, b)
	o.wantCode(fault.Invalid, err)
	b = o.authenticator()
	_, err = o.use(c, b)
	o.wantCode(fault.NotFound, err)
}

func TestUsePasskey_ChallengeWorksOnceInItsSession(t *testing.T) {
	o, c, a, _ := withPasskey(t)
	other, _ := o.signIn(ada)
	assertion, _ := a.Assert(o.challenge(c))
	_, err := o.UsePasskey(ctx, other, assertion)
	o.wantCode(fault.Invalid, err)
	if _, err = o.UsePasskey(ctx, c, assertion); err != nil {
		t.Fatal(err)
	}
	_, err = o.UsePasskey(ctx, c, assertion)
	o.wantCode(fault.Conflict, err)
	late, _ := a.Assert(o.challenge(c))
	o.now = o.now.Add(5 * time.Minute)
	_, err = o.UsePasskey(ctx, c, late)
	o.wantCode(fault.Invalid, err)
	foreign, _ := a.Assert("a challenge that was never issued")
	_, err = o.UsePasskey(ctx, c, foreign)
	o.wantCode(fault.Invalid, err)
	again, _ := a.Register(o.challenge(c))
	again.ID = passkey.Bytes("not the authenticator data's ID")
	_, err = o.AddPasskey(ctx, c, "Phone", again)
	o.wantField("id", err)
	_, err = o.AddPasskey(ctx, c, "\n", again)
	o.wantField("name", err)
}

func TestRecoveryCodes(t *testing.T) {
	o, full, a, codes := withPasskey(t)
	for _, code := range codes {
		if strings.Contains(o.dumpStore(), strings.ReplaceAll(code, "-", "")) || strings.Contains(o.dumpStore(), code) {
			t.Fatalf("%s is stored", code)
		}
	}
	half, _ := o.signIn(ada)
	for _, wrong := range []string{"", "x", codes[0][1:], "aaaa-aaaa-aaaa-aaaa"} {
		_, err := o.UseCode(ctx, half, wrong)
		o.wantCode(fault.Invalid, err)
	}
	half, err := o.UseCode(ctx, half, " "+strings.ToUpper(strings.ReplaceAll(codes[3], "-", " ")))
	if err != nil || half.Missing != "" || !half.Session.Fresh(o.now) {
		t.Fatalf("%q, %v", half.Missing, err)
	}
	if m := o.sendMails(); len(m) != 1 || !strings.Contains(m[0].Text, "recovery code was used") {
		t.Errorf("mails %+v", m)
	}
	_, err = o.UseCode(ctx, half, codes[3])
	o.wantCode(fault.Invalid, err)
	ben, _ := o.signIn(ben)
	_, err = o.UseCode(ctx, ben, codes[4])
	o.wantCode(fault.Invalid, err)
	renewed, err := o.NewCodes(ctx, full)
	if err != nil || len(renewed) != 10 || cmp.Equal(renewed, codes) {
		t.Fatalf("%q, %v", renewed, err)
	}
	o.sendMails()
	_, err = o.UseCode(ctx, half, codes[5])
	o.wantCode(fault.Invalid, err)
	if _, err = o.UseCode(ctx, half, renewed[5]); err != nil {
		t.Error(err)
	}
	if err := o.RemovePasskey(ctx, half, a.ID); err != nil {
		t.Fatal(err)
	}
	_, err = o.UseCode(ctx, half, renewed[6])
	o.wantCode(fault.Invalid, err)
	_, err = o.NewCodes(ctx, half)
	o.wantCode(fault.Conflict, err)
	o.sendMails()
	if next, _ := o.signIn(ada); next.Missing != "" {
		t.Errorf("session without passkeys lacks %q", next.Missing)
	}
}

func TestDemandPasskeys(t *testing.T) {
	o := newFixtureWithUsers(t)
	o.DemandPasskeys = true
	c, cookie := o.signIn(ben)
	if c.Missing != access.NoPasskey {
		t.Errorf("session lacks %q", c.Missing)
	}
	a := o.authenticator()
	if _, err := o.add(c, a); err != nil {
		t.Fatal(err)
	}
	if c, err := o.Check(ctx, cookie); err != nil || c.Missing != "" {
		t.Errorf("session lacks %q, %v", c.Missing, err)
	}
	o.wantCode(fault.Conflict, o.RemovePasskey(ctx, c, a.ID))
	if _, err := o.add(c, o.authenticator()); err != nil {
		t.Fatal(err)
	}
	if err := o.RemovePasskey(ctx, c, a.ID); err != nil {
		t.Error(err)
	}
	o.wantCode(fault.NotFound, o.RemovePasskey(ctx, c, a.ID))
}

func TestAddPasskey_Limit(t *testing.T) {
	o, c, _, _ := withPasskey(t)
	for range 9 {
		if _, err := o.add(c, o.authenticator()); err != nil {
			t.Fatal(err)
		}
	}
	_, err := o.add(c, o.authenticator())
	o.wantCode(fault.Conflict, err)
}

func TestResetPasskeys(t *testing.T) {
	o, _, _, _ := withPasskey(t)
	boss, cookie := o.signIn(ben)
	o.wantCode(fault.Forbidden, o.ResetPasskeys(ctx, boss.User.Email, ada))
	o.wantCode(fault.Conflict, o.ResetPasskeys(ctx, ada, ada))
	o.wantCode(fault.NotFound, o.ResetPasskeys(ctx, ada, "nobody@example.org"))
	o.wantField("email", o.ResetPasskeys(ctx, ada, "x"))
	_, adas := o.signIn(ada)
	if err := o.ResetPasskeys(ctx, "", ada); err != nil {
		t.Fatal(err)
	}
	if m := o.sendMails(); len(m) != 1 || m[0].To != ada || !strings.Contains(m[0].Text, "were removed") {
		t.Errorf("mails %+v", m)
	}
	_, err := o.Check(ctx, adas)
	o.wantCode(fault.Unauthorized, err)
	if _, err := o.Check(ctx, cookie); err != nil {
		t.Errorf("another user was signed out: %v", err)
	}
	if c, _ := o.signIn(ada); c.Missing != "" {
		t.Errorf("session lacks %q", c.Missing)
	}
}

// A user who is removed and created again has no passkeys.
func TestRemove_DeletesPasskeys(t *testing.T) {
	o, _, _, _ := withPasskey(t)
	o.save(ada, access.User{Email: "cy@example.org", Name: "Cy", Role: access.SuperAdmin})
	if err := o.Remove(ctx, "cy@example.org", ada); err != nil {
		t.Fatal(err)
	}
	o.save("cy@example.org", access.User{Email: ada, Name: "Ada", Role: access.SuperAdmin})
	o.sendMails()
	if c, _ := o.signIn(ada); c.Missing != "" {
		t.Errorf("session lacks %q", c.Missing)
	}
}

// After a crash at any point, a passkey is stored together with its codes, or not at all.
func TestAddPasskey_Crash(t *testing.T) {
	for at := 1; ; at++ {
		o := newFixtureWithUsers(t)
		c, cookie := o.signIn(ada)
		a := o.authenticator()
		r, err := a.Register(o.challenge(c))
		if err != nil {
			t.Fatal(err)
		}
		effects := 0
		o.cut = func(memkv.Op) error {
			if effects++; effects >= at {
				return errors.New("simulated crash")
			}
			return nil
		}
		codes, err := o.AddPasskey(ctx, c, "Laptop", r)
		o.cut = nil
		p, lookErr := o.Passkeys(ctx, c)
		if lookErr != nil || len(p.Passkeys) > 1 || p.Codes != 10*len(p.Passkeys) {
			t.Fatalf("effect %d: %+v, %v", at, p, lookErr)
		}
		if err == nil && len(codes) != 10 {
			t.Errorf("effect %d: %q", at, codes)
		}
		if now, err := o.Check(ctx, cookie); err != nil || (now.Session.FactorAt != nil) != (len(p.Passkeys) == 1) {
			t.Errorf("effect %d: %+v, %v", at, now.Session, err)
		}
		if effects < at {
			return
		}
	}
}

// An assertion is rejected if the passkey was used, or the challenge expired, while its
// signature was being verified.
func TestUsePasskey_Concurrent(t *testing.T) {
	o, c, a, _ := withPasskey(t)
	a.Uses = 1
	first, _ := a.Assert(o.challenge(c))
	second, _ := a.Assert(o.challenge(c))
	verify := o.Verify
	o.Verify = func(ctx context.Context, algorithm int, key, signed, signature []byte) (bool, error) {
		o.Verify = verify
		if _, err := o.UsePasskey(ctx, c, first); err != nil {
			t.Fatal(err)
		}
		return verify(ctx, algorithm, key, signed, signature)
	}
	_, err := o.UsePasskey(ctx, c, second)
	o.wantCode(fault.Conflict, err)

	a.Uses = 2
	slow, _ := a.Assert(o.challenge(c))
	o.Verify = func(ctx context.Context, algorithm int, key, signed, signature []byte) (bool, error) {
		o.now = o.now.Add(5 * time.Minute)
		return verify(ctx, algorithm, key, signed, signature)
	}
	_, err = o.UsePasskey(ctx, c, slow)
	o.wantCode(fault.Conflict, err)
}
