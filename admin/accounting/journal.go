package accounting

import (
	"cmp"
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
	Owed     = ledger.Owed
	Bank     = ledger.Bank
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

// Journal contains the charges of one day, or its other movements. Its lines add up to zero, and no line
// is zero.
type Journal struct {
	// Number identifies the journal in at most 21 characters, the limit of QuickBooks.
	Number string `json:"number"`
	Day    string `json:"day"` // 2026-12-19, in the platform's time zone
	// Pledges is the number of charged pledges. For UnbookedFees of them the processor has
	// not reported its fee yet; their whole amount is in Clearing.
	Pledges      int `json:"pledges"`
	UnbookedFees int `json:"unbookedFees"`
	// Movements counts the ledger's entries by kind; nil in a journal of charges. BookedOn is set if they
	// were booked in a later month than that of Day, and is the day of the booking.
	Movements map[ledger.Kind]int `json:"movements,omitempty"`
	BookedOn  string              `json:"bookedOn,omitempty"`
	Lines     []Line              `json:"lines"`
}

// dayKey identifies a journal: all charges of a day, or all its other movements that were booked in time,
// or on one later day.
type dayKey struct {
	day      string
	part     part
	bookedOn string // "" if booked in the month of the day
}

// part is what a journal contains.
type part int

const (
	charges part = iota
	movements
)

// day accumulates the amounts of one journal.
type day struct {
	pledges, unbooked int
	movements         map[ledger.Kind]int
	sums              map[Account]money.Cents
}

// days are the journals of a campaign.
type days map[dayKey]*day

func (all days) of(key dayKey) *day {
	if all[key] == nil {
		all[key] = &day{sums: map[Account]money.Cents{}}
	}
	return all[key]
}

// Collect returns a campaign's journals, oldest first. It reads pledges and entries as a stream and keeps
// only the sums of each journal. It fails with code Conflict if the parts of a pledge do not add up to its
// amount, and with any error of the sequences.
func Collect(slug string, pledges iter.Seq2[*pledge.Pledge, error], entries Entries, zone *time.Location,
) ([]Journal, error) {
	all := days{}
	if err := all.addCharges(pledges, zone); err != nil {
		return nil, err
	}
	if err := all.addMovements(entries, zone); err != nil {
		return nil, err
	}
	keys := slices.SortedFunc(maps.Keys(all), func(a, b dayKey) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.part, b.part), cmp.Compare(a.bookedOn, b.bookedOn))
	})
	journals := make([]Journal, 0, len(keys))
	for _, key := range keys {
		if j := all[key].journal(slug, key); key.part == charges || len(j.Lines) > 0 {
			journals = append(journals, j)
		}
	}
	return journals, nil
}

func (all days) addCharges(pledges iter.Seq2[*pledge.Pledge, error], zone *time.Location) error {
	for p, err := range pledges {
		if err != nil {
			return err
		}
		if !p.Charged {
			continue
		}
		at := p.UpdatedAt
		if p.ChargedAt != nil {
			at = *p.ChargedAt
		}
		if err := all.of(dayKey{day: at.In(zone).Format(time.DateOnly)}).add(p); err != nil {
			return err
		}
	}
	return nil
}

// addMovements books the entries of a ledger, except those of charges and their fees.
func (all days) addMovements(entries Entries, zone *time.Location) error {
	for e, err := range entries {
		if err != nil {
			return err
		}
		if e.Kind == ledger.Charge || e.Kind == ledger.Opening || e.Kind == ledger.Fee {
			continue
		}
		d := all.of(dayKey{day: e.ValueAt.In(zone).Format(time.DateOnly), part: movements, bookedOn: bookedLate(e, zone)})
		if d.movements == nil {
			d.movements = map[ledger.Kind]int{}
		}
		d.movements[e.Kind]++
		for _, l := range e.Lines {
			d.sums[l.Account] += l.Amount
		}
	}
	return nil
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

func (d *day) journal(slug string, key dayKey) Journal {
	j := Journal{Number: journalNumber(slug, key), Day: key.day, Pledges: d.pledges, UnbookedFees: d.unbooked,
		Movements: d.movements, BookedOn: key.bookedOn, Lines: []Line{}}
	for _, a := range Accounts {
		if d.sums[a] != 0 {
			j.Lines = append(j.Lines, Line{a, d.sums[a]})
		}
	}
	return j
}

// journalNumber returns the number of a campaign's journal, unique among all campaigns. The number of a
// journal of charges has the slug, shortened if it is too long; others end with a hash.
func journalNumber(slug string, key dayKey) string {
	const room = 21 - len("20261219-")
	if hashed := slug; len(slug) > room || key.part == movements {
		if key.part == movements {
			hashed += " movements " + key.bookedOn
		}
		sum := sha256.Sum256([]byte(hashed))
		slug = slug[:min(len(slug), room-7)] + "-" + hex.EncodeToString(sum[:3])
	}
	return strings.ReplaceAll(key.day, "-", "") + "-" + slug
}
