package checkout

import (
	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// evidence is what is kept of an event and of what became of it.
func (s *Service) evidence(h psp.Hint, out applied, done bool) evidence.Event {
	e := evidence.EventOf(h, s.Now())
	e.OrderID, e.CampaignSlug, e.Outcome, e.Reason = out.orderID, out.slug, "applied", out.skipped
	switch {
	case !done:
		e.Outcome = "conflict"
	case out.skipped != "":
		e.Outcome = "skipped"
	}
	if _, err := pledge.OrderOf(e.OrderID); err != nil {
		e.OrderID, e.CampaignSlug = "", "" // written by somebody else
	}
	return e
}
