package mailtext

import (
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// ParcelSentMail composes the mail about a parcel that was sent. There is one mail per parcel, even
// if its details change later. It fails with code Invalid for a parcel that was not sent.
func ParcelSentMail(p *pledge.Pledge, parcel pledge.Parcel, c *campaign.Campaign, l Links,
	now time.Time) (notify.Message, error) {
	day, err := time.Parse(time.DateOnly, parcel.SentOn)
	if err != nil || parcel.Status != pledge.Sent {
		return notify.Message{}, fault.New(fault.Invalid, "The parcel was not sent")
	}
	w := languageFor(p.PreferredLang)
	about := group{textParagraph(w.Format("parcel_on", "day", w.day(day)))}
	if parcel.Carrier != "" {
		about = append(about, textParagraph(w.Format("parcel_by", "carrier", parcel.Carrier)))
	}
	if parcel.Tracking != "" {
		about = append(about, textParagraph(w.Format("parcel_number", "number", parcel.Tracking)))
	}
	if parcel.Link != "" {
		about = append(about, newAction(w.Format("parcel_follow", "link", parcel.Link), w.Format("parcel_follow_button")))
	}
	return composePledgeMail(notify.ParcelSent, parcelIdentity(p.OrderID, parcel.Fulfiller),
		pledgeMail{campaign: c, pledges: []*pledge.Pledge{p}, zone: time.UTC, extra: about}, l, now)
}

// ReaddressedMail composes the mail about a pledge whose shipping address was changed by an
// operator, with the new address. It fails with code Invalid if the pledge has no address.
func ReaddressedMail(p *pledge.Pledge, c *campaign.Campaign, l Links, now time.Time) (notify.Message, error) {
	if p.ShippingAddress == nil {
		return notify.Message{}, fault.New(fault.Invalid, "The pledge has no address")
	}
	w := languageFor(p.PreferredLang)
	about := group{textParagraph(w.Format("readdressed_to", "address", strings.Join(w.address(p.ShippingAddress), ", "))),
		textParagraph(w.Format("readdressed_tail"))}
	return composePledgeMail(notify.Readdressed, readdressedIdentity(p.OrderID, p.Revision),
		pledgeMail{campaign: c, pledges: []*pledge.Pledge{p}, zone: time.UTC, extra: about}, l, now)
}

func parcelIdentity(orderID, fulfiller string) string {
	return "parcel-sent:" + orderID + ":" + fulfiller
}

func readdressedIdentity(orderID string, revision int) string {
	return fmt.Sprintf("readdressed:%s:%d", orderID, revision)
}
