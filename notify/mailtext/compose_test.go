package mailtext_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var links = mailtext.Links{SiteBase: "https://example.org/",
	Signer: token.Signer{Secret: []byte(strings.Repeat("s", 32))}}

// mountain returns the zone of the examples' deadlines.
func mountain(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/Denver")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func film(t testing.TB) *campaign.Campaign {
	t.Helper()
	deadline, err := campaign.ParseMoment("2026-06-30")
	if err != nil {
		t.Fatal(err)
	}
	return &campaign.Campaign{Slug: "night-shift", Title: "Night Shift", Goal: money.Dollars(25_000), Deadline: deadline}
}

func pledged(t testing.TB) *pledge.Pledge {
	t.Helper()
	p := &pledge.Pledge{
		OrderID: "pw-01arz3ndektsv4rrffq69g5fav", Email: "ada@example.org", CampaignSlug: "night-shift",
		Revision: 1, Status: pledge.Active, CustomerID: "cus_1", PaymentMethodID: "pm_1", SetupIntentID: "seti_1",
		Lines: []pledge.Line{
			{Kind: pledge.TierLine, ID: "disc", Name: "Blu-ray", Quantity: 1, UnitPrice: 4000, Amount: 4000},
			{Kind: pledge.CampaignAddOnLine, ID: "shirt", Variant: "m", Name: "T-shirt", VariantName: "Medium",
				Quantity: 2, UnitPrice: 2501, Amount: 5002},
			{Kind: pledge.SupportLine, ID: "sound", Name: "Sound mix", Quantity: 1, UnitPrice: 123_400, Amount: 123_400},
		},
	}
	var err error
	if p.Totals, err = pledge.CalculateTotals(p.Lines, 10429, 300, pledge.Tip{Percent: 5}); err != nil {
		t.Fatal(err)
	}
	return p
}

const manage = "https://example.org/manage/#t="

// body returns a mail's text with the variable part of its link removed.
func body(t *testing.T, m notify.Message) string {
	t.Helper()
	before, rest, ok := strings.Cut(m.Text, manage)
	_, after, _ := strings.Cut(rest, "\n")
	if !ok || strings.Contains(after, "://") {
		t.Fatalf("want exactly one link:\n%s", m.Text)
	}
	return before + "LINK\n" + after
}

// Proves MON-10: every amount in the mail is the stored integer of cents, to
// the cent.
func TestConfirmation(t *testing.T) {
	p := pledged(t)
	m, err := mailtext.ConfirmationMail(p, film(t), links, mountain(t), start)
	if err != nil {
		t.Fatal(err)
	}
	want := `Your pledge to Night Shift is in

Nothing has been charged. After June 30, 2026, 11:59 PM MDT, $1,497.51 will be charged to your card, but only if Night Shift reaches its goal of $25,000.

Until then you can change or cancel your pledge. Keep this email and don't forward it: anyone with its link can change or cancel your pledge.

See my pledge:
LINK

Order pw-01arz3ndektsv4rrffq69g5fav
  Blu-ray: $40.00
  2 × T-shirt, Medium: $50.02
  Sound mix: $1,234.00
  Shipping: $3.00
  Tax: $104.29
  Tip: $66.20
  You'll pay (US dollars, only if funded): $1,497.51

You're getting this email because you pledged to Night Shift.
`
	if diff := cmp.Diff(want, body(t, m)); diff != "" {
		t.Error(diff)
	}
	shown := func(s string) []string {
		amounts := slices.Sorted(slices.Values(regexp.MustCompile(`\$[\d,]+\.\d\d`).FindAllString(s, -1)))
		return slices.Compact(amounts)
	}
	if diff := cmp.Diff(shown(want), shown(m.HTML)); diff != "" {
		t.Errorf("in HTML: %s", diff)
	}
	if strings.Count(m.HTML, "</h2>") != 1 || !strings.Contains(m.HTML, ">Order "+p.OrderID+"</h2>") {
		t.Errorf("the headings of\n%s", m.HTML)
	}
	m.Text, m.HTML = "", ""
	head := notify.Message{
		Kind: notify.Confirmation, Identity: "confirmation:" + p.OrderID, To: p.Email,
		Lang: "en", Subject: "You pledged $1,497.51 to Night Shift", Campaign: "night-shift",
	}
	if diff := cmp.Diff(head, m, cmpopts.IgnoreUnexported(m)); diff != "" {
		t.Error(diff)
	}
}

// The link opens the manage page with a token for this pledge only, valid for 90 days.
func TestLinks_Manage(t *testing.T) {
	p := pledged(t)
	link, err := links.Manage(p, start)
	if err != nil {
		t.Fatal(err)
	}
	carried := fragment(t, link)
	if !strings.HasPrefix(link, manage) {
		t.Fatalf("link %q", link)
	}
	got, err := links.Signer.Verify(carried.Get("t"), token.Manage, start)
	want := token.Claims{
		Scope: token.Manage, OrderID: p.OrderID, Email: p.Email, CampaignSlug: p.CampaignSlug,
		Expires: start.Add(90 * 24 * time.Hour),
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// fragment returns the parameters in a link's fragment, and checks that it has no query.
func fragment(t *testing.T, link string) url.Values {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil || u.RawQuery != "" {
		t.Fatalf("link %q, %v", link, err)
	}
	carried, err := url.ParseQuery(u.EscapedFragment())
	if err != nil {
		t.Fatal(err)
	}
	return carried
}

// The join link has the pledge's own token, and a second one for all pledges of its address
// to its campaign, which contains no order ID.
func TestLinks_Join(t *testing.T) {
	p := pledged(t)
	link, err := links.Join(p, start)
	if err != nil {
		t.Fatal(err)
	}
	carried := fragment(t, link)
	if !strings.HasPrefix(link, manage) || carried.Get("do") != "join" {
		t.Fatalf("link %q", link)
	}
	if _, err := links.Signer.Verify(carried.Get("t"), token.Manage, start); err != nil {
		t.Error(err)
	}
	got, err := links.Signer.Verify(carried.Get("all"), token.Join, start)
	want := token.Claims{Scope: token.Join, Email: p.Email, CampaignSlug: p.CampaignSlug,
		Expires: start.Add(90 * 24 * time.Hour)}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	m, err := mailtext.ConfirmationAmongOthers(p, film(t), links, mountain(t), start)
	if err != nil || !strings.Contains(m.Text, link+"\n") {
		t.Errorf("join link missing in the confirmation, %v:\n%s", err, m.Text)
	}
}

// A long subject is truncated to the maximum length.
func TestConfirmation_LongTitleIsCut(t *testing.T) {
	const around = len("You pledged $1,497.51 to ")
	for n, want := range map[int]int{200 - around: 200, 201 - around: 200, 300: 200} {
		c := film(t)
		c.Title = strings.Repeat("x", n)
		m, err := mailtext.ConfirmationMail(pledged(t), c, links, mountain(t), start)
		if err != nil || len(m.Subject) != want || strings.Count(m.Subject, "x") != 200-around {
			t.Errorf("a title of %d: %q, %v", n, m.Subject, err)
		}
	}
}

func TestModifiedAndCancelled(t *testing.T) {
	p := pledged(t)
	p.Revision = 3
	m, err := mailtext.ModifiedMail(p, film(t), links, mountain(t), start)
	if err != nil || m.Identity != "modified:"+p.OrderID+":3" ||
		!strings.Contains(m.Text, "You'll pay (US dollars, only if funded): $1,497.51") {
		t.Errorf("modified: %+v, %v", m, err)
	}
	m, err = mailtext.CancelledMail(p, film(t), links, mountain(t), start)
	if err != nil || m.Identity != "cancelled:"+p.OrderID {
		t.Errorf("cancelled: %+v, %v", m, err)
	}
	want := "Your pledge of $1,497.51 to Night Shift is canceled. You have not been charged for it and won't be.\n"
	if !strings.HasPrefix(body(t, m), want) {
		t.Errorf("cancelled: %s", m.Text)
	}
}

// charged returns two pledges of one supporter that were charged in one payment.
func charged(t *testing.T) []*pledge.Pledge {
	a, b := pledged(t), pledged(t)
	b.OrderID = "pw-01bx5zzkbkactav9wevgemmvrz"
	for _, p := range []*pledge.Pledge{a, b} {
		p.Status, p.Charged, p.PaymentIntentID = pledge.Charged, true, "pi_1"
	}
	return []*pledge.Pledge{a, b}
}

func TestCharged(t *testing.T) {
	m, err := mailtext.ChargedMail(charged(t), film(t), links, mountain(t), start)
	if err != nil {
		t.Fatal(err)
	}
	if m.Identity != "charged:pi_1" || m.Subject != "Receipt: $2,995.02 for Night Shift" {
		t.Errorf("%q, %q", m.Identity, m.Subject)
	}
	for _, want := range []string{"Charged (US dollars): $2,995.02\n", "Receipt, order pw-01arz3ndektsv4rrffq69g5fav\n",
		"Receipt, order pw-01bx5zzkbkactav9wevgemmvrz\n"} {
		if !strings.Contains(body(t, m), want) {
			t.Errorf("%q is not in:\n%s", want, m.Text)
		}
	}
}

// If an operator accepted a different amount, the mail states both the charged and the agreed
// amount.
func TestCharged_DifferentAmount(t *testing.T) {
	pledges := charged(t)
	pledges[0].ChargedAmount = 1000
	paid := pledges[0].Paid() + pledges[1].Paid()
	m, err := mailtext.ChargedMail(pledges, film(t), links, mountain(t), start)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Receipt: " + paid.String() + " for Night Shift"; m.Subject != want {
		t.Errorf("%q, want %q", m.Subject, want)
	}
	for _, want := range []string{
		paid.String() + " was charged to your card.", "You agreed to $2,995.02, but " + paid.String() + " was charged.",
		"Total of your pledges: $2,995.02\n", "Charged (US dollars): " + paid.String() + "\n",
	} {
		if !strings.Contains(body(t, m), want) {
			t.Errorf("%q is not in:\n%s", want, m.Text)
		}
	}
	if m, err = mailtext.ChargedMail(charged(t), film(t), links, mountain(t), start); err != nil ||
		strings.Contains(m.Text, "agreed to") || strings.Contains(m.Text, "Total of your pledges") {
		t.Errorf("agreed amount (%v):\n%s", err, m.Text)
	}
}

// The mail with the manage links states the charged amount, not the agreed one.
func TestLinksMail_DifferentAmount(t *testing.T) {
	pledges := charged(t)
	pledges[0].ChargedAmount = 1234
	m, err := mailtext.LinksMail(pledges, func(string) string { return "Night Shift" }, links, start)
	if err != nil || strings.Count(m.Text, "Night Shift, $12.34:") != 1 ||
		strings.Count(m.Text, "Night Shift, $1,497.51:") != 1 {
		t.Errorf("%v:\n%s", err, m.Text)
	}
}

func TestUpdateCard(t *testing.T) {
	p := pledged(t)
	p.Status, p.LastFailure = pledge.PaymentFailed,
		&pledge.Failure{Kind: "declined", DeclineCode: "stolen_card", Generation: 2}
	m, err := mailtext.UpdateCardMail([]*pledge.Pledge{p}, film(t), links, mountain(t), start)
	if err != nil {
		t.Fatal(err)
	}
	want := `Your card couldn't be charged

Night Shift is funded, but we couldn't charge $1,497.51 to your card. Your bank declined the payment. Ask your bank for the reason. No money was taken.

Pay with another card:
LINK

Your new card is charged $1,497.51 as soon as you save it. You can also try the same card again.

Order pw-01arz3ndektsv4rrffq69g5fav
  Blu-ray; 2 × T-shirt, Medium; Sound mix: $1,324.02
  Shipping, tax and tip: $173.49
  Due (US dollars): $1,497.51

You're getting this email because you pledged to Night Shift.
`
	if diff := cmp.Diff(want, body(t, m)); diff != "" {
		t.Error(diff)
	}
	first := m.Identity
	p.LastFailure.Generation = 3
	if m, err = mailtext.UpdateCardMail([]*pledge.Pledge{p}, film(t), links, mountain(t), start); err != nil ||
		m.Identity == first {
		t.Errorf("identity of the next failure: %q, %v", m.Identity, err)
	}
}

func TestCompose_InvalidInput(t *testing.T) {
	zone := mountain(t)
	other := charged(t)
	other[1].PaymentIntentID = "pi_2"
	open, unpaid := charged(t), charged(t)
	open[0].Charged = false
	unpaid[0].PaymentIntentID, unpaid[1].PaymentIntentID = "", ""
	tooMuch := charged(t)
	tooMuch[0].Amount = money.Max
	for name, run := range map[string]func() (notify.Message, error){
		"charged, none": func() (notify.Message,
			error) {
			return mailtext.ChargedMail(nil, film(t), links, zone, start)
		},
		"charged, two payments": func() (notify.Message,
			error) {
			return mailtext.ChargedMail(other, film(t), links, zone, start)
		},
		"charged, one is not": func() (notify.Message,
			error) {
			return mailtext.ChargedMail(open, film(t), links, zone, start)
		},
		"charged, no payment": func() (notify.Message,
			error) {
			return mailtext.ChargedMail(unpaid, film(t), links, zone, start)
		},
		"dropped, none": func() (notify.Message,
			error) {
			return mailtext.DroppedMail(nil, film(t), links, zone, start)
		},
		"dropped, one is not": func() (notify.Message, error) {
			return mailtext.DroppedMail([]*pledge.Pledge{pledged(t)}, film(t), links, zone, start)
		},
		"charged, too much": func() (notify.Message,
			error) {
			return mailtext.ChargedMail(tooMuch, film(t), links, zone, start)
		},
		"update card, none": func() (notify.Message,
			error) {
			return mailtext.UpdateCardMail(nil, film(t), links, zone, start)
		},
		"update card, no failed charge": func() (notify.Message, error) {
			return mailtext.UpdateCardMail([]*pledge.Pledge{pledged(t)}, film(t), links, zone, start)
		},
	} {
		if m, err := run(); !fault.Is(err, fault.Invalid) || m != (notify.Message{}) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	if _, err := mailtext.ConfirmationMail(pledged(t), film(t), mailtext.Links{SiteBase: "https://example.org"},
		zone, start); err == nil {
		t.Error("a link was signed without a secret")
	}
}

// FuzzConfirmation checks that a campaign's texts cannot inject header fields, line breaks or
// direction marks.
func FuzzConfirmation(f *testing.F) {
	f.Add("Night Shift", "Blu-ray", "Medium")
	f.Add("Night\r\nBcc: eve@example.org", "Disc\n\n  Total: $0.00", "\u202eegral")
	f.Add(strings.Repeat("ä", 300), "\x00\xff", "")
	zone := mountain(f)
	f.Fuzz(func(t *testing.T, title, name, variant string) {
		c, p := film(t), pledged(t)
		c.Title, p.Lines[1].Name, p.Lines[1].VariantName = title, name, variant
		m, err := mailtext.ConfirmationMail(p, c, links, zone, start)
		if err != nil {
			return
		}
		if len(m.Subject) > 200 || strings.ContainsFunc(m.Subject, control) ||
			strings.ContainsFunc(strings.ReplaceAll(m.Text, "\n", ""), control) {
			t.Errorf("control characters or too long: %q\n%q", m.Subject, m.Text)
		}
		if got := strings.Count(m.Text, "\n"); got != 19 {
			t.Errorf("%d lines:\n%s", got, m.Text)
		}
	})
}

func control(r rune) bool { return r < ' ' || r == 0x7f || r >= '\u202a' && r <= '\u202e' }

// A supporter with more pledges than fit in a mail gets a brief form. Otherwise, the mail could
// never be sent and the campaign could never be settled.
func TestCharged_ManyPledgesInBrief(t *testing.T) {
	var many []*pledge.Pledge
	for i := range 3000 {
		p := pledged(t)
		p.OrderID = fmt.Sprintf("pw-01arz3ndektsv4rrffq69g%04d", i)
		p.Lines, p.Totals = slices.Clone(p.Lines[:1]), pledge.Totals{Subtotal: 4000, Amount: 4000}
		p.Status, p.Charged, p.PaymentIntentID = pledge.Charged, true, "pi_1"
		many = append(many, p)
	}
	compose := func(pledges []*pledge.Pledge) notify.Message {
		t.Helper()
		m, err := mailtext.ChargedMail(pledges, film(t), links, mountain(t), time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const most = 100 << 10 // of HTML: Gmail clips longer mails
	n := 1
	for n < len(many) && strings.Contains(compose(many[:n+1]).Text, many[n].OrderID) {
		n++
	}
	few := many[:n]
	few[0].Lines[0].Name += strings.Repeat("x", most-len(compose(few).HTML))
	if m := compose(few); n < 20 || len(m.HTML) != most || !strings.Contains(m.HTML, few[n-1].OrderID) {
		t.Errorf("mail about %d pledges: %d bytes were shortened to %d", n, most, len(m.HTML))
	}
	few[0].Lines[0].Name += "x"
	if m := compose(few); strings.Contains(m.Text+m.HTML, few[n-1].OrderID) {
		t.Errorf("mail of %d and %d bytes", len(m.Text), len(m.HTML))
	}
	m := compose(many)
	for _, want := range []string{"Total of your 3000 pledges: $120,000.00",
		"3000 pledges, starting with order pw-01arz3ndektsv4rrffq69g0000", manage} {
		if !strings.Contains(m.Text, want) || !strings.Contains(m.HTML, strings.TrimSuffix(want, ": $120,000.00")) {
			t.Errorf("no %q in %d and %d bytes", want, len(m.Text), len(m.HTML))
		}
	}
}

// The confirmation of a pledge whose address has other pledges states how it is charged, and offers
// to join or to cancel it.
func TestConfirmation_AmongOthers(t *testing.T) {
	p := pledged(t)
	text := func() string {
		t.Helper()
		m, err := mailtext.ConfirmationAmongOthers(p, film(t), links, mountain(t), start)
		if err != nil || m.Identity != "confirmation:"+p.OrderID {
			t.Fatalf("%q, %v", m.Identity, err)
		}
		return m.Text
	}
	alone := text()
	for _, part := range []string{"each is charged separately, to its own card", "&do=join\n", "&do=cancel\n"} {
		if !strings.Contains(alone, part) {
			t.Errorf("%q is missing in:\n%s", part, alone)
		}
	}
	p.JoinedAt = &start
	if joined := text(); !strings.Contains(joined, "part of your combined pledges") ||
		strings.Contains(joined, "&do=") {
		t.Errorf("mail about a joined pledge:\n%s", joined)
	}
}

// Requested links are not sent after more than a day, for example because of a stop or an outage.
func TestLinksMail_NotAfter(t *testing.T) {
	m, err := mailtext.LinksMail([]*pledge.Pledge{pledged(t)}, func(string) string { return "Film" }, links, start)
	if want := start.Add(24 * time.Hour); err != nil || !m.NotAfter.Equal(want) {
		t.Errorf("not after %s, %v; want %s", m.NotAfter, err, want)
	}
}
