package overview

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/disputes"
	"github.com/pledgeworks/pledgeworks/admin/pledgehealth"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Service reads campaigns. All fields except Reminders and Archiving are required. It is
// safe for concurrent use.
type Service struct {
	Store     kv.Store // the primary namespace
	Inventory inventory.Client
	Zone      *time.Location // the platform's time zone
	Now       func() time.Time
	// Reminders counts the addresses that are waiting for a campaign's launch, up to some limit.
	Reminders func(ctx context.Context, slug string) (int, error)
	// Disputes returns a campaign's disputes that are not decided. It is optional.
	Disputes func(ctx context.Context, slug string) ([]disputes.Dispute, error)
	// Suspected returns a campaign's early fraud warnings that await a decision. It is optional.
	Suspected func(ctx context.Context, slug string) ([]disputes.Warning, error)
	// Ledger returns the head of a campaign's ledger.
	Ledger func(ctx context.Context, slug string) (ledger.Head, error)
	// Archiving reports whether a campaign can be archived now. It is nil on a host without
	// editing.
	Archiving func(ctx context.Context, c *campaign.Campaign) (Archiving, error)
}

// Visibility determines the data that a caller may see in addition to the public figures.
type Visibility struct {
	Money      bool // charges, and pledges whose charge failed or will fail
	Supporters bool // names and addresses
	Parcels    bool // numbers of parcels
}

// Status is the state of a campaign as shown by the dashboard.
type Status string

// The statuses.
const (
	Draft     Status = "draft"     // not public, and without pledges
	Scheduled Status = "scheduled" // public, before its start
	Live      Status = "live"      // accepts pledges
	Funded    Status = "funded"    // accepts pledges, and has reached its goal
	Charging  Status = "charging"  // ended and funded; its settlement is not complete
	Settled   Status = "settled"   // every pledge was charged or declined; see Campaign.Repairable
	Missed    Status = "missed"    // ended below its goal
	Archived  Status = "archived"
)

// Statuses returns all statuses.
func Statuses() []Status {
	return []Status{Draft, Scheduled, Live, Funded, Charging, Settled, Missed, Archived}
}

// Campaign describes the state and the figures of a campaign. Amounts are in cents.
type Campaign struct {
	Slug  string `json:"campaignSlug"`
	Title string `json:"campaignTitle"`
	// Status is the state to show. State depends only on the campaign's dates.
	Status    Status         `json:"status"`
	State     campaign.State `json:"state"`
	Published bool           `json:"published"` // visible to the public
	Archived  bool           `json:"archived"`
	Category  string         `json:"category,omitempty"`
	Blurb     string         `json:"shortBlurb,omitempty"`
	Hero      string         `json:"heroImage,omitempty"` // the picture's path on the site
	HeroAlt   string         `json:"heroImageAlt,omitempty"`

	StartsAt *time.Time `json:"startsAt,omitempty"` // nil without a start
	// EndsAt is the first instant at which no pledge is accepted, as in the public live
	// figures. LastMoment is the second before, which pages and mails name as the deadline.
	// ChargesAt is when charging starts at the earliest. All are nil without a deadline.
	EndsAt     *time.Time `json:"endsAt,omitempty"`
	LastMoment *time.Time `json:"lastMoment,omitempty"`
	ChargesAt  *time.Time `json:"chargesAt,omitempty"`
	// DaysLeft is the number of whole days until EndsAt, as on the public page, which counts
	// hours and minutes on the last day. It is 0 unless the campaign is live.
	DaysLeft int `json:"daysLeft"`

	Goal       money.Cents `json:"goalAmount"`
	Pledged    money.Cents `json:"pledgedAmount"` // toward the goal
	Pledges    int         `json:"pledgeCount"`
	Supporters int         `json:"supporterCount"`
	Days       []Day       `json:"days"` // the last 14 days, today last
	// Reminders is the number of addresses that are waiting for the launch; 1000 means 1000 or
	// more.
	Reminders int `json:"reminderCount"`

	// Archiving is nil on a host without editing.
	Archiving *Archiving `json:"archiving,omitempty"`
	// The following fields are nil for callers that may not see money. Settlement is nil before
	// charging begins, Collected before the campaign has ended, Ledger if no charge was refunded or
	// disputed, Repairable without declined charges, and CardCheck without a check and after the end.
	Settlement *Settlement           `json:"settlement,omitempty"`
	Disputes   *Disputes             `json:"disputes,omitempty"`        // nil without open disputes
	Warnings   *Warnings             `json:"fraudWarnings,omitempty"`   // nil without any that await a decision
	Collected  *money.Cents          `json:"collectedAmount,omitempty"` // whole charges, with tax, shipping and tip
	Ledger     *ledger.Sums          `json:"ledger,omitempty"`
	Repairable *inventory.Repairable `json:"repairable,omitempty"`
	CardCheck  *pledgehealth.Result  `json:"cardCheck,omitempty"`
	// Parcels is nil for callers that may not see parcels, before the first charge, and if not
	// all parcels are counted because some pledges were charged by an older version.
	Parcels *inventory.Parcels `json:"parcels,omitempty"`
}

// Day counts the pledges that were made on a day, except those cancelled later.
type Day struct {
	Day     string      `json:"day"` // in the platform's time zone, such as 2026-11-30
	Pledges int         `json:"pledgeCount"`
	Pledged money.Cents `json:"pledgedAmount"` // toward the goal
}

// Settlement is the progress of a campaign's charges.
type Settlement struct {
	Status state.JobStatus `json:"status"`
	// NeedsAttention is the number of pledges that need an operator's decision.
	NeedsAttention int `json:"needsAttention"`
}

// Disputes are the disputes of a campaign that are not decided.
type Disputes struct {
	Open     int         `json:"open"`
	Amount   money.Cents `json:"amount"`   // cents; disputed
	Awaiting int         `json:"awaiting"` // disputes that await an answer
	// AnswerBy is the earliest deadline for an answer, nil if none is awaited, and OrderID a pledge of that
	// dispute, or of any dispute.
	AnswerBy *time.Time `json:"answerBy,omitempty"`
	OrderID  string     `json:"orderId,omitempty"`
}

// Warnings are the payments of a campaign whose bank suspects fraud, and that are not decided.
type Warnings struct {
	Open    int         `json:"open"`
	Amount  money.Cents `json:"amount"`            // cents of these payments
	OrderID string      `json:"orderId,omitempty"` // a pledge of the oldest
}

// setWarnings reads the warnings of a campaign that await a decision.
func (s *Service) setWarnings(ctx context.Context, out *Campaign) error {
	if s.Suspected == nil {
		return nil
	}
	all, err := s.Suspected(ctx, out.Slug)
	if err != nil || len(all) == 0 {
		return err
	}
	oldest := slices.MinFunc(all, func(a, b disputes.Warning) int { return a.WarnedAt.Compare(b.WarnedAt) })
	out.Warnings = &Warnings{Open: len(all)}
	if len(oldest.Pledges) > 0 {
		out.Warnings.OrderID = oldest.Pledges[0]
	}
	for _, w := range all {
		out.Warnings.Amount += w.Amount
	}
	return nil
}

// setDisputes reads the open disputes of a campaign.
func (s *Service) setDisputes(ctx context.Context, out *Campaign) error {
	if s.Disputes == nil {
		return nil
	}
	all, err := s.Disputes(ctx, out.Slug)
	if err != nil || len(all) == 0 {
		return err
	}
	d := &Disputes{Open: len(all)}
	for _, one := range all {
		d.Amount += one.Amount
		first := d.OrderID == ""
		if by := one.AnswerBy; by != nil {
			d.Awaiting++
			if d.AnswerBy == nil || by.Before(*d.AnswerBy) {
				d.AnswerBy, first = by, true
			}
		}
		if first && len(one.Pledges) > 0 {
			d.OrderID = one.Pledges[0]
		}
	}
	out.Disputes = d
	return nil
}

// Archiving describes whether a campaign can be archived now.
type Archiving struct {
	Possible bool `json:"possible"`
	// Reason is "" if the campaign can be archived, "archived" if it is archived already, "live"
	// while it accepts pledges, or "unsettled" while Unsettled pledges may still be charged.
	Reason    string `json:"reason"`
	Unsettled int    `json:"unsettledPledges"`
}

// Summary returns the state and the figures of a campaign.
func (s *Service) Summary(ctx context.Context, c *campaign.Campaign, visible Visibility) (Campaign, error) {
	totals, err := s.Inventory.Totals(ctx, c.Slug)
	if err != nil {
		return Campaign{}, err
	}
	now := s.Now()
	out := Campaign{
		Slug: c.Slug, Title: c.Title, State: c.State(now, s.Zone), Published: c.Public(),
		Archived: c.Archived(), Category: c.Category,
		Blurb: c.Blurb, Hero: c.Media.Hero, HeroAlt: c.Media.HeroAlt, Goal: c.Goal,
		Pledged: totals.Counted, Pledges: totals.Pledges(), Supporters: totals.Supporters(),
		Days: lastDays(totals.Days, now.In(s.Zone)),
	}
	s.setTimes(&out, c, now)
	if err := s.setStatus(ctx, &out, c, totals, visible); err != nil {
		return Campaign{}, err
	}
	if err := s.setDetails(ctx, &out, c, visible); err != nil {
		return Campaign{}, err
	}
	if r := totals.Repairable; visible.Money && r.Pledges > 0 {
		out.Repairable = &r
	}
	if n, known := totals.KnownParcels(); visible.Parcels && known && n.Pledges > 0 {
		out.Parcels = &n
	}
	return out, nil
}

// setTimes sets the times of a campaign and the number of days left.
func (s *Service) setTimes(out *Campaign, c *campaign.Campaign, now time.Time) {
	if !c.Start.IsZero() {
		starts := c.StartsAt(s.Zone).UTC()
		out.StartsAt = &starts
	}
	if c.Deadline.IsZero() {
		return
	}
	ends := c.EndsAt(s.Zone).UTC()
	last, charges := ends.Add(-time.Second), ends.Add(settlement.Margin)
	out.EndsAt, out.LastMoment, out.ChargesAt = &ends, &last, &charges
	if out.State == campaign.Live {
		out.DaysLeft = wholeDays(ends.Sub(now))
	}
}

func wholeDays(left time.Duration) int { return int(left / (24 * time.Hour)) }

// setStatus sets the status of a campaign and the progress of its charges.
func (s *Service) setStatus(ctx context.Context, out *Campaign, c *campaign.Campaign,
	totals inventory.Totals, visible Visibility) error {
	out.Status = statusBeforeEnd(c, out.State, totals)
	if out.State != campaign.Ended || out.Status == Draft {
		return nil
	}
	job, begun, err := kv.Read[state.Job](ctx, s.Store, state.JobKey(c.Slug))
	if err != nil {
		return err
	}
	_, complete, err := kv.Read[time.Time](ctx, s.Store, pledge.ChargedKey(c.Slug))
	if err != nil {
		return err
	}
	if out.Status == "" {
		out.Status = statusAfterEnd(c, totals, begun, complete)
	}
	if !visible.Money {
		return nil
	}
	out.Collected = &totals.Funds.Collected
	if begun {
		out.Settlement = &Settlement{job.Status, job.TotalNeedsAttention}
	}
	if totals.Funds.Collected == 0 { // nothing that could be disputed
		return nil
	}
	head, err := s.Ledger(ctx, c.Slug)
	if err != nil {
		return err
	}
	if head.HasReversals() {
		sums := head.Sums()
		out.Ledger = &sums
	}
	if err := s.setDisputes(ctx, out); err != nil {
		return err
	}
	return s.setWarnings(ctx, out)
}

// statusBeforeEnd returns the status of a campaign that is archived, is a draft, or has not ended;
// otherwise "".
func statusBeforeEnd(c *campaign.Campaign, in campaign.State, totals inventory.Totals) Status {
	switch {
	case c.Archived():
		return Archived
	case !c.Public() && totals.Listed == 0:
		return Draft
	case in == campaign.Upcoming:
		return Scheduled
	case in == campaign.Live && c.Funded(totals.Counted):
		return Funded
	case in == campaign.Live:
		return Live
	}
	return ""
}

// statusAfterEnd returns the status of an ended campaign. A settlement that has begun is completed
// even if the total is now below the goal.
func statusAfterEnd(c *campaign.Campaign, totals inventory.Totals, begun, complete bool) Status {
	switch {
	case complete || c.Charged:
		return Settled
	case begun || c.Funded(totals.Counted):
		return Charging
	}
	return Missed
}

// setDetails reads the details that depend on the campaign's state.
func (s *Service) setDetails(ctx context.Context, out *Campaign, c *campaign.Campaign, visible Visibility) (err error) {
	if s.Archiving != nil {
		archiving, err := s.Archiving(ctx, c)
		if err != nil {
			return err
		}
		out.Archiving = &archiving
	}
	if out.State == campaign.Upcoming && c.Public() && s.Reminders != nil {
		if out.Reminders, err = s.Reminders(ctx, c.Slug); err != nil {
			return err
		}
	}
	if out.State != campaign.Ended && out.Status != Draft && visible.Money {
		out.CardCheck, err = pledgehealth.LastResult(ctx, s.Store, c.Slug)
	}
	return err
}

// shownDays is the number of days in a summary.
const shownDays = 14

// lastDays returns the last shownDays days in order, including days without pledges.
func lastDays(totals []inventory.DayTotal, today time.Time) []Day {
	days := make([]Day, shownDays)
	for i := range days {
		day := today.AddDate(0, 0, i+1-shownDays).Format(time.DateOnly)
		days[i].Day = day
		if n := slices.IndexFunc(totals, func(d inventory.DayTotal) bool { return d.Day == day }); n >= 0 {
			days[i] = Day{day, totals[n].Pledges, totals[n].Counted}
		}
	}
	return days
}
