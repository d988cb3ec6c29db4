package mailtext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The mail about a parcel contains only the details that are known.
func TestParcelSent(t *testing.T) {
	const lead, tail = "Your rewards from Night Shift are on the way.\n\nSent on June 30, 2026.\n\n",
		"See my pledge:\nLINK\n\nOrder pw-01arz3ndektsv4rrffq69g5fav\n\n" +
			"You're getting this email because you pledged to Night Shift.\n"
	for name, tt := range map[string]struct {
		parcel pledge.Parcel
		want   string
	}{
		"nothing":         {pledge.Parcel{}, ""},
		"a carrier":       {pledge.Parcel{Carrier: "UPS"}, "Carrier: UPS\n\n"},
		"tracking number": {pledge.Parcel{Carrier: "UPS", Tracking: "1Z999"}, "Carrier: UPS\n\nTracking number: 1Z999\n\n"},
	} {
		tt.parcel.Fulfiller, tt.parcel.Status, tt.parcel.SentOn = pledge.ByCampaign, pledge.Sent, "2026-06-30"
		m, err := mailtext.ParcelSentMail(pledged(t), tt.parcel, film(t), links, start)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lead+tt.want+tail, body(t, m)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		tt.parcel.Link = "https://carrier.example/1Z999"
		m, err = mailtext.ParcelSentMail(pledged(t), tt.parcel, film(t), links, start)
		if err != nil ||
			!strings.HasPrefix(m.Text,
				lead+tt.want+"Track your parcel on the carrier's site:\nhttps://carrier.example/1Z999\n\n") {
			t.Errorf("%s, and a link: %v\n%s", name, err, m.Text)
		}
	}
}

func TestParcelSent_UnsentParcel(t *testing.T) {
	for name, parcel := range map[string]pledge.Parcel{
		"not sent": {Status: pledge.Packed, SentOn: "2026-06-30"},
		"no day":   {Status: pledge.Sent},
	} {
		if m, err := mailtext.ParcelSentMail(pledged(t), parcel, film(t), links, start); !fault.Is(err, fault.Invalid) ||
			m != (notify.Message{}) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// The new shipping address is written on one line, without its empty parts, and with the phone
// number.
func TestReaddressed(t *testing.T) {
	for want, a := range map[string]pledge.Address{
		"Ada, Calle 2, Taos, NM 87571, United States\n": {Name: "Ada", Line1: "Calle 2",
			City: "Taos", State: "NM", PostalCode: "87571", Country: "US"},
		"Ada, Calle 2, 3º izq., 28001 Madrid, Spain\n": {Name: "Ada", Line1: "Calle 2",
			Line2: "3º izq.", City: "Madrid", PostalCode: "28001", Country: "ES"},
		"Ada, Calle 2, Taos, NM 87571, United States, +1 575 555 0100\n": {Name: "Ada", Line1: "Calle 2",
			City: "Taos", State: "NM", PostalCode: "87571", Country: "US", Phone: "+1 575 555 0100"},
	} {
		p := pledged(t)
		p.ShippingAddress = &a
		m, err := mailtext.ReaddressedMail(p, film(t), links, start)
		if err != nil || !strings.Contains(m.Text, "New address: "+want) {
			t.Errorf("%q: %v\n%s", want, err, m.Text)
		}
	}
}

// Each charge group of a supporter has its own mail. Groups of an earlier release, which had
// no name, are identified by the address.
func TestDropped_MailPerChargeGroup(t *testing.T) {
	dropped := func(group string) *pledge.Pledge {
		p := pledged(t)
		p.Status, p.Group, p.Recovery = pledge.PaymentFailed, group, &pledge.Recovery{Lane: pledge.Dropped, Until: start}
		return p
	}
	for group, want := range map[string]string{"g1": "g1", "g2": "g2", "": pledge.EmailHash("ada@example.org")} {
		m, err := mailtext.DroppedMail([]*pledge.Pledge{dropped(group), dropped(group)}, film(t), links, mountain(t), start)
		if err != nil || m.Identity != "dropped:night-shift:"+want {
			t.Errorf("%q: %s, %v", group, m.Identity, err)
		}
	}
}

// The mail about a lost order links to the cart or, without a cart, to the campaign.
func TestLostMail_LinksToCart(t *testing.T) {
	for cart, want := range map[string]string{"": "https://example.org/es/campaigns/night-shift/",
		"abc": "https://example.org/es/checkout/#cart=abc"} {
		m, err := mailtext.LostMail("ada@example.org", "pw-1", film(t), "es", cart, links)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{want}, link.FindAllString(m.Text, -1)); diff != "" {
			t.Errorf("cart %q (-want +got):\n%s", cart, diff)
		}
	}
}

// A reminder of a cart with one campaign belongs to that campaign, so that unsubscribing from the
// campaign applies to it. A reminder of a cart with several campaigns belongs to none.
func TestCartReminder_Campaign(t *testing.T) {
	r := mailtext.Reminder{Identity: "cart:1", To: "ada@example.org", Lang: "en",
		Link: "https://example.org/checkout/", Unsubscribe: "https://example.org/stop"}
	for want, cart := range map[string][]*campaign.Campaign{"night-shift": {film(t)},
		"": {film(t), {Slug: "ferry", Title: "Ferry"}}} {
		m, err := mailtext.CartReminderMail(r, cart, links.Platform)
		if err != nil || m.Campaign != want {
			t.Errorf("%d campaigns: %q, %v", len(cart), m.Campaign, err)
		}
	}
}
