package state

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// recordPayment appends the payment of a group that succeeded to the ledger, and its fee once the
// processor has booked it. A group without components is left to SetComponents. A damaged ledger does
// not prevent that an outcome is stored: reconciliation finds it.
func recordPayment(tx kv.Tx, g Group) error {
	if g.Status != Succeeded || !g.hasComponents() {
		return nil
	}
	err := appendPayment(tx, g, ledger.NewCharge(g.payment(), g.components()))
	if fault.Of(err) == nil {
		return err
	}
	return nil
}

// appendPayment appends the entry of a group's charge and of its fee, unless the ledger has them.
func appendPayment(tx kv.Tx, g Group, charge ledger.Entry) error {
	entries := []ledger.Entry{charge}
	if g.BalanceTransactionID != "" && g.Fee != 0 {
		entries = append(entries, ledger.NewFee(g.payment(), g.BalanceTransactionID, g.Fee))
	}
	for _, e := range entries {
		known, err := ledger.Has(tx, e.Identity)
		if err != nil {
			return err
		}
		if known {
			continue
		}
		if _, err := ledger.Append(tx, g.UpdatedAt, e); err != nil {
			return err
		}
	}
	return nil
}

func (g *Group) payment() ledger.Payment {
	return ledger.Payment{ID: g.PaymentIntentID, ChargeID: g.ChargeID, At: g.OutcomeAt()}
}

// hasComponents reports whether the group has a payment and the components of its pledges add up to
// the payment's amount.
func (g *Group) hasComponents() bool {
	return g.PaymentIntentID != "" && g.Amount > 0 && ledger.SumOf(g.components()) == g.Amount
}

func (g *Group) components() []ledger.PledgeComponents {
	all := make([]ledger.PledgeComponents, 0, len(g.Orders))
	for _, o := range g.Orders {
		all = append(all, ledger.PledgeComponents{Pledge: o.ID, Components: o.Components})
	}
	return all
}

// setComponents supplies the components of a group that an earlier release froze, in the order of
// its pledges.
type setComponents struct {
	Hash       string              `json:"hash"`
	Generation int                 `json:"generation"`
	Components []ledger.Components `json:"components"`
}

func (setComponents) Kind() string { return "components" }

// runSetComponents records a payment that succeeded before the campaign had a ledger.
func runSetComponents(tx kv.Tx, now time.Time, cmd setComponents) (Group, error) {
	g, known, err := kv.Load[Group](tx, groupPrefix+cmd.Hash)
	if err != nil {
		return Group{}, err
	}
	if !known || g.Generation != cmd.Generation {
		return Group{}, NoGroup()
	}
	if g.Status != Succeeded || len(cmd.Components) != len(g.Orders) {
		return g, nil
	}
	if !g.hasComponents() {
		g.Orders = slices.Clone(g.Orders)
		for i := range g.Orders {
			g.Orders[i].Components = cmd.Components[i].Scale(g.Orders[i].Amount)
		}
	}
	if !g.hasComponents() {
		return g, nil
	}
	g.UpdatedAt = now
	if err := appendPayment(tx, g, ledger.NewOpening(g.payment(), g.components())); err != nil {
		return Group{}, err
	}
	return g, saveGroup(tx, g)
}

// listUnrecorded requests the groups among the next limit groups whose payment is not in the ledger.
type listUnrecorded struct {
	After string `json:"after"`
	Limit int    `json:"limit"`
}

func (listUnrecorded) Kind() string { return "unrecorded" }

func runListUnrecorded(tx kv.Tx, _ time.Time, q listUnrecorded) (GroupPage, error) {
	page := GroupPage{Groups: []Group{}}
	rows, err := tx.List(groupPrefix, cmp.Or(q.After, groupPrefix), q.Limit)
	if err != nil {
		return GroupPage{}, err
	}
	for _, row := range rows {
		page.Next = row.Key
		g, err := kv.Decode[Group](row.Key, row.Value)
		if err != nil {
			return GroupPage{}, err
		}
		if g.Status != Succeeded || g.PaymentIntentID == "" {
			continue
		}
		known, err := ledger.Has(tx, ledger.ChargeIdentity(g.PaymentIntentID))
		if err != nil {
			return GroupPage{}, err
		}
		if !known {
			page.Groups = append(page.Groups, g)
		}
	}
	return page, nil
}

// LedgerPage is a part of a campaign's ledger, with the head of the whole.
type LedgerPage struct {
	Entries []ledger.Entry `json:"entries"`
	Head    ledger.Head    `json:"head"`
}

type readLedger struct {
	After int `json:"after"`
	Limit int `json:"limit"`
}

func (readLedger) Kind() string { return "ledger" }

func runReadLedger(tx kv.Tx, _ time.Time, q readLedger) (LedgerPage, error) {
	head, err := ledger.ReadHead(tx)
	if err != nil {
		return LedgerPage{}, err
	}
	entries, err := ledger.Read(tx, q.After, q.Limit)
	return LedgerPage{Entries: entries, Head: head}, err
}

// SetComponents supplies the components of a succeeded group that an earlier release froze, in the
// order of its pledges, and records its payment in the ledger.
func (c Client) SetComponents(ctx context.Context, g Group, all []ledger.Components) (Group, error) {
	return c.send(ctx, commandID("components", Lease{}, g.Hash, g.Generation),
		setComponents{Hash: g.Hash, Generation: g.Generation, Components: all})
}

// Unrecorded reads the next limit groups after a cursor and returns those that succeeded but are not
// in the ledger. Next is "" after the last group.
func (c Client) Unrecorded(ctx context.Context, after string, limit int) (GroupPage, error) {
	return kv.Ask[GroupPage](ctx, c.Coordinator, c.object(), listUnrecorded{After: after, Limit: limit})
}

// Ledger returns at most limit entries of the campaign's ledger after a number, in order.
func (c Client) Ledger(ctx context.Context, after, limit int) (LedgerPage, error) {
	return kv.Ask[LedgerPage](ctx, c.Coordinator, c.object(), readLedger{After: after, Limit: limit})
}
