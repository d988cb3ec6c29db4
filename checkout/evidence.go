package checkout

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Evidence is the record processor-event:v1:{time}:{id}: that an event came
// and what became of it. It holds identifiers only, never anything of the
// payload or of a person.
type Evidence struct {
	Version      int           `json:"version"`
	Kind         string        `json:"kind"` // "webhook"
	EventID      string        `json:"eventId"`
	EventType    psp.EventType `json:"eventType"`
	ObjectID     string        `json:"objectId"`
	OrderID      string        `json:"orderId,omitempty"`
	CampaignSlug string        `json:"campaignSlug,omitempty"`
	Outcome      string        `json:"outcome"` // applied, skipped or conflict
	Reason       string        `json:"reason,omitempty"`
	Mode         psp.Mode      `json:"mode"`
	APIVersion   string        `json:"apiVersion"`
	ValueTime    time.Time     `json:"valueTime"` // of the event, by the processor's clock
	BookedAt     time.Time     `json:"bookedAt"`
}

func (s *Service) evidence(h psp.Hint, out applied, done bool) Evidence {
	e := Evidence{
		Version: 1, Kind: "webhook", EventID: h.EventID, EventType: h.Type, ObjectID: h.ObjectID,
		OrderID: out.orderID, CampaignSlug: out.slug, Outcome: "applied", Reason: out.skipped,
		Mode: h.Mode, APIVersion: psp.Version, ValueTime: h.Created.UTC(), BookedAt: s.Now().UTC(),
	}
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
