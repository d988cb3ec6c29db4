package suppression_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

const (
	email = "ada@example.org"
	slug  = "night-ferry"
)

var (
	secret = []byte("0123456789abcdef0123456789abcdef")
	signer = token.Signer{Secret: secret}
)

// fixture is a List on an in-memory store with a settable clock.
type fixture struct {
	*suppression.List
	t   *testing.T
	db  *memkv.DB
	now time.Time
}

func newFixture(t *testing.T) *fixture {
	s := &fixture{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return s.now }
	s.db = memkv.New(memkv.Options{Now: clock})
	s.List = &suppression.List{Store: s.db.Store(""), Now: clock, Secret: secret}
	return s
}

func (s *fixture) add(scope suppression.Scope, r suppression.Reason) {
	s.t.Helper()
	if err := s.Add(s.t.Context(), scope, s.Address(email), r); err != nil {
		s.t.Fatal(err)
	}
}

func (s *fixture) suppressionReason(m notify.Mail) string {
	s.t.Helper()
	why, err := s.Suppressed(s.t.Context(), m)
	if err != nil {
		s.t.Fatal(err)
	}
	return why
}

func (s *fixture) keys() []string {
	var all []string
	for _, e := range s.db.Snapshot().Stores[""] {
		all = append(all, e.Key)
	}
	return all
}

func mail(k notify.Kind, campaign string) notify.Mail {
	return notify.Mail{Kind: k, Stream: k.Stream(), To: email, Campaign: campaign}
}

// mails has one mail per scope, by the names used in the table below.
var mails = map[string]notify.Mail{
	"pledge": mail(notify.Charged, slug), "old": {Kind: notify.Charged, To: email},
	"news": mail(notify.DiaryEntry, slug), "other news": mail(notify.DiaryEntry, "other"),
	"launch": mail(notify.LaunchReminder, slug), "other launch": mail(notify.LaunchReminder, "other"),
	"cart": mail(notify.AbandonedCart, slug), "other cart": mail(notify.AbandonedCart, "other"),
	"all carts": mail(notify.AbandonedCart, ""),
}

func TestSuppressed_AddressSpellings(t *testing.T) {
	news := suppression.Scope{Topic: suppression.Updates, Campaign: slug}
	for _, stored := range []string{"zoë@übung.example", "zoe\u0308@u\u0308bung.example", "zoë@xn--bung-zra.example"} {
		s := newFixture(t)
		h := hmac.New(sha256.New, secret)
		h.Write([]byte(stored))
		if err := s.Add(t.Context(), news, hex.EncodeToString(h.Sum(nil)), suppression.Asked); err != nil {
			t.Fatal(err)
		}
		for _, to := range []string{"zoë@übung.example", "zoë@xn--bung-zra.example"} {
			m := mail(notify.DiaryEntry, slug)
			if m.To = to; s.suppressionReason(m) != "asked" {
				t.Errorf("stored for %q, it does not stop a mail to %q", stored, to)
			}
		}
		if err := s.Clear(t.Context(), news, "zoë@xn--bung-zra.example", suppression.Asked); err != nil ||
			len(s.keys()) != 0 {
			t.Errorf("after clearing %q: %v, %v", stored, s.keys(), err)
		}
	}
}

// Proves EML-25, EML-26, KVR-32, KVR-39, KVR-40, KVR-50, KVR-51, KVR-52, ABN-12: which mails each
// suppression stops, and the key of its record, with an HMAC of the address.
func TestSuppressed_Scopes(t *testing.T) {
	for name, tc := range map[string]struct {
		scope  suppression.Scope
		reason suppression.Reason
		key    string
		stops  string
	}{
		"bounced": {suppression.Scope{}, suppression.Bounced, "email-suppression:v1:",
			"all carts,cart,launch,news,old,other cart,other launch,other news,pledge"},
		"complained": {suppression.Scope{}, suppression.Complained, "email-suppression:v1:",
			"all carts,cart,launch,news,other cart,other launch,other news"},
		"operator": {suppression.Scope{}, suppression.Operator, "email-suppression:v1:",
			"all carts,cart,launch,news,other cart,other launch,other news"},
		"news": {suppression.Scope{Topic: suppression.Updates, Campaign: slug},
			suppression.Asked, "campaign-email-suppression:v1:" + slug + ":", "news"},
		"launch": {suppression.Scope{Topic: suppression.Launch, Campaign: slug},
			suppression.Asked, "launch-reminder-suppressed:" + slug + ":", "launch"},
		"cart": {suppression.Scope{Topic: suppression.Carts, Campaign: slug}, suppression.Asked,
			"abandoned-cart-suppressed-campaign:" + slug + ":", "cart"},
		"all carts": {suppression.Scope{Topic: suppression.Carts}, suppression.Asked,
			"abandoned-cart-suppressed:", "all carts,cart,other cart"},
		"carts, by an operator": {suppression.Scope{Topic: suppression.Carts}, suppression.Operator,
			"abandoned-cart-suppressed:", "all carts,cart,other cart"},
		"operator, one campaign": {suppression.Scope{Topic: suppression.Updates, Campaign: slug},
			suppression.Operator, "campaign-email-suppression:v1:" + slug + ":", "news"},
		"no suppression": {},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			var want []string
			if tc.reason != "" {
				s.add(tc.scope, tc.reason)
				h := hmac.New(sha256.New, secret)
				h.Write([]byte(email))
				want = []string{tc.key + hex.EncodeToString(h.Sum(nil))}
			}
			if diff := cmp.Diff(want, s.keys()); diff != "" {
				t.Error(diff)
			}
			for m, mail := range mails {
				wantWhy := ""
				if strings.Contains(","+tc.stops+",", ","+m+",") {
					wantWhy = string(tc.reason)
				}
				if got := s.suppressionReason(mail); got != wantWhy {
					t.Errorf("%s is stopped by %q, want %q", m, got, wantWhy)
				}
			}
			stranger := mails["news"]
			stranger.To = "ben@example.org"
			if why := s.suppressionReason(stranger); why != "" {
				t.Errorf("mail to another address suppressed: %s", why)
			}
		})
	}
}

// Proves EML-25: a record contains no address, and its key cannot be computed without a secret.
func TestRecords_ContainNoAddress(t *testing.T) {
	s := newFixture(t)
	if a, b := s.Address(email), s.Address("  Ada@Example.ORG "); a != b || len(a) != 64 {
		t.Errorf("%s and %s", a, b)
	}
	other := *s.List
	other.Secret = []byte("another-secret-of-thirty-two-byte")
	if other.Address(email) == s.Address(email) {
		t.Error("the address does not depend on the secret")
	}
	s.add(suppression.Scope{}, suppression.Bounced)
	for _, e := range s.db.Snapshot().Stores[""] {
		if strings.Contains(e.Key+string(e.Value), "ada") {
			t.Errorf("%s: %s", e.Key, e.Value)
		}
	}
}

// Proves KVR-39, KVR-51: a suppression of all mails lasts 400 days from the last report or stopped
// mail; an unsubscribe does not expire.
func TestSuppressed_Expiry(t *testing.T) {
	s := newFixture(t)
	campaign := suppression.Scope{Topic: suppression.Updates, Campaign: slug}
	s.add(suppression.Scope{}, suppression.Bounced)
	s.add(campaign, suppression.Asked)
	s.now = s.now.Add(300 * 24 * time.Hour)
	s.add(suppression.Scope{}, suppression.Bounced)
	s.now = s.now.Add(400*24*time.Hour - time.Second)
	if why := s.suppressionReason(mails["pledge"]); why != "bounced" {
		t.Fatalf("stopped by %q", why)
	}
	s.now = s.now.Add(400*24*time.Hour - time.Second)
	if why := s.suppressionReason(mails["pledge"]); why != "bounced" {
		t.Errorf("after a stopped mail: %q", why)
	}
	s.now = s.now.Add(400*24*time.Hour + time.Second)
	if why := s.suppressionReason(mails["pledge"]); why != "" {
		t.Errorf("suppressed by %q after 400 days", why)
	}
	if why := s.suppressionReason(mails["news"]); why != "asked" {
		t.Errorf("news is stopped by %q", why)
	}
	s.add(suppression.Scope{Topic: suppression.Carts}, suppression.Asked)
	s.now = s.now.AddDate(5, 0, 0)
	for _, cart := range []string{"cart", "other cart", "all carts"} {
		if why := s.suppressionReason(mails[cart]); why != "asked" {
			t.Errorf("after five years %s is stopped by %q", cart, why)
		}
	}
	for _, r := range []suppression.Reason{suppression.Complained, suppression.Operator} {
		s := newFixture(t)
		s.add(suppression.Scope{}, r)
		s.now = s.now.Add(400*24*time.Hour - time.Second)
		if n := len(s.keys()); n != 1 {
			t.Errorf("%s: %d records a second before expiry", r, n)
		}
		s.now = s.now.Add(2 * time.Second)
		if why := s.suppressionReason(mails["news"]); why != "" {
			t.Errorf("%s: news suppressed by %q after 400 days", r, why)
		}
	}
}

// A record is renewed at most once a day, regardless of the number of stopped mails.
func TestSuppressed_RenewsOnceADay(t *testing.T) {
	s := newFixture(t)
	s.add(suppression.Scope{}, suppression.Bounced)
	began := s.now
	for _, step := range []struct{ after, last time.Duration }{{time.Second, 0}, {24*time.Hour - time.Second, 0},
		{24 * time.Hour, 24 * time.Hour}, {47 * time.Hour, 24 * time.Hour}} {
		s.now = began.Add(step.after)
		if why := s.suppressionReason(mails["pledge"]); why != "bounced" {
			t.Errorf("after %s: stopped by %q", step.after, why)
		}
		for row, err := range s.All(t.Context(), suppression.Scope{}) {
			want := suppression.History{Since: began, Last: began.Add(step.last), Count: 1}
			if diff := cmp.Diff(want, row.Reasons[suppression.Bounced]); diff != "" || err != nil {
				t.Errorf("after %s: %v (-want +got):\n%s", step.after, err, diff)
			}
		}
	}
}

// All yields all addresses until the caller stops. It ends with an error at an unreadable record.
func TestAll_Scope(t *testing.T) {
	s := newFixture(t)
	for _, address := range []string{"a", "b", "c"} {
		if err := s.Add(t.Context(), suppression.Scope{}, address, suppression.Bounced); err != nil {
			t.Fatal(err)
		}
	}
	collect := func(most int) (all []string) {
		for row, err := range s.All(t.Context(), suppression.Scope{}) {
			if err != nil {
				row.Address += " unread"
			}
			if all = append(all, row.Address); len(all) == most {
				break
			}
		}
		return all
	}
	for most, want := range map[int][]string{1: {"a"}, 2: {"a", "b"}, 9: {"a", "b", "c"}} {
		if diff := cmp.Diff(want, collect(most)); diff != "" {
			t.Errorf("%d of them (-want +got):\n%s", most, diff)
		}
	}
	if err := s.Store.Apply(t.Context(), []kv.Write{kv.Put("email-suppression:v1:b", []byte("no record"))}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b unread"}, collect(9)); diff != "" {
		t.Errorf("unreadable record (-want +got):\n%s", diff)
	}
}

func TestReasons_Independent(t *testing.T) {
	s, ctx := newFixture(t), t.Context()
	s.add(suppression.Scope{}, suppression.Bounced)
	s.add(suppression.Scope{}, suppression.Complained)
	s.add(suppression.Scope{}, suppression.Complained)
	began := s.now
	for row, err := range s.All(ctx, suppression.Scope{}) {
		want := suppression.Row{Address: s.Address(email),
			Record: suppression.Record{Reasons: map[suppression.Reason]suppression.History{
				suppression.Bounced:    {Since: began, Last: began, Count: 1},
				suppression.Complained: {Since: began, Last: began, Count: 2},
			}}}
		if diff := cmp.Diff(want, row); diff != "" || err != nil {
			t.Error(diff, err)
		}
	}
	if err := s.Clear(ctx, suppression.Scope{}, email, suppression.Bounced); err != nil {
		t.Fatal(err)
	}
	if why := s.suppressionReason(mails["pledge"]); why != "" {
		t.Errorf("still suppressed: %s", why)
	}
	if got, err := s.Reasons(ctx, suppression.Scope{}, email); err != nil ||
		!cmp.Equal(got, []suppression.Reason{suppression.Complained}) {
		t.Errorf("%v, %v", got, err)
	}
	if err := s.Clear(ctx, suppression.Scope{}, email, suppression.Complained); err != nil || len(s.keys()) != 0 {
		t.Errorf("%v, %v", s.keys(), err)
	}
}

// Records under a former secret are found and cleared.
func TestSuppressed_FormerSecret(t *testing.T) {
	s := newFixture(t)
	s.add(suppression.Scope{}, suppression.Bounced)
	s.Secret, s.Former = []byte("another-secret-of-thirty-two-byte"), [][]byte{secret}
	if why := s.suppressionReason(mails["pledge"]); why != "bounced" {
		t.Errorf("stopped by %q", why)
	}
	if err := s.Clear(t.Context(), suppression.Scope{}, email, suppression.Bounced); err != nil || len(s.keys()) != 0 {
		t.Errorf("%v, %v", s.keys(), err)
	}
}

func TestAdd_InvalidScope(t *testing.T) {
	s := newFixture(t)
	for _, scope := range []suppression.Scope{
		{Campaign: slug}, {Topic: suppression.Updates}, {Topic: suppression.Launch}, {Topic: "all"},
	} {
		if err := s.Add(t.Context(), scope, s.Address(email), suppression.Asked); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", scope, err)
		}
		if err := s.Clear(t.Context(), scope, email, suppression.Asked); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v, cleared: %v", scope, err)
		}
	}
	if err := s.Add(t.Context(), suppression.Scope{}, "", suppression.Asked); !fault.Is(err, fault.Invalid) {
		t.Errorf("empty address: %v", err)
	}
}

// Unknown fields, written by a later release, are preserved.
func TestAdd_KeepsUnknownFields(t *testing.T) {
	s := newFixture(t)
	key := "email-suppression:v1:" + s.Address(email)
	old := `{"reasons":{"bounced":{"since":"2026-01-01T00:00:00Z","last":"2026-01-01T00:00:00Z",` +
		`"count":1,"code":"5.1.1"}},"by":"x"}`
	if err := s.Store.Apply(t.Context(), []kv.Write{kv.Put(key, []byte(old))}); err != nil {
		t.Fatal(err)
	}
	s.add(suppression.Scope{}, suppression.Bounced)
	got, _ := s.Store.Get(t.Context(), key)
	if !strings.Contains(string(got), `"by":"x"`) || !strings.Contains(string(got), `"code":"5.1.1"`) {
		t.Errorf("%s", got)
	}
}

func TestLinks_Unsubscribe(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	links := suppression.Links{Base: "https://api.example.org/", Signer: signer}
	for _, tc := range []struct {
		kind           notify.Kind
		campaign, lang string
		path           string
		want           suppression.Scope
	}{
		{notify.Blast, slug, "en", "/unsubscribe", suppression.Scope{Topic: suppression.Updates, Campaign: slug}},
		{notify.Announcement, slug, "es", "/unsubscribe", suppression.Scope{Topic: suppression.Updates, Campaign: slug}},
		{notify.LaunchReminder, slug, "", "/launch-reminders/unsubscribe",
			suppression.Scope{Topic: suppression.Launch, Campaign: slug}},
		{notify.AbandonedCart, slug, "", "/unsubscribe", suppression.Scope{Topic: suppression.Carts, Campaign: slug}},
		{notify.AbandonedCart, "", "", "/unsubscribe", suppression.Scope{Topic: suppression.Carts}},
	} {
		address, err := links.Unsubscribe(notify.Message{Kind: tc.kind, To: email, Campaign: tc.campaign, Lang: tc.lang}, now)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme+"://"+u.Host+u.Path != "https://api.example.org"+tc.path ||
			u.Query().Has("lang") != (tc.lang == "es") || u.Query().Get("lang") != "es" && tc.lang == "es" {
			t.Errorf("%s: %s, %v", tc.kind, address, err)
		}
		end := now.Add(3650 * 24 * time.Hour)
		got, to, err := links.Open(u.Query().Get("t"), end.Add(-time.Second))
		if err != nil || got != tc.want || to != email {
			t.Errorf("%s: %+v, %s, %v", tc.kind, got, to, err)
		}
		if _, _, err := links.Open(u.Query().Get("t"), end); !fault.Is(err, fault.Unauthorized) {
			t.Errorf("%s, ten years later: %v", tc.kind, err)
		}
	}
	for _, m := range []notify.Message{
		{Kind: notify.Charged, To: email, Campaign: slug}, {Kind: notify.Blast, To: email},
		{Kind: notify.Blast, To: "ada", Campaign: slug},
	} {
		if address, err := links.Unsubscribe(m, now); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %q, %v", m, address, err)
		}
	}
}

// Tokens for other purposes or without a valid scope are rejected.
func TestLinks_OpenInvalidToken(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]token.Claims{
		"manage token": {Scope: token.Manage, Topic: "update", Email: email, CampaignSlug: slug},
		"no topic":     {Scope: token.Unsubscribe, Email: email, CampaignSlug: slug},
		"everything":   {Scope: token.Unsubscribe, Email: email},
		"no campaign":  {Scope: token.Unsubscribe, Topic: "update", Email: email},
		"no address":   {Scope: token.Unsubscribe, Topic: "update", CampaignSlug: slug},
	} {
		c.Expires = now.Add(time.Hour)
		tok, err := signer.Sign(c)
		if err != nil {
			t.Fatal(err)
		}
		if s, _, err := (suppression.Links{Signer: signer}).Open(tok, now); !fault.Is(err, fault.Unauthorized) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}
