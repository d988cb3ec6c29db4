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

// Client speaks to order objects. Methods on a pledge take its ID and find its
// order by it; they fail with code NotFound where there is none.
type Client struct{ Coordinator kv.Coordinator }

// Open makes the order of a manifest, and returns it with the manifest's hash.
// The session that the supporter is given must be attached before it can be
// confirmed.
func (c Client) Open(ctx context.Context, m Manifest) (Order, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return Order{}, fmt.Errorf("order: encoding a manifest: %w", err)
	}
	hash, err := c.open(ctx, m.OrderID, b)
	return Order{Manifest: m, Hash: hash, State: Open}, err
}

func (c Client) open(ctx context.Context, orderID string, accepted json.RawMessage) (hash string, err error) {
	return kv.Send[string](ctx, c.Coordinator, at(orderID), "open", open{Manifest: accepted})
}

// OpenAccepted is Open for an order that was lost: its manifest is given as Accepted
// returned it, whichever release it is of.
func (c Client) OpenAccepted(ctx context.Context, accepted Accepted) error {
	_, err := c.open(ctx, accepted.OrderID, accepted.text)
	return err
}

// Accepted returns an order's manifest as it was accepted.
func (c Client) Accepted(ctx context.Context, orderID string) (Accepted, error) {
	text, err := kv.Ask[json.RawMessage](ctx, c.Coordinator, at(orderID), getAccepted{})
	if err != nil {
		return Accepted{}, err
	}
	return ReadAccepted(text)
}

// Attach notes the processor's session of an open order.
func (c Client) Attach(ctx context.Context, orderID, sessionID string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, at(orderID), "attach:"+sessionID, attach{SessionID: sessionID})
	return err
}

// Get returns the order. It fails with code NotFound.
func (c Client) Get(ctx context.Context, orderID string) (Order, error) {
	p, err := kv.Ask[parts](ctx, c.Coordinator, at(orderID), get{})
	if err != nil {
		return Order{}, err
	}
	return p.order(), nil
}

// Pledge returns one pledge.
func (c Client) Pledge(ctx context.Context, pledgeID string) (*pledge.Pledge, error) {
	return ask(ctx, c, pledgeID, getPledge{PledgeID: pledgeID})
}

// Revision returns how often one pledge has changed, for who only wants to know
// whether it has.
func (c Client) Revision(ctx context.Context, pledgeID string) (int, error) {
	orderID, err := pledge.OrderOf(pledgeID)
	if err != nil {
		return 0, err
	}
	return kv.Ask[int](ctx, c.Coordinator, at(orderID), getRevision{PledgeID: pledgeID})
}

// Confirm makes the order's pledges, once, and returns the order as it is by then, and
// whether they were made just now: a repeat changes nothing, and sees what has changed
// since. It fails with code Conflict when the session is another one than the order's or the
// manifest no longer has its hash, and with Gone when the order was abandoned,
// unless revive is set.
func (c Client) Confirm(ctx context.Context, orderID, sessionID, cartHash string, card Card, revive bool) (o Order, made bool, err error) {
	cmd := confirm{SessionID: sessionID, CartHash: cartHash, Card: card, Revive: revive}
	p, err := kv.Send[parts](ctx, c.Coordinator, at(orderID), fmt.Sprintf("confirm:%s:%t", sessionID, revive), cmd)
	if err != nil {
		return Order{}, false, err
	}
	return p.order(), p.Made, nil
}

// Abandon ends an open order whose session, if it has one, can complete no more. It
// fails with code Conflict when the order is confirmed, or has a session by now that is
// another than this one.
func (c Client) Abandon(ctx context.Context, orderID, sessionID string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, at(orderID), "abandon:"+sessionID, abandon{SessionID: sessionID})
	return err
}

// Modify gives an open pledge a new content, as revision+1. It fails with code
// Conflict when the pledge is not open, has another revision by now, or the change
// arrives too late.
func (c Client) Modify(ctx context.Context, pledgeID string, revision int, nonce string, ch Change) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, identity("modify", pledgeID, nonce), modify{PledgeID: pledgeID, Revision: revision, Change: ch})
}

// Cancel ends an open pledge; cancelling it again returns it as it is. It fails
// with code Conflict when the pledge is charged, or being charged, or when it
// arrives after notAfter; the zero time is never.
func (c Client) Cancel(ctx context.Context, pledgeID, nonce string, notAfter time.Time) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, identity("cancel", pledgeID, nonce), cancel{PledgeID: pledgeID, NotAfter: notAfter})
}

// CancelClaimed is Cancel, at any time, for a pledge that may be claimed for an attempt of its
// group which ended without a charge, and of which nobody was told. It fails with code Conflict if
// the pledge is claimed for another attempt.
func (c Client) CancelClaimed(ctx context.Context, pledgeID, nonce, group string, generation int) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, identity("cancel", pledgeID, nonce), cancel{PledgeID: pledgeID, Group: group, Generation: generation})
}

// Join has an open pledge charged together with the others of its address; joining it
// again returns it as it is. It fails with code Conflict when the pledge is not open, or
// when it arrives after notAfter; the zero time is never.
func (c Client) Join(ctx context.Context, pledgeID string, notAfter time.Time) (*pledge.Pledge, error) {
	return c.JoinInSession(ctx, pledgeID, "", notAfter)
}

// JoinInSession is Join for a holder of the link whose browser session is known. If the
// pledge was made in it, its card counts as one that was given by the link.
func (c Client) JoinInSession(ctx context.Context, pledgeID, session string, notAfter time.Time) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, identity("join", pledgeID, session), join{PledgeID: pledgeID, NotAfter: notAfter, Session: session})
}

// StartCard notes that a session to replace a pledge's card was opened.
func (c Client) StartCard(ctx context.Context, pledgeID, sessionID string) error {
	_, err := send(ctx, c, pledgeID, identity("start-card", pledgeID, sessionID), startCard{PledgeID: pledgeID, SessionID: sessionID})
	return err
}

// ReplaceCard saves the card of a completed session on the pledge, unless a
// newer card is there. It fails with code Conflict when the session was not
// noted by StartCard, or the pledge can no longer be paid.
func (c Client) ReplaceCard(ctx context.Context, pledgeID, sessionID string, card Card) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, identity("card", pledgeID, sessionID), replaceCard{PledgeID: pledgeID, SessionID: sessionID, Card: card})
}

// FillCard saves the card of the pledge's own checkout where the pledge lacks its
// customer. A repeat, and a pledge that has one, are returned as they are.
func (c Client) FillCard(ctx context.Context, pledgeID string, card Card) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, identity("fill-card", pledgeID), fillCard{PledgeID: pledgeID, Card: card})
}

// ForgetCard notes that the card of a pledge was deleted, since nothing is left to charge;
// missed says that the campaign is closed without having reached its goal. A repeat
// returns the pledge as it is. It fails with code Conflict while the pledge may still be
// charged.
func (c Client) ForgetCard(ctx context.Context, pledgeID string, missed bool) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, identity("forget-card", pledgeID), forgetCard{PledgeID: pledgeID, Missed: missed})
}

// NoteCardsDetached records that all cards of the order were deleted at the processor. It fails
// with code Conflict while a pledge of the order may still be charged.
func (c Client) NoteCardsDetached(ctx context.Context, orderID string) error {
	_, err := kv.Send[none](ctx, c.Coordinator, at(orderID), "cards-detached", cardsDetached{})
	return err
}

// Claim ties an unpaid pledge to a settlement group's attempt: from then on it
// cannot be changed. Claiming it again for the same attempt returns it as it
// is. It fails with code Conflict when the pledge cannot be charged, or belongs
// to another attempt that has not ended, or to another group.
func (c Client) Claim(ctx context.Context, pledgeID, group string, generation int) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, attempt("claim", pledgeID, group, generation),
		claim{PledgeID: pledgeID, Group: group, Generation: generation})
}

// ClaimFound is Claim for an attempt that was made before the records of it were lost. It
// takes a pledge over from an earlier attempt of the group, which must have ended.
func (c Client) ClaimFound(ctx context.Context, pledgeID, group string, generation int) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, attempt("claim-found", pledgeID, group, generation),
		claim{PledgeID: pledgeID, Group: group, Generation: generation, Found: true})
}

// Charge marks a pledge charged that is claimed for the attempt, or whose
// failure in that attempt was the last: its supporter may have confirmed the
// payment since. The attempt must be its group's last: a claim for a later one, of
// which nothing was sent, ends. A repeat returns it as it is, and takes over the processor's
// figures when they were not there before.
func (c Client) Charge(ctx context.Context, pledgeID, group string, generation int, ch Charged) (*pledge.Pledge, error) {
	id := attempt("charge", pledgeID, group, generation, ch.PaymentIntentID, ch.BalanceTransactionID)
	return send(ctx, c, pledgeID, id, charge{PledgeID: pledgeID, Group: group, Generation: generation, Charged: ch})
}

// Fail marks a claimed pledge payment_failed and frees it from the attempt. A
// repeat returns it as it is.
func (c Client) Fail(ctx context.Context, pledgeID, group string, generation int, f pledge.Failure, then pledge.Recovery) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, attempt("fail", pledgeID, group, generation),
		fail{PledgeID: pledgeID, Group: group, Generation: generation, Failure: f, Recovery: then})
}

// Drop gives a pledge up whose charge failed in the attempt; it stays
// payment_failed. The attempt must be its group's last: a claim for a later one, of
// which nothing was sent, ends. A repeat returns the pledge as it is, and so does one
// that failed again.
func (c Client) Drop(ctx context.Context, pledgeID, group string, generation int, at time.Time) (*pledge.Pledge, error) {
	return send(ctx, c, pledgeID, attempt("drop", pledgeID, group, generation),
		drop{PledgeID: pledgeID, Generation: generation, At: at})
}

// Enlist adds an order's pledge to the list of its supporter and returns the
// whole list, oldest first.
func (c Client) Enlist(ctx context.Context, email, pledgeID string) ([]string, error) {
	return kv.Send[[]string](ctx, c.Coordinator, list(email), "enlist:"+pledgeID, enlist{PledgeID: pledgeID})
}

// Of returns the pledge IDs of a supporter, oldest first.
func (c Client) Of(ctx context.Context, email string) ([]string, error) {
	return kv.Ask[[]string](ctx, c.Coordinator, list(email), enlisted{})
}

func at(orderID string) kv.Object { return kv.Object{Class: ClassName, Name: orderID} }

// list names a supporter's list without the address. An order's ID never has
// this form.
func list(email string) kv.Object { return at("supporter:" + pledge.EmailHash(email)) }

func attempt(what, pledgeID, group string, generation int, more ...string) string {
	return identity(what, append([]string{pledgeID, group, strconv.Itoa(generation)}, more...)...)
}

// identity makes a short identity of parts that may be long.
func identity(what string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return what + ":" + hex.EncodeToString(sum[:16])
}

func send(ctx context.Context, c Client, pledgeID, id string, cmd kv.Command) (*pledge.Pledge, error) {
	orderID, err := pledge.OrderOf(pledgeID)
	if err != nil {
		return nil, err
	}
	text, err := kv.Send[json.RawMessage](ctx, c.Coordinator, at(orderID), id, cmd)
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
	text, err := kv.Ask[json.RawMessage](ctx, c.Coordinator, at(orderID), cmd)
	if err != nil {
		return nil, err
	}
	return readPledge(text)
}
