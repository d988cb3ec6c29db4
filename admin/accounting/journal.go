package accounting

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// Account is an account of the ledger.
type Account = ledger.Account

// The accounts.
const (
	Clearing = ledger.Clearing
	Fees     = ledger.Fees
	Pledges  = ledger.Pledges
	AddOns   = ledger.AddOns
	Shipping = ledger.Shipping
	Tips     = ledger.Tips
	Tax      = ledger.Tax
	Disputed = ledger.Disputed
	Losses   = ledger.Losses
	Suspense = ledger.Suspense
)

// Accounts lists all accounts, in the order of a journal's lines.
var Accounts = ledger.Accounts

// Line is an amount in an account: debits are positive, credits negative.
type Line struct {
	Account Account     `json:"account"`
	Amount  money.Cents `json:"amount"`
}

// Journal contains the charges of one day. Its lines add up to zero, and no line is zero.
type Journal struct {
	// Number identifies the journal in at most 21 characters, the limit of QuickBooks.
	Number string `json:"number"`
	Day    string `json:"day"` // 2026-12-19, in the platform's time zone
	// Pledges is the number of charged pledges. For UnbookedFees of them the processor has
	// not reported its fee yet; their whole amount is in Clearing.
	Pledges      int    `json:"pledges"`
	UnbookedFees int    `json:"unbookedFees"`
	Lines        []Line `json:"lines"`
}

// day accumulates the amounts of one day's journal.
type day struct {
	pledges, unbooked int
	sums              map[Account]money.Cents
}

// Collect returns a campaign's journals, oldest first. It reads the pledges as a stream and
// keeps only the sums of each day. It fails with code Conflict if the parts of a pledge do
// not add up to its amount, and with any error of the sequence.
func Collect(slug string, all iter.Seq2[*pledge.Pledge, error], zone *time.Location) ([]Journal, error) {
	days := map[string]*day{}
	for p, err := range all {
		if err != nil {
			return nil, err
		}
		if !p.Charged {
			continue
		}
		at := p.UpdatedAt
		if p.ChargedAt != nil {
			at = *p.ChargedAt
		}
		name := at.In(zone).Format(time.DateOnly)
		if days[name] == nil {
			days[name] = &day{sums: map[Account]money.Cents{}}
		}
		if err := days[name].add(p); err != nil {
			return nil, err
		}
	}
	journals := make([]Journal, 0, len(days))
	for _, name := range slices.Sorted(maps.Keys(days)) {
		journals = append(journals, days[name].journal(slug, name))
	}
	return journals, nil
}

// add books a charged pledge. If operators accepted a different amount, it is divided among
// the parts in proportion.
func (d *day) add(p *pledge.Pledge) error {
	parts := []money.Cents{p.CampaignSubtotal, p.Subtotal - p.CampaignSubtotal, p.Shipping, p.TipAmount, p.Tax}
	if sum, err := money.Sum(parts...); err != nil || sum != p.Amount {
		return fault.New(fault.Conflict, "The parts of order %s do not add up to its amount", p.OrderID)
	}
	if p.Paid() != p.Amount {
		parts = money.Split(p.Paid(), parts)
	}
	var fee money.Cents
	if p.Financials != nil && p.Financials.Source == "actual" {
		fee = p.Financials.Fee
	} else {
		d.unbooked++
	}
	d.pledges++
	for _, l := range []Line{
		{Clearing, p.Paid() - fee}, {Fees, fee}, {Pledges, -parts[0]}, {AddOns, -parts[1]},
		{Shipping, -parts[2]}, {Tips, -parts[3]}, {Tax, -parts[4]},
	} {
		d.sums[l.Account] += l.Amount
	}
	return nil
}

func (d *day) journal(slug, name string) Journal {
	j := Journal{Number: journalNumber(slug, name), Day: name, Pledges: d.pledges,
		UnbookedFees: d.unbooked, Lines: []Line{}}
	for _, a := range Accounts {
		if d.sums[a] != 0 {
			j.Lines = append(j.Lines, Line{a, d.sums[a]})
		}
	}
	return j
}

// journalNumber returns the number of a campaign's journal of a day, unique among all campaigns.
func journalNumber(slug, name string) string {
	const room = 21 - len("20261219-")
	if len(slug) > room {
		sum := sha256.Sum256([]byte(slug))
		slug = slug[:room-7] + "-" + hex.EncodeToString(sum[:3])
	}
	return strings.ReplaceAll(name, "-", "") + "-" + slug
}
