package settlement

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Report is the answer to Settle: a Preview after a dry run, else a Result.
type Report struct {
	DryRun       bool   `json:"dryRun"`
	CampaignSlug string `json:"campaignSlug"`
	// Funds are the campaign's current totals.
	Funds inventory.Funds `json:"funds"`
	// SkippedNoCustomer counts the pledges without a card that can be charged.
	SkippedNoCustomer int `json:"skippedNoCustomer"`
	// Skipped lists the supporters that were, or would be, skipped.
	Skipped []Detail `json:"skipped"`
	*Preview
	*Result
}

// Preview lists the charges that a settlement would make.
type Preview struct {
	SupporterCount int         `json:"supporterCount"`
	PledgeCount    int         `json:"pledgeCount"`
	TotalAmount    money.Cents `json:"totalAmount"` // cents
	Supporters     []Supporter `json:"supporters"`
}

// Supporter is one charge of a Preview.
type Supporter struct {
	Email       string      `json:"email"`
	TotalAmount money.Cents `json:"totalAmount"` // cents
	PledgeCount int         `json:"pledgeCount"`
	OrderIDs    []string    `json:"orderIds"`
	CardOrderID string      `json:"cardOrderId"` // of the pledge whose card pays
}

// Result is the result of a settlement. Success reports whether it ran without errors; declined
// cards are not errors.
type Result struct {
	Success           bool        `json:"success"`
	SupportersCharged int         `json:"supportersCharged"`
	SupportersFailed  int         `json:"supportersFailed"`
	SupportersDropped int         `json:"supportersDropped"` // failed before, dropped now
	NeedsAttention    int         `json:"needsAttention"`    // supporters whose charges need an operator
	Pending           int         `json:"pending"`           // supporters whose charge has no known outcome yet
	PledgesCharged    int         `json:"pledgesCharged"`
	Errors            []Detail    `json:"errors"`
	TotalCharged      money.Cents `json:"totalCharged"` // cents
	// CompletedAt is set if nothing is left to settle.
	CompletedAt *time.Time `json:"completedAt"`
}

func (r *run) report(completed *time.Time) Report {
	return Report{
		CampaignSlug:      r.campaign.Slug,
		SkippedNoCustomer: r.noCards,
		Skipped:           r.pick(DetailSkipped, DetailPending, DetailAttention),
		Result: &Result{
			Success:           r.counts[DetailError] == 0,
			SupportersCharged: r.counts[DetailCharged],
			SupportersFailed:  r.counts[DetailFailed],
			SupportersDropped: r.counts[DetailDropped],
			NeedsAttention:    r.counts[DetailAttention],
			Pending:           r.counts[DetailPending],
			PledgesCharged:    r.byStatus[DetailCharged],
			Errors:            r.pick(DetailError),
			TotalCharged:      r.charged,
			CompletedAt:       completed,
		},
	}
}

func (p *Preview) add(pl plan) {
	if pl.verdict != toCharge {
		return
	}
	p.SupporterCount++
	p.PledgeCount += len(pl.pledges)
	p.TotalAmount += pl.amount
	p.Supporters = append(p.Supporters, Supporter{
		Email: pl.email, TotalAmount: pl.amount, PledgeCount: len(pl.pledges), OrderIDs: pl.ids(), CardOrderID: pl.card.OrderID})
}
