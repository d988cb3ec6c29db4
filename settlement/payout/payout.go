package payout

import (
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Version is the version of the records.
const Version = 1

// Payout is the mirror of a processor's payout. Amounts are in cents.
type Payout struct {
	Version   int              `json:"version" kv:"version"`
	ID        string           `json:"id" kv:"id"` // the processor's
	Status    psp.PayoutStatus `json:"status"`
	Amount    money.Cents      `json:"amount"`
	Currency  string           `json:"currency"`
	Automatic bool             `json:"automatic"` // made by the processor's schedule and not by a person
	// Reconciliation reports whether the processor lists the payout's contents.
	Reconciliation       psp.ReconciliationStatus `json:"reconciliation"`
	ArrivesAt            time.Time                `json:"arrivesAt"` // when the bank is expected to have it
	CreatedAt            time.Time                `json:"createdAt"`
	BalanceTransactionID string                   `json:"balanceTransactionId,omitempty"`
	// FailureBalanceTransactionID is the return of the amount to the balance.
	FailureBalanceTransactionID string `json:"failureBalanceTransactionId,omitempty"`
	// Contents are the rows of the payout, nil until all were read. Reading are those read so far, nil
	// unless reading is under way, and Readings counts how often it was started.
	Contents *Contents `json:"contents,omitempty"`
	Reading  *Contents `json:"reading,omitempty"`
	Readings int       `json:"readings,omitempty"`
	// ReadAt is when the last reading ended.
	ReadAt *time.Time `json:"readAt,omitempty"`
	// FailedAt is when a failure or cancellation was first observed. BookedAt is when the ledgers of all
	// campaigns had their shares, and ReversedAt when they had the shares' return.
	FailedAt   *time.Time `json:"failedAt,omitempty"`
	BookedAt   *time.Time `json:"bookedAt,omitempty"`
	ReversedAt *time.Time `json:"reversedAt,omitempty"`
	SeenAt     time.Time  `json:"seenAt"`     // when it was first observed
	LookedUpAt time.Time  `json:"lookedUpAt"` // when it was last observed
}

// Contents are the totals of a payout's rows, without its own withdrawal. Amounts are in cents.
type Contents struct {
	After  string      `json:"after,omitempty"` // the last row read, until all were read
	Rows   int         `json:"rowCount"`
	Shares []Share     `json:"shares,omitempty"` // of campaigns, by slug
	Other  money.Cents `json:"other"`            // fees of the account, other services, reserves and top-ups
}

// Share is the part of a payout that belongs to a campaign. It can be negative.
type Share struct {
	Slug   string      `json:"campaignSlug" kv:"id"`
	Amount money.Cents `json:"amount"`
	Rows   int         `json:"rowCount"`
	// Unmatched counts the rows that the campaign's ledger does not have, and Examples are the
	// balance transactions of the first ones.
	Unmatched int      `json:"unmatched,omitempty"`
	Examples  []string `json:"examples,omitempty"`
}

// maxExamples is how many unmatched rows a share names.
const maxExamples = 5

// Explanation reports whether a payout's amount is explained by its rows.
type Explanation string

// The explanations.
const (
	Waiting        Explanation = "waiting"     // not all rows were read
	Explained      Explanation = "explained"   // the ledgers have all rows of campaigns
	Unexplained    Explanation = "unexplained" // rows do not add up, or are not in a ledger
	NotExplainable Explanation = "notExplainable"
)

// Reason is why a payout's contents cannot be read.
type Reason string

// The reasons.
const (
	// Manual payouts, also instant ones, take any amount from the balance: the processor does not record
	// from which payments.
	Manual        Reason = "manual"
	OtherCurrency Reason = "otherCurrency" // the ledgers are in US dollars
)

// Reason returns why the payout's contents cannot be read, "" if they can.
func (p *Payout) Reason() Reason {
	switch {
	case !p.Automatic, p.Reconciliation == psp.ReconciliationNotApplicable:
		return Manual
	case p.Currency != money.USD:
		return OtherCurrency
	}
	return ""
}

// Explanation returns whether the payout is explained.
func (p *Payout) Explanation() Explanation {
	switch {
	case p.Reason() != "":
		return NotExplainable
	case p.Contents == nil:
		return Waiting
	case p.Difference() != 0 || p.Unmatched() > 0:
		return Unexplained
	}
	return Explained
}

// Difference returns the payout's amount without the sum of its rows, in cents; 0 until they were read.
func (p *Payout) Difference() money.Cents {
	if p.Contents == nil {
		return 0
	}
	return p.Amount - p.Contents.sum()
}

func (c *Contents) sum() money.Cents {
	sum := c.Other
	for _, s := range c.Shares {
		sum += s.Amount
	}
	return sum
}

// Unmatched returns how many rows of campaigns are not in their ledgers.
func (p *Payout) Unmatched() (rows int) {
	if p.Contents == nil {
		return 0
	}
	for _, s := range p.Contents.Shares {
		rows += s.Unmatched
	}
	return rows
}

// ShareOf returns a campaign's share; ok is false if it has none.
func (p *Payout) ShareOf(slug string) (s Share, ok bool) {
	if p.Contents == nil {
		return Share{}, false
	}
	i, ok := find(p.Contents.Shares, slug)
	if ok {
		s = p.Contents.Shares[i]
	}
	return s, ok
}

// HasFailed reports whether the amount came back to the balance.
func (p *Payout) HasFailed() bool {
	return p.Status == psp.PayoutStatusFailed || p.Status == psp.PayoutStatusCanceled
}

// OwnRow reports whether a balance transaction is the payout's withdrawal from the balance.
func (p *Payout) OwnRow(b psp.BalanceTransaction) bool {
	return b.ID == p.BalanceTransactionID || b.Category == psp.BalancePayout && b.PayoutID == p.ID
}

// Observed returns the observation of a payout that the processor reported.
func Observed(o psp.Payout) Payout {
	return Payout{Version: Version, ID: o.ID, Status: o.Status, Amount: o.Amount, Currency: o.Currency,
		Automatic: o.Automatic, Reconciliation: o.ReconciliationStatus, ArrivesAt: o.ArrivalDate, CreatedAt: o.CreatedAt,
		BalanceTransactionID: o.BalanceTransactionID, FailureBalanceTransactionID: o.FailureBalanceTransactionID}
}

// rank orders the statuses. A payout never returns to an earlier one, but a paid one may fail. A status
// that this release does not know counts as in transit.
func rank(s psp.PayoutStatus) int {
	switch s {
	case psp.PayoutStatusPending:
		return 0
	case psp.PayoutStatusPaid:
		return 2
	case psp.PayoutStatusFailed, psp.PayoutStatusCanceled:
		return 3
	case psp.PayoutStatusInTransit:
	}
	return 1
}

// apply records an observation. Observations may arrive in any order.
func (p *Payout) apply(o Payout, now time.Time) {
	if p.ID == "" {
		*p = o
		p.SeenAt = now
	}
	if rank(o.Status) >= rank(p.Status) {
		p.Status, p.ArrivesAt = o.Status, o.ArrivesAt
	}
	if o.Reconciliation == psp.ReconciliationCompleted {
		p.Reconciliation = o.Reconciliation
	}
	if o.FailureBalanceTransactionID != "" {
		p.FailureBalanceTransactionID = o.FailureBalanceTransactionID
	}
	if p.HasFailed() && p.FailedAt == nil {
		p.FailedAt = &now
	}
	p.LookedUpAt = now
}

// endReading replaces the contents by the rows that were read. The shares of a payout that is booked do not change,
// only their known rows.
func (p *Payout) endReading(now time.Time) {
	read := p.Reading
	p.Reading, p.ReadAt = nil, &now
	if p.BookedAt == nil {
		p.Contents = read
		return
	}
	for i, s := range p.Contents.Shares {
		if at, ok := find(read.Shares, s.Slug); ok {
			s.Unmatched, s.Examples = read.Shares[at].Unmatched, read.Shares[at].Examples
			p.Contents.Shares[i] = s
		}
	}
}

// add adds the totals of the next rows.
func (c *Contents) add(more Contents) {
	c.After, c.Rows, c.Other = more.After, c.Rows+more.Rows, c.Other+more.Other
	for _, s := range more.Shares {
		c.addShare(s)
	}
}

func (c *Contents) addShare(s Share) {
	i, ok := find(c.Shares, s.Slug)
	if !ok {
		c.Shares = slices.Insert(c.Shares, i, Share{Slug: s.Slug})
	}
	at := &c.Shares[i]
	at.Amount, at.Rows, at.Unmatched = at.Amount+s.Amount, at.Rows+s.Rows, at.Unmatched+s.Unmatched
	at.Examples = append(at.Examples, s.Examples...)
	at.Examples = at.Examples[:min(len(at.Examples), maxExamples)]
}

// AddOther adds a row that belongs to no campaign.
func (c *Contents) AddOther(net money.Cents) { c.Rows, c.Other = c.Rows+1, c.Other+net }

// AddRow adds a row of a campaign. matched reports whether its ledger has the movement.
func (c *Contents) AddRow(slug string, row Row, matched bool) {
	s := Share{Slug: slug, Amount: row.Net, Rows: 1}
	if !matched {
		s.Unmatched, s.Examples = 1, []string{row.ID}
	}
	c.Rows++
	c.addShare(s)
}

// AddReturned adds the return of a failed payout: every campaign gets its share of that one back.
func (c *Contents) AddReturned(failed Contents) {
	c.Rows, c.Other = c.Rows+1, c.Other+failed.Other
	for _, s := range failed.Shares {
		c.addShare(Share{Slug: s.Slug, Amount: s.Amount, Rows: 1})
	}
}

// find returns the position of a campaign's share in shares sorted by slug, and whether it is there.
func find(shares []Share, slug string) (int, bool) {
	return slices.BinarySearchFunc(shares, slug, func(s Share, slug string) int { return strings.Compare(s.Slug, slug) })
}
