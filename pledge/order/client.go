package order

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// ClassName is the class of order objects, bound as CHECKOUT_INTENTS.
const ClassName = "order"

// Client sends commands to order objects. A pledge's ID includes its order's ID, so methods for one
// pledge take only its ID. They fail with code Invalid if it is not a valid ID, and with NotFound
// if the order or the pledge does not exist.
type Client struct{ Coordinator kv.Coordinator }

// Open creates an order from a manifest and returns it with the manifest's hash. The checkout
// session must be attached before the order can be confirmed. Open fails with code Invalid for an
// inconsistent manifest, and with Conflict if the order exists with another manifest.
func (c Client) Open(ctx context.Context, m Manifest) (Order, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return Order{}, fmt.Errorf("order: encoding a manifest: %w", err)
	}
	hash, err := c.open(ctx, m.OrderID, b)
	return Order{Manifest: m, Hash: hash, State: Open}, err
}

func (c Client) open(ctx context.Context, orderID string, accepted json.RawMessage) (hash string, err error) {
	return kv.Send[string](ctx, c.Coordinator, objectOf(orderID), "open", open{Manifest: accepted})
}

// OpenAccepted is like Open, but restores a lost order from its accepted manifest, which may have
// been written by any release.
func (c Client) OpenAccepted(ctx context.Context, accepted Accepted) error {
	_, err := c.open(ctx, accepted.OrderID, accepted.text)
	return err
}

// Accepted returns an order's manifest as the supporter accepted it.
func (c Client) Accepted(ctx context.Context, orderID string) (Accepted, error) {
	text, err := kv.Ask[json.RawMessage](ctx, c.Coordinator, objectOf(orderID), getAccepted{})
	if err != nil {
		return Accepted{}, err
	}
	return ReadAccepted(text)
}

// Attach stores the ID of an open order's Stripe session. Attaching the same session again has no
// effect. It fails with code Conflict if the order has another session or is not open.
func (c Client) Attach(ctx context.Context, orderID, sessionID string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, objectOf(orderID), "attach:"+sessionID, attach{SessionID: sessionID})
	return err
}

// Get returns the order. It fails with code NotFound if it does not exist.
func (c Client) Get(ctx context.Context, orderID string) (Order, error) {
	p, err := kv.Ask[parts](ctx, c.Coordinator, objectOf(orderID), get{})
	if err != nil {
		return Order{}, err
	}
	return p.order(), nil
}

// Pledge returns one pledge.
func (c Client) Pledge(ctx context.Context, pledgeID string) (*pledge.Pledge, error) {
	return ask(ctx, c, pledgeID, getPledge{PledgeID: pledgeID})
}

// Revision returns only the revision of one pledge, to check whether it has changed.
func (c Client) Revision(ctx context.Context, pledgeID string) (int, error) {
	orderID, err := pledge.OrderOf(pledgeID)
	if err != nil {
		return 0, err
	}
	return kv.Ask[int](ctx, c.Coordinator, objectOf(orderID), getRevision{PledgeID: pledgeID})
}

// Confirm creates the order's pledges, once. It returns the current order and whether this call
// created them.
//
// It fails with code Conflict if the session belongs to another order, or if cartHash is not the
// manifest's hash. It fails with Gone if the order was abandoned and revive is not set.
func (c Client) Confirm(ctx context.Context, orderID, sessionID, cartHash string, card Card,
	revive bool) (o Order, made bool, err error) {
	cmd := confirm{SessionID: sessionID, CartHash: cartHash, Card: card, Revive: revive}
	p, err := kv.Send[parts](ctx, c.Coordinator, objectOf(orderID), fmt.Sprintf("confirm:%s:%t", sessionID, revive), cmd)
	if err != nil {
		return Order{}, false, err
	}
	return p.order(), p.Made, nil
}

// Abandon ends an open order whose session has expired, or which has none (sessionID is ""). It
// fails with code Conflict if the order is confirmed or has another session.
func (c Client) Abandon(ctx context.Context, orderID, sessionID string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, objectOf(orderID), "abandon:"+sessionID, abandon{SessionID: sessionID})
	return err
}

// Modify replaces the content of an open pledge, as revision+1.
//
// It fails with code Conflict if the pledge is not open or has another revision, if it was changed
// too often, or if the change arrives after its time limit. It fails with Invalid if the totals do
// not match the lines.
func (c Client) Modify(ctx context.Context, pledgeID string, revision int, nonce string,
	ch Change) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, commandID("modify", pledgeID, nonce),
		modify{PledgeID: pledgeID, Revision: revision, Change: ch})
}

// Cancel cancels an open pledge. Cancelling it again returns it unchanged. It fails with code
// Conflict if the pledge is not open, or if the command arrives after notAfter; a zero notAfter
// means no limit.
func (c Client) Cancel(ctx context.Context, pledgeID, nonce string, notAfter time.Time) (*pledge.Pledge, error) {
	return c.CancelFor(ctx, pledgeID, nonce, "", notAfter)
}

// CancelFor is like Cancel, and records the supporter's reason in the pledge's history.
func (c Client) CancelFor(ctx context.Context, pledgeID, nonce, reason string,
	notAfter time.Time) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, commandID("cancel", pledgeID, nonce),
		cancel{PledgeID: pledgeID, NotAfter: notAfter, Reason: reason})
}

// CancelClaimed is like Cancel without a time limit, but also cancels a pledge that is claimed for
// the given attempt. The caller must know that the attempt has ended without a charge. It fails
// with code Conflict if the pledge is claimed for another attempt.
func (c Client) CancelClaimed(ctx context.Context, pledgeID, nonce, group string,
	generation int) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, commandID("cancel", pledgeID, nonce),
		cancel{PledgeID: pledgeID, Group: group, Generation: generation})
}

// Join marks an open pledge to be charged together with the other joined pledges of its address.
// Joining it again returns it unchanged. It fails with code Conflict if the pledge is not open,
// or if the command arrives after notAfter; a zero notAfter means no limit.
func (c Client) Join(ctx context.Context, pledgeID string, notAfter time.Time) (*pledge.Pledge, error) {
	return c.JoinInSession(ctx, pledgeID, "", notAfter)
}

// JoinInSession is like Join, but has the link holder's browser session. If the pledge was made in
// that session, its card is treated as saved through the link.
func (c Client) JoinInSession(ctx context.Context, pledgeID, session string,
	notAfter time.Time) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, commandID("join", pledgeID, session),
		join{PledgeID: pledgeID, NotAfter: notAfter, Session: session})
}

// StartCard records a Stripe session that was opened to replace a pledge's card. It fails with code
// Conflict if the pledge can no longer be charged.
func (c Client) StartCard(ctx context.Context, pledgeID, sessionID string) error {
	_, err := send(ctx, c, pledgeID, commandID("start-card", pledgeID, sessionID),
		startCard{PledgeID: pledgeID, SessionID: sessionID})
	return err
}

// ReplaceCard stores the card of a completed session on the pledge. If the pledge has a newer card,
// or the session was already completed, it returns the pledge unchanged. It fails with code
// Conflict if StartCard did not record the session for the pledge, or if the pledge can no longer
// be charged.
func (c Client) ReplaceCard(ctx context.Context, pledgeID, sessionID string, card Card) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, commandID("card", pledgeID, sessionID),
		replaceCard{PledgeID: pledgeID, SessionID: sessionID, Card: card})
}

// FillCard stores the card of the pledge's checkout if the pledge is unpaid and has no customer ID.
// Otherwise it returns the pledge unchanged.
func (c Client) FillCard(ctx context.Context, pledgeID string, card Card) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, commandID("fill-card", pledgeID), fillCard{PledgeID: pledgeID, Card: card})
}

// ForgetCard marks a pledge's card for deletion, because there is nothing to charge. missed is set
// if the campaign ended without reaching its goal. A repeat returns the pledge unchanged. It fails
// with code Conflict while the pledge may still be charged.
func (c Client) ForgetCard(ctx context.Context, pledgeID string, missed bool) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, commandID("forget-card", pledgeID), forgetCard{PledgeID: pledgeID, Missed: missed})
}

// NoteCardsDetached records that all cards of the order were deleted at Stripe. It
// fails with code Conflict while a pledge of the order may still be charged.
func (c Client) NoteCardsDetached(ctx context.Context, orderID string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, objectOf(orderID), "cards-detached", cardsDetached{})
	return err
}

// Claim reserves an unpaid pledge for an attempt of a settlement group. A claimed pledge cannot be
// modified or cancelled. Claiming it again for the same attempt returns it unchanged.
//
// It fails with code Conflict if the pledge cannot be charged, belongs to another group, or is
// claimed for another attempt. It also fails with Conflict if the attempt, or a later one, has
// already failed.
func (c Client) Claim(ctx context.Context, pledgeID, group string, generation int) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, attemptID("claim", pledgeID, group, generation),
		claim{PledgeID: pledgeID, Group: group, Generation: generation})
}

// ClaimFound is like Claim for an attempt whose records were lost. If the pledge is claimed
// for an earlier attempt of the group, which must have ended, ClaimFound replaces that claim.
func (c Client) ClaimFound(ctx context.Context, pledgeID, group string, generation int) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, attemptID("claim-found", pledgeID, group, generation),
		claim{PledgeID: pledgeID, Group: group, Generation: generation, Found: true})
}

// MarkCharged marks a pledge as charged by an attempt of its group. A repeat for the same payment
// only adds Stripe's figures if they were missing.
//
// The pledge must be claimed for the attempt, or the attempt must be its last failed one, whose
// payment the supporter has confirmed since; otherwise MarkCharged fails with code Conflict. In the
// second case, the group must not have sent a later attempt to Stripe; a claim for one is released.
func (c Client) MarkCharged(ctx context.Context, pledgeID, group string, generation int,
	ch Charged) (*pledge.Pledge, error) {
	id := attemptID("charge", pledgeID, group, generation, ch.PaymentIntentID, ch.BalanceTransactionID)
	return send(ctx, c, pledgeID, id, charge{PledgeID: pledgeID, Group: group, Generation: generation, Charged: ch})
}

// NoteRefund records the status of a refund in a charged pledge; a repeat changes nothing. It fails with
// code Conflict if the pledge is not charged.
func (c Client) NoteRefund(ctx context.Context, pledgeID string, r pledge.Refund) (*pledge.Pledge, error) {
	id := "note-refund:" + pledgeID + ":" + r.ID + ":" + string(r.Status)
	return send(ctx, c, pledgeID, id, noteRefund{PledgeID: pledgeID, Refund: r})
}

// NoteDispute records the status of a dispute in a charged pledge; a repeat changes nothing. It fails with
// code Conflict if the pledge is not charged.
func (c Client) NoteDispute(ctx context.Context, pledgeID string, d pledge.Dispute) (*pledge.Pledge, error) {
	id := commandID("note-dispute", pledgeID, d.ID, string(d.Status), strconv.FormatBool(d.HoldsParcels))
	return send(ctx, c, pledgeID, id, noteDispute{PledgeID: pledgeID, Dispute: d})
}

// MarkFailed marks a claimed pledge as payment_failed and releases it from the attempt. A repeat
// returns the pledge unchanged. It fails with code Conflict if the pledge was not claimed for the
// attempt.
func (c Client) MarkFailed(ctx context.Context, pledgeID, group string, generation int, f pledge.Failure,
	then pledge.Recovery) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, attemptID("fail", pledgeID, group, generation),
		fail{PledgeID: pledgeID, Group: group, Generation: generation, Failure: f, Recovery: then})
}

// MarkDropped stops the recovery of a pledge whose charge failed in the attempt. Its status remains
// payment_failed. If the pledge is already dropped, or the attempt is not its last failed one,
// MarkDropped returns it unchanged. The group must not have sent a later attempt to Stripe; a claim
// for one is released.
func (c Client) MarkDropped(ctx context.Context, pledgeID, group string, generation int,
	at time.Time) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, attemptID("drop", pledgeID, group, generation),
		drop{PledgeID: pledgeID, Generation: generation, At: at})
}

// AddToList adds a pledge to its supporter's list unless it is already listed, and returns the
// whole list, oldest first. It fails with code Conflict if the list is full.
func (c Client) AddToList(ctx context.Context, email, pledgeID string) ([]string, error) {
	return kv.Send[[]string](ctx, c.Coordinator, listObject(email), "enlist:"+pledgeID, enlist{PledgeID: pledgeID})
}

// PledgeIDs returns the IDs of a supporter's pledges, oldest first.
func (c Client) PledgeIDs(ctx context.Context, email string) ([]string, error) {
	return kv.Ask[[]string](ctx, c.Coordinator, listObject(email), enlisted{})
}

func objectOf(orderID string) kv.Object { return kv.Object{Class: ClassName, Name: orderID} }

// listObject returns the object with a supporter's list. Its name does not contain the address and
// cannot be an order ID.
func listObject(email string) kv.Object { return objectOf("supporter:" + pledge.EmailHash(email)) }

// attemptID returns the ID of a command about an attempt.
func attemptID(what, pledgeID, group string, generation int, more ...string) string {
	return commandID(what, append([]string{pledgeID, group, strconv.Itoa(generation)}, more...)...)
}

// commandID returns the ID of a command. It hashes the parts, which can have any length.
func commandID(what string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return what + ":" + hex.EncodeToString(sum[:16])
}

func send(ctx context.Context, c Client, pledgeID, id string, cmd kv.Command) (*pledge.Pledge, error) {
	orderID, err := pledge.OrderOf(pledgeID)
	if err != nil {
		return nil, err
	}
	text, err := kv.Send[json.RawMessage](ctx, c.Coordinator, objectOf(orderID), id, cmd)
	if err != nil {
		return nil, err
	}
	return readPledge(text)
}

func ask(ctx context.Context, c Client, pledgeID string, cmd kv.Command) (*pledge.Pledge, error) {
	orderID, err := pledge.OrderOf(pledgeID)
	if err != nil {
		return nil, err
	}
	text, err := kv.Ask[json.RawMessage](ctx, c.Coordinator, objectOf(orderID), cmd)
	if err != nil {
		return nil, err
	}
	return readPledge(text)
}
