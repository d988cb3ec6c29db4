package checkout

import (
	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// eventEvidence returns the evidence record for an event that was handled with the result out.
func (s *Service) eventEvidence(h psp.Hint, out eventResult, done bool) evidence.Event {
	e := evidence.EventOf(h, s.Now())
	e.OrderID, e.CampaignSlug, e.Outcome, e.Reason = out.orderID, out.slug, "applied", out.skipped
	switch {
	case !done:
		e.Outcome = "conflict"
	case out.skipped != "":
		e.Outcome = "skipped"
	}
	if _, err := pledge.OrderOf(e.OrderID); err != nil {
		e.OrderID, e.CampaignSlug = "", "" // not verified: the metadata belongs to another service
	}
	return e
}
