package disputes

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Evidence is what the service knows about a disputed payment. It contains personal data.
type Evidence struct {
	Dispute Dispute
	Pledges []PledgeEvidence
	at      time.Time
}

// PledgeEvidence is what the service knows about one pledge of a disputed payment.
type PledgeEvidence struct {
	Campaign string // title
	Pledge   *pledge.Pledge
	Consent  checkout.Consent // Text is "" for a version of another release
	// Supporter has the pledge's parcels, and Events its history, its charges and its emails with their
	// delivery, in chronological order. Operators' notes and names are not included.
	Supporter supporters.Pledge
	Events    []supporters.Event
}

// Evidence collects the records about a dispute's payment, as far as visible allows. It fails with code
// NotFound for an unknown campaign or dispute.
func (s *Service) Evidence(ctx context.Context, slug, id string, visible supporters.Visibility) (*Evidence, error) {
	if id == "" || !isID(id) {
		return nil, fault.New(fault.NotFound, "There is no such dispute").In("disputeId")
	}
	d, err := s.Settlement.Dispute(ctx, slug, id)
	if err != nil {
		return nil, err
	}
	e := &Evidence{at: s.Settlement.Now().UTC()}
	if e.Dispute, err = s.View(ctx, d); err != nil {
		return nil, err
	}
	for _, pledgeID := range e.Dispute.Pledges {
		p, err := s.pledgeEvidence(ctx, slug, pledgeID, d.PaymentID, visible)
		if err != nil {
			return nil, err
		}
		e.Pledges = append(e.Pledges, p)
	}
	return e, nil
}

func (s *Service) pledgeEvidence(ctx context.Context, slug, id, paymentID string,
	visible supporters.Visibility) (PledgeEvidence, error) {
	p, err := s.Settlement.Orders.Pledge(ctx, id)
	if err != nil {
		return PledgeEvidence{}, err
	}
	known, err := s.Supporters.Timeline(ctx, slug, id, visible)
	if err != nil {
		return PledgeEvidence{}, err
	}
	out := PledgeEvidence{Campaign: known.Title, Pledge: p}
	out.Consent, _ = s.Consent(p, known.Title)
	for _, v := range known.Pledges {
		if v.OrderID == id {
			out.Supporter = v
		}
	}
	for _, ev := range known.Events {
		if ev.Kind == supporters.Noted || ev.OrderID != id && ev.PaymentID != paymentID {
			continue
		}
		ev.By = ""
		out.Events = append(out.Events, ev)
	}
	p.Session = ""
	if !visible.Addresses {
		p.ShippingAddress, p.BillingAddress = nil, nil
	}
	return out, nil
}

// Write writes the evidence as a zip file: README.txt lists its files, summary.txt has everything in words,
// and the other files have the stored records.
func (e *Evidence) Write(w io.Writer) error {
	z := zip.NewWriter(w)
	files := []struct {
		name, about string
		write       func(io.Writer) error
	}{
		{"summary.txt", "everything in words, to read and to paste into the answer", e.writeSummary},
		{"dispute.json", "the dispute as recorded", jsonOf(e.Dispute)},
	}
	for i, p := range e.Pledges {
		n := i + 1
		add := func(name, about string, write func(io.Writer) error) {
			files = append(files, struct {
				name, about string
				write       func(io.Writer) error
			}{fmt.Sprintf(name, n), about, write})
		}
		add("pledge-%d.json", "the pledge: items with the promised month, amounts and how they were calculated, terms, address", jsonOf(p.Pledge))
		add("consent-%d.txt", "the text that the supporter accepted, and its version", p.writeConsent)
		add("timeline-%d.json", "the pledge's changes, charges and emails with their delivery", jsonOf(p.Events))
		add("parcels-%d.json", "the pledge's parcels with their tracking", jsonOf(p.Supporter.Parcels))
	}
	readme := func(w io.Writer) error {
		out := &printer{w: w}
		out.line("Evidence for the dispute %s, collected %s\n", e.Dispute.ID, e.at.Format(time.RFC3339))
		out.line("The files contain personal data. Send to the payment processor only what answers the dispute, and delete them afterwards.\n")
		for _, f := range files {
			out.line("%-18s %s", f.name, f.about)
		}
		return out.err
	}
	if err := addFile(z, "README.txt", e.at, readme); err != nil {
		return err
	}
	for _, f := range files {
		if err := addFile(z, f.name, e.at, f.write); err != nil {
			return err
		}
	}
	return z.Close()
}

func addFile(z *zip.Writer, name string, at time.Time, write func(io.Writer) error) error {
	f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at})
	if err != nil {
		return err
	}
	return write(f)
}

func jsonOf(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
}
