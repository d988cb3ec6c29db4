package order

import (
	"encoding/json"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// open creates an order. The manifest's bytes are hashed and stored unchanged, including members
// that this release does not know.
type open struct {
	Manifest json.RawMessage `json:"manifest"`
}

func (open) Kind() string { return "open" }

type attach struct {
	SessionID string `json:"sessionId"`
}

func (attach) Kind() string { return "attach" }

type get struct{}

func (get) Kind() string { return "get" }

type getAccepted struct{}

func (getAccepted) Kind() string { return "get-accepted" }

type getPledge struct {
	PledgeID string `json:"pledgeId"`
}

func (getPledge) Kind() string { return "get-pledge" }

type getRevision struct {
	PledgeID string `json:"pledgeId"`
}

func (getRevision) Kind() string { return "get-revision" }

type confirm struct {
	SessionID string `json:"sessionId"`
	CartHash  string `json:"cartHash"`
	Card      Card   `json:"card"`
	Revive    bool   `json:"revive"`
}

func (confirm) Kind() string { return "confirm" }

type abandon struct {
	SessionID string `json:"sessionId,omitempty"`
}

func (abandon) Kind() string { return "abandon" }

type modify struct {
	PledgeID string `json:"pledgeId"`
	Revision int    `json:"revision"`
	Change   Change `json:"change"`
}

func (modify) Kind() string { return "modify" }

type cancel struct {
	PledgeID string    `json:"pledgeId"`
	NotAfter time.Time `json:"notAfter"`
	Reason   string    `json:"reason,omitempty"`
	// Group and Generation identify an attempt that ended without a charge. A claim for it does
	// not prevent the cancellation.
	Group      string `json:"group,omitempty"`
	Generation int    `json:"generation,omitempty"`
}

func (cancel) Kind() string { return "cancel" }

type join struct {
	PledgeID string    `json:"pledgeId"`
	NotAfter time.Time `json:"notAfter"`
	Session  string    `json:"session,omitempty"`
}

func (join) Kind() string { return "join" }

type startCard struct {
	PledgeID  string `json:"pledgeId"`
	SessionID string `json:"sessionId"`
}

func (startCard) Kind() string { return "start-card" }

type replaceCard struct {
	PledgeID  string `json:"pledgeId"`
	SessionID string `json:"sessionId"`
	Card      Card   `json:"card"`
}

func (replaceCard) Kind() string { return "replace-card" }

type fillCard struct {
	PledgeID string `json:"pledgeId"`
	Card     Card   `json:"card"`
}

func (fillCard) Kind() string { return "fill-card" }

// forgetCard marks the card for deletion. Missed is set if the campaign ended without reaching its
// goal, so that an unpaid pledge is never charged.
type forgetCard struct {
	PledgeID string `json:"pledgeId"`
	Missed   bool   `json:"missed"`
}

func (forgetCard) Kind() string { return "forget-card" }

// noteRefund records a refund's status in a charged pledge.
type noteRefund struct {
	PledgeID string        `json:"pledgeId"`
	Refund   pledge.Refund `json:"refund"`
}

func (noteRefund) Kind() string { return "note-refund" }

// noteDispute records a dispute's status in a charged pledge.
type noteDispute struct {
	PledgeID string         `json:"pledgeId"`
	Dispute  pledge.Dispute `json:"dispute"`
}

func (noteDispute) Kind() string { return "note-dispute" }

// cardsDetached records that all cards of the order were deleted at Stripe.
type cardsDetached struct{}

func (cardsDetached) Kind() string { return "cards-detached" }

type claim struct {
	PledgeID   string `json:"pledgeId"`
	Group      string `json:"group"`
	Generation int    `json:"generation"`
	// Found is set if the attempt's records were lost. Then a claim for an earlier attempt of the
	// group is replaced.
	Found bool `json:"found,omitempty"`
}

func (claim) Kind() string { return "claim" }

type charge struct {
	PledgeID   string  `json:"pledgeId"`
	Group      string  `json:"group"`
	Generation int     `json:"generation"`
	Charged    Charged `json:"charged"`
}

func (charge) Kind() string { return "charge" }

type fail struct {
	PledgeID   string          `json:"pledgeId"`
	Group      string          `json:"group"`
	Generation int             `json:"generation"`
	Failure    pledge.Failure  `json:"failure"`
	Recovery   pledge.Recovery `json:"recovery"`
}

func (fail) Kind() string { return "fail" }

type drop struct {
	PledgeID   string    `json:"pledgeId"`
	Generation int       `json:"generation"`
	At         time.Time `json:"at"`
}

func (drop) Kind() string { return "drop" }

type enlist struct {
	PledgeID string `json:"pledgeId"`
}

func (enlist) Kind() string { return "enlist" }

type enlisted struct{}

func (enlisted) Kind() string { return "enlisted" }

type none struct{}
