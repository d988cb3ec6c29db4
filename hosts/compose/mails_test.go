package compose_test

import (
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
)

// An address stays suppressed when EMAIL_HASH_SECRET is set or replaced, and when the link secret
// is replaced afterwards.
func TestSuppressions_EmailHashKeyReplaced(t *testing.T) {
	h := newHost(t, memory.Options{})
	key := func(c string) config.Secret { return config.Secret(strings.Repeat(c, 32)) }
	deps := h.Services.Deps
	with := func(change func(*config.Secrets)) *suppression.List {
		t.Helper()
		change(&deps.Config.Secrets)
		s, err := compose.New(deps)
		if err != nil {
			t.Fatal(err)
		}
		return s.Suppressions
	}
	add := func(l *suppression.List, email string) {
		t.Helper()
		if err := l.Add(t.Context(), suppression.Scope{}, l.Address(email), suppression.Bounced); err != nil {
			t.Fatal(err)
		}
	}
	stopped := func(l *suppression.List, email, want string) {
		t.Helper()
		if why, err := l.Suppressed(t.Context(), notify.Mail{To: email}); why != want || err != nil {
			t.Errorf("%s: suppressed by %q (%v), want %q", email, why, err, want)
		}
	}
	add(h.Services.Suppressions, "ada@example.org")
	l := with(func(s *config.Secrets) { s.EmailHash = key("a") })
	stopped(l, "ada@example.org", "bounced")
	add(l, "ben@example.org")
	l = with(func(s *config.Secrets) { s.MagicLink = key("m") })
	stopped(l, "ben@example.org", "bounced")
	stopped(l, "ada@example.org", "") // hashed with a key derived from the old link secret
	l = with(func(s *config.Secrets) { s.EmailHash, s.FormerEmailHash = key("b"), key("a") })
	stopped(l, "ben@example.org", "bounced")
	if a, b := l.Address("ben@example.org"), h.Services.Suppressions.Address("ben@example.org"); a == b {
		t.Error("the hash does not depend on the key")
	}
}
