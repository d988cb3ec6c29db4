// Package agreement records a supporter's latest terms at the processor, so that
// a database restored from a backup does not charge a pledge that was cancelled
// or reduced after the backup was made.
//
// Every order has its own customer at the processor. Each change of a pledge (a
// new amount, a cancellation) writes its [Terms] into the customer's metadata,
// under a key derived from the pledge's ID, before the supporter is notified of
// the change. Before a campaign is charged, settlement reads the customers and
// compares: a pledge whose recorded terms do not permit its charge waits for its
// supporter or an operator. A pledge that was never changed has no entry; its
// terms are those of its checkout session.
package agreement

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const keyPrefix = "agreed_"

// Key returns the metadata key of a pledge's terms, at most 40 characters as
// Stripe requires.
func Key(pledgeID string) string {
	sum := sha256.Sum256([]byte(pledgeID))
	return keyPrefix + hex.EncodeToString(sum[:12])
}

// IsKey reports whether a metadata key holds the terms of a pledge.
func IsKey(key string) bool { return strings.HasPrefix(key, keyPrefix) }

// Terms are the terms that a supporter accepted with one revision of a pledge.
type Terms struct {
	Revision  int         `json:"revision"`
	Amount    money.Cents `json:"amount"` // cents; 0 if Cancelled
	Cancelled bool        `json:"cancelled,omitempty"`
}

// TermsOf returns the terms of a pledge's current revision.
func TermsOf(p *pledge.Pledge) Terms {
	if p.Status == pledge.Cancelled {
		return Terms{Revision: p.Revision, Cancelled: true}
	}
	return Terms{Revision: p.Revision, Amount: p.Amount}
}

const cancelledWord = "cancelled"

// String returns the terms as a metadata value.
func (t Terms) String() string {
	if t.Cancelled {
		return fmt.Sprintf("r%d %s", t.Revision, cancelledWord)
	}
	return fmt.Sprintf("r%d %d", t.Revision, t.Amount)
}

// Parse parses a metadata value; ok is false if it does not contain terms.
func Parse(value string) (t Terms, ok bool) {
	revision, rest, _ := strings.Cut(value, " ")
	if rest == cancelledWord {
		t.Cancelled = true
	} else if _, err := fmt.Sscanf(rest, "%d", &t.Amount); err != nil {
		return Terms{}, false
	}
	if _, err := fmt.Sscanf(revision, "r%d", &t.Revision); err != nil || t.String() != value ||
		t.Revision < 1 || t.Amount < 0 {
		return Terms{}, false
	}
	return t, true
}

// Permits reports whether the terms match the pledge's current state: both are cancelled, or
// neither is and the amounts are equal. Revisions are not compared: a restored pledge may have
// reached the same or a higher revision through other changes.
func (t Terms) Permits(p *pledge.Pledge) bool {
	if t.Cancelled || p.Status == pledge.Cancelled {
		return t.Cancelled == (p.Status == pledge.Cancelled)
	}
	return t.Amount == p.Amount
}

// Updater updates customer metadata. psp.Processor implements it.
type Updater interface {
	UpdateCustomer(ctx context.Context, customerID, key string, metadata map[string]string) error
}

// Record writes the terms of a changed or cancelled pledge to the processor. It writes nothing for
// an unchanged pledge, and ignores a deleted customer, who has no card to charge. Use a new nonce
// for each call: for a repeated idempotency key, the processor would return success without writing
// the entry, which may have changed since the first call.
func Record(ctx context.Context, u Updater, p *pledge.Pledge, nonce string) error {
	if p.CustomerID == "" || !changed(p) {
		return nil
	}
	err := u.UpdateCustomer(ctx, p.CustomerID, fmt.Sprintf("terms:%s:%d:%s", p.OrderID, p.Revision, nonce),
		map[string]string{Key(p.OrderID): TermsOf(p).String()})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

func changed(p *pledge.Pledge) bool {
	return slices.ContainsFunc(p.History,
		func(e pledge.Entry) bool { return e.Type == "modified" || e.Type == "cancelled" })
}
