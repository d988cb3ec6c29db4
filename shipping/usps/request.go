package usps

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/shipping"
)

// Limits of the USPS in ounces and inches: Domestic Mail Manual 101, 201 and 601, and
// International Mail Manual 251.
var (
	heaviest         = ounces(70 * 16)
	heaviestAbroad   = ounces(64) // of First-Class
	heaviestLetter   = decimal.RequireFromString("3.5")
	heaviestFlat     = ounces(13)
	heaviestMachined = ounces(25 * 16)
	largest          = decimal.NewFromInt(130) // length plus girth
)

// Above one cubic foot, a parcel is billed one pound per 166 cubic inches.
const cubicFoot, divisor = 1728, 166

func ounces(n int64) decimal.Decimal { return decimal.NewFromInt(n) }

// class is a mail class.
type class struct{ id, name string }

var (
	letter         = class{"LETTERS", "USPS First-Class letter"}
	flat           = class{"FLATS", "USPS First-Class large envelope"}
	mediaMail      = class{"MEDIA_MAIL", "USPS Media Mail"}
	ground         = class{"USPS_GROUND_ADVANTAGE", "USPS Ground Advantage"}
	priority       = class{"PRIORITY_MAIL", "USPS Priority Mail"}
	firstAbroad    = class{"FIRST-CLASS_PACKAGE_INTERNATIONAL_SERVICE", "USPS First-Class Package International"}
	priorityAbroad = class{"PRIORITY_MAIL_INTERNATIONAL", "USPS Priority Mail International"}
)

// priceRequest is one request for a price.
type priceRequest struct {
	path   string
	body   priceParams
	source string // shipping.Rate.Source of the result
}

// priceParams are the parameters of a price request. Weights are in pounds, or in ounces for
// envelopes, and lengths in inches.
type priceParams struct {
	OriginZIP         string      `json:"originZIPCode,omitempty"`
	DestinationZIP    string      `json:"destinationZIPCode,omitempty"`
	Country           string      `json:"destinationCountryCode,omitempty"`
	ForeignPostalCode string      `json:"foreignPostalCode,omitempty"`
	Weight            json.Number `json:"weight"`
	Length            json.Number `json:"length"`
	Width             json.Number `json:"width,omitempty"`
	Height            json.Number `json:"height"`
	Thickness         json.Number `json:"thickness,omitempty"`
	MailClass         string      `json:"mailClass,omitempty"`
	Processing        string      `json:"processingCategory"`
	EntryFacility     string      `json:"destinationEntryFacilityType,omitempty"`
	RateIndicator     string      `json:"rateIndicator,omitempty"`
	PriceType         string      `json:"priceType,omitempty"`
	MailingDate       string      `json:"mailingDate"`
}

var zip = regexp.MustCompile(`^\d{5}(?:-\d{4})?$`)

// priceRequests returns one request for each mail class that may accept a shipment, the preferred
// class first. It returns none if no class accepts the parcel, or for a domestic address without a
// valid ZIP code.
func (c *Carrier) priceRequests(s shipping.Shipment) []priceRequest {
	p := s.Parcel
	girth := p.Width.Add(p.Height).Mul(decimal.NewFromInt(2))
	if p.Weight.GreaterThan(heaviest) || p.Length.Add(girth).GreaterThan(largest) {
		return nil
	}
	at := s.At.In(c.zone).Format(time.DateOnly)
	if !shipping.Domestic("US", s.To.Country) {
		return c.internationalRequests(s, at)
	}
	if !zip.MatchString(s.To.PostalCode) {
		return nil
	}
	var all []priceRequest
	if envelope, ok := envelopeOf(p); ok && !s.Signed {
		all = append(all, c.envelopeRequest(p, envelope, at))
	}
	classes := []class{ground, priority}
	if p.Media {
		classes = append([]class{mediaMail}, classes...)
	}
	for _, class := range classes {
		q := c.newPriceRequest(p, class, at)
		q.path = "/prices/v3/base-rates/search"
		q.body.DestinationZIP = s.To.PostalCode[:5]
		all = append(all, q)
	}
	return all
}

// internationalRequests is priceRequests for shipments abroad. at is the mailing date.
func (c *Carrier) internationalRequests(s shipping.Shipment, at string) []priceRequest {
	classes := []class{priorityAbroad}
	if !s.Parcel.Weight.GreaterThan(heaviestAbroad) {
		classes = []class{firstAbroad, priorityAbroad}
	}
	all := make([]priceRequest, 0, len(classes))
	for _, class := range classes {
		q := c.newPriceRequest(s.Parcel, class, at)
		q.path = "/international-prices/v3/base-rates/search"
		q.body.Country, q.body.ForeignPostalCode = s.To.Country, strings.TrimSpace(s.To.PostalCode)
		q.body.RateIndicator = singlePiece
		all = append(all, q)
	}
	return all
}

const (
	singlePiece = "SP"
	dimensional = "DR" // rectangular, billed by size
)

// newPriceRequest returns a price request for a parcel in a mail class. Weights are rounded up to
// ounces.
func (c *Carrier) newPriceRequest(p shipping.Parcel, class class, at string) priceRequest {
	weight := p.Weight.Ceil()
	indicator, billed := singlePiece, weight.String()+" oz"
	if more, larger := p.Billable(cubicFoot, divisor); larger && class != mediaMail {
		indicator, billed = dimensional, more.String()+" oz by size"
	}
	return priceRequest{
		source: fmt.Sprintf("%s from %s, %s, %s", class.name, c.origin, billed, at),
		body: priceParams{
			OriginZIP: c.origin, Weight: number(weight.Div(ounces(16))),
			Length: number(p.Length), Width: number(p.Width), Height: number(p.Height),
			MailClass: class.id, Processing: processing(p), EntryFacility: "NONE", RateIndicator: indicator,
			PriceType: c.priceType, MailingDate: at,
		},
	}
}

// processing returns the parcel's processing category: whether machines can handle it.
func processing(p shipping.Parcel) string {
	within := func(d decimal.Decimal, most int64) bool { return !d.GreaterThan(decimal.NewFromInt(most)) }
	if within(p.Length, 22) && within(p.Width, 18) && within(p.Height, 15) && !p.Weight.GreaterThan(heaviestMachined) {
		return "MACHINABLE"
	}
	return "NON_MACHINABLE"
}

// envelopeRequest returns a request for a letter or a large envelope, whose price does not depend
// on the distance.
func (c *Carrier) envelopeRequest(p shipping.Parcel, envelope class, at string) priceRequest {
	weight := p.Weight.Ceil()
	if envelope == letter {
		weight = p.Weight
	}
	return priceRequest{
		path:   "/prices/v3/letter-rates/search",
		source: fmt.Sprintf("%s, %s oz, %s", envelope.name, weight, at),
		body: priceParams{
			Weight: number(weight), Length: number(p.Length), Height: number(p.Width), Thickness: number(p.Height),
			Processing: envelope.id, MailingDate: at,
		},
	}
}

// envelopeOf returns the envelope class that a flexible parcel fits. It returns false if the parcel
// is not flexible or fits none.
func envelopeOf(p shipping.Parcel) (class, bool) {
	within := func(length, width, thickness string) bool {
		d := decimal.RequireFromString
		return !p.Length.GreaterThan(d(length)) && !p.Width.GreaterThan(d(width)) && !p.Height.GreaterThan(d(thickness))
	}
	switch {
	case !p.Flexible:
		return class{}, false
	case within("11.5", "6.125", "0.25") && !p.Weight.GreaterThan(heaviestLetter):
		return letter, true
	case within("15", "12", "0.75") && !p.Weight.GreaterThan(heaviestFlat):
		return flat, true
	}
	return class{}, false
}

func number(d decimal.Decimal) json.Number { return json.Number(d.String()) }
