package suppression_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (s *fixture) named(scope suppression.Scope) (emails []string) {
	s.t.Helper()
	all, next, err := s.AllNamed(s.t.Context(), scope, "", 10)
	if err != nil || next != "" {
		s.t.Fatal(err, next)
	}
	for _, n := range all {
		emails = append(emails, n.Email)
	}
	return emails
}

// An address that an operator entered is stored next to its suppression record, which does not
// contain it, and expires with it.
//
// Proves EML-25, EML-26.
func TestAddNamed_ExpiresWithRecord(t *testing.T) {
	for name, tc := range map[string]struct {
		scope   suppression.Scope
		forever bool
	}{"everything": {suppression.Scope{}, false},
		"a campaign": {suppression.Scope{Topic: suppression.Updates, Campaign: slug}, true}} {
		t.Run(name, func(t *testing.T) {
			idle := newFixture(t)
			if _, err := idle.AddNamed(t.Context(), tc.scope, email, ""); err != nil {
				t.Fatal(err)
			}
			if idle.now = idle.now.Add(suppression.Life + time.Hour); len(idle.named(tc.scope)) > 0 != tc.forever {
				t.Errorf("listed after expiry: %v", !tc.forever)
			}
			s := newFixture(t)
			if _, err := s.AddNamed(t.Context(), tc.scope, " Ada@Example.org", "ben@example.org"); err != nil {
				t.Fatal(err)
			}
			for _, e := range s.db.Snapshot().Stores[""] {
				if strings.Contains(e.Key, "@") ||
					strings.Contains(string(e.Value), "@") && !strings.HasPrefix(e.Key, "admin-suppression:v1:") {
					t.Errorf("%s contains %s", e.Key, e.Value)
				}
			}
			step := func(d time.Duration, stopped bool) {
				t.Helper()
				s.now = s.now.Add(d)
				var want []string
				if stopped {
					want = []string{email}
				}
				if diff := cmp.Diff(want, s.named(tc.scope)); diff != "" {
					t.Error(diff)
				}
				if got := s.suppressionReason(mails["news"]) != ""; got != stopped {
					t.Errorf("suppressed: %v", got)
				}
			}
			step(0, true)
			step(suppression.Life-time.Hour, true) // renews both
			step(suppression.Life-time.Hour, true)
			step(suppression.Life+time.Hour, tc.forever)
			if _, err := s.AddNamed(t.Context(), tc.scope, email, "cy@example.org"); err != nil {
				t.Fatal(err)
			}
			step(0, true)
			s.Former, s.Secret = [][]byte{s.Secret}, []byte(strings.Repeat("x", 32))
			if err := s.Clear(t.Context(), tc.scope, email, suppression.Operator); err != nil {
				t.Fatal(err)
			}
			step(0, false)
			if keys := s.keys(); len(keys) != 0 {
				t.Errorf("after clearing under a former secret: %v", keys)
			}
		})
	}
}

// An address that an operator entered for one campaign is listed only for that scope. An address
// that a script added without plain text is never listed, even after its record was renewed.
func TestAllNamed_Scope(t *testing.T) {
	s := newFixture(t)
	scopes := map[string]suppression.Scope{"everything": {}, "the campaign": {Topic: suppression.Updates, Campaign: slug},
		"another": {Topic: suppression.Updates, Campaign: "other"}}
	for _, in := range []string{"everything", "the campaign", "another"} {
		address := strings.Fields(in)[0] + "@example.org"
		if _, err := s.AddNamed(t.Context(), scopes[in], address, "ben@example.org"); err != nil {
			t.Fatal(err)
		}
	}
	s.add(scopes["the campaign"], suppression.Operator)
	s.now = s.now.Add(48 * time.Hour)
	if why := s.suppressionReason(mails["news"]); why != "operator" {
		t.Errorf("stopped by %q", why)
	}
	for in, scope := range scopes {
		if diff := cmp.Diff([]string{strings.Fields(in)[0] + "@example.org"}, s.named(scope)); diff != "" {
			t.Errorf("in %s (-want +got):\n%s", in, diff)
		}
	}
}

func TestAddNamed_InvalidInput(t *testing.T) {
	s := newFixture(t)
	for _, scope := range []suppression.Scope{{Topic: suppression.Carts}, {Topic: suppression.Launch, Campaign: slug},
		{Topic: suppression.Updates}, {Campaign: slug}} {
		if _, err := s.AddNamed(t.Context(), scope, email, ""); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", scope, err)
		}
		if _, _, err := s.AllNamed(t.Context(), scope, "", 10); !fault.Is(err, fault.Invalid) {
			t.Errorf("AllNamed %+v: %v", scope, err)
		}
	}
	if _, err := s.AddNamed(t.Context(), suppression.Scope{}, "nobody", ""); fault.Of(err).Field != "email" {
		t.Errorf("no address: %v", err)
	}
	if keys := s.keys(); len(keys) != 0 {
		t.Errorf("rejected calls write %v", keys)
	}
}
