// Package agreement records at the processor what a supporter agreed to last, so that a
// database that was restored from a backup does not charge a pledge that was cancelled or
// reduced after the backup was made.
//
// Every order has a customer of its own at the processor. Each change of a pledge (a new
// amount, a cancellation) writes its [Terms] into the customer's metadata, under a key made
// from the pledge's ID, before the supporter is told about the change. Before a campaign is
// charged, settlement reads the customers back and compares: a pledge whose recorded terms
// do not permit its charge waits for its supporter or an operator. A pledge that was never
// changed has no entry; its terms are those of its checkout session.
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

// Key is the metadata key of a pledge's terms: at most 40 characters, as Stripe allows.
func Key(pledgeID string) string {
	sum := sha256.Sum256([]byte(pledgeID))
	return keyPrefix + hex.EncodeToString(sum[:12])
}

// IsKey reports whether a metadata key holds the terms of a pledge.
func IsKey(key string) bool { return strings.HasPrefix(key, keyPrefix) }

// Terms are what a supporter agreed to with one revision of a pledge.
type Terms struct {
	Revision  int         `json:"revision"`
	Amount    money.Cents `json:"amount"` // cents; 0 if Cancelled
	Cancelled bool        `json:"cancelled,omitempty"`
}

// TermsOf returns the terms of a pledge as it is.
func TermsOf(p *pledge.Pledge) Terms {
	if p.Status == pledge.Cancelled {
		return Terms{Revision: p.Revision, Cancelled: true}
	}
	return Terms{Revision: p.Revision, Amount: p.Amount}
}

const cancelledWord = "cancelled"

// String writes the terms as the value of a metadata entry.
func (t Terms) String() string {
	if t.Cancelled {
		return fmt.Sprintf("r%d %s", t.Revision, cancelledWord)
	}
	return fmt.Sprintf("r%d %d", t.Revision, t.Amount)
}

// Parse reads a metadata value; ok is false if it is not the value of an entry.
func Parse(value string) (t Terms, ok bool) {
	revision, rest, _ := strings.Cut(value, " ")
	if rest == cancelledWord {
		t.Cancelled = true
	} else if _, err := fmt.Sscanf(rest, "%d", &t.Amount); err != nil {
		return Terms{}, false
	}
	if _, err := fmt.Sscanf(revision, "r%d", &t.Revision); err != nil || t.String() != value || t.Revision < 1 || t.Amount < 0 {
		return Terms{}, false
	}
	return t, true
}

// Permits reports whether a pledge may be charged its present amount. Revisions are not
// compared: a restored pledge may have reached the same or a higher one by other changes.
func (t Terms) Permits(p *pledge.Pledge) bool {
	if t.Cancelled || p.Status == pledge.Cancelled {
		return t.Cancelled == (p.Status == pledge.Cancelled)
	}
	return t.Amount == p.Amount
}

// Updater writes entries into a customer's metadata; psp.Processor is one.
type Updater interface {
	UpdateCustomer(ctx context.Context, customerID, key string, metadata map[string]string) error
}

// Record writes the terms of a pledge that was changed or cancelled at the processor. A pledge
// that is as its checkout made it needs no entry, and a customer that was deleted has no card to
// charge. It may be repeated, each time with a new nonce: the processor would answer a key that it
// knows without writing the entry, which may be another by now.
func Record(ctx context.Context, u Updater, p *pledge.Pledge, nonce string) error {
	if p.CustomerID == "" || !changed(p) {
		return nil
	}
	err := u.UpdateCustomer(ctx, p.CustomerID, fmt.Sprintf("terms:%s:%d:%s", p.OrderID, p.Revision, nonce), map[string]string{Key(p.OrderID): TermsOf(p).String()})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

func changed(p *pledge.Pledge) bool {
	return slices.ContainsFunc(p.History, func(e pledge.Entry) bool { return e.Type == "modified" || e.Type == "cancelled" })
}
