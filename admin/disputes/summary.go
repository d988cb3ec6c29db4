package disputes

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/supporters"
)

// printer writes text and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, a ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", a...)
	}
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// writeSummary writes the evidence in words. It is in English, the language of the processor's forms.
func (e *Evidence) writeSummary(w io.Writer) error {
	d, out := e.Dispute, &printer{w: w}
	out.line("DISPUTE %s", d.ID)
	out.line("Payment %s, %s disputed, opened %s", d.PaymentID, d.Amount, instant(d.OpenedAt))
	out.line("Reason %s %s, status %s", d.Reason, d.NetworkReasonCode, d.Status)
	if d.AnswerBy != nil {
		out.line("Answer due by %s", instant(*d.AnswerBy))
	}
	for _, p := range e.Pledges {
		out.line("\nPLEDGE %s to %s", p.Pledge.OrderID, p.Campaign)
		p.print(out)
	}
	return out.err
}

func (e PledgeEvidence) print(out *printer) {
	p := e.Pledge
	out.line("Supporter %s <%s>, pledged %s", p.SupporterName(), p.Email, instant(p.BookedAt))
	for _, l := range p.Lines {
		promised := ""
		if l.PromisedDelivery != "" {
			promised = ", delivery promised for " + l.PromisedDelivery
		}
		out.line("  %d x %s %s: %s%s", l.Quantity, l.Name, l.VariantName, l.Amount, promised)
	}
	out.line("Subtotal %s, shipping %s, tax %s, tip %s, total %s", p.Subtotal, p.Shipping, p.Tax, p.TipAmount, p.Amount)
	if p.ChargedAt != nil {
		out.line("Charged %s on %s, payment %s", p.Paid(), instant(*p.ChargedAt), p.PaymentIntentID)
	}
	out.line("\nTERMS")
	out.line("Accepted %s: consent version %s, campaign revision %s", instant(p.Promise.AcceptedAt),
		p.Promise.ConsentVersion, cmp.Or(p.Promise.CampaignRevision, "unknown"))
	if !p.Promise.EndsAt.IsZero() {
		out.line("Shown deadline %s, goal %s", instant(p.Promise.EndsAt), p.Promise.Goal)
	}
	if e.Consent.Text != "" {
		out.line("%s", e.Consent.Text)
	}
	e.printDelivery(out)
	e.printEvents(out)
}

func (e PledgeEvidence) printDelivery(out *printer) {
	out.line("\nDELIVERY")
	if a := e.Pledge.ShippingAddress; a != nil {
		out.line("To %s", strings.Join(nonEmpty(a.Name, a.Line1, a.Line2, a.City, a.State, a.PostalCode, a.Country), ", "))
	}
	for _, parcel := range e.Supporter.Parcels {
		out.line("Parcel: %s %s", parcel.Status,
			strings.Join(nonEmpty(parcel.SentOn, parcel.Carrier, parcel.Tracking, parcel.Link), ", "))
	}
	if e.Supporter.Delivery != "" {
		out.line("Fulfillment: %s", e.Supporter.Delivery)
	}
}

func (e PledgeEvidence) printEvents(out *printer) {
	out.line("\nHISTORY AND EMAILS")
	for _, ev := range e.Events {
		what := string(ev.Kind)
		if ev.Kind == supporters.Emailed {
			what = fmt.Sprintf("email %q", ev.Email)
		}
		out.line("%s  %s %s", instant(ev.At), what, ev.Outcome)
	}
}

func nonEmpty(all ...string) (kept []string) {
	for _, s := range all {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// writeConsent writes the text that the supporter accepted.
func (e PledgeEvidence) writeConsent(w io.Writer) error {
	out := &printer{w: w}
	out.line("Version %s, accepted %s", e.Pledge.Promise.ConsentVersion, instant(e.Pledge.Promise.AcceptedAt))
	if e.Consent.Text == "" {
		out.line("\nThis release has another version of the text. It is in checkout/consent.go of the release that was in use.")
		return out.err
	}
	out.line("\n%s", e.Consent.Text)
	if e.Pledge.PreferredLang == "es" {
		out.line("\nThe supporter read it in Spanish.")
	}
	return out.err
}
