package settlement

import (
	"context"
	"maps"
	"regexp"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Standing is how a campaign's settlement stands: what it waits for, how far it is, and
// what holds it.
type Standing struct {
	CampaignSlug string         `json:"campaignSlug"`
	State        campaign.State `json:"state"`
	Goal         money.Cents    `json:"goal"`
	Counted      money.Cents    `json:"counted"`  // cents toward the goal
	EndsAt       *time.Time     `json:"endsAt"`   // nil without a deadline
	BeginsAt     *time.Time     `json:"beginsAt"` // a Margin later

	Supporters int                   `json:"supporters"`
	Pledges    map[pledge.Status]int `json:"pledges"`
	Funds      inventory.Funds       `json:"funds"`

	Begun       bool       `json:"begun"`   // somebody was charged, or is being charged
	Working     bool       `json:"working"` // a run has the campaign now
	Open        bool       `json:"open"`    // a charge has no known end yet
	Job         *Job       `json:"job"`
	CompletedAt *time.Time `json:"completedAt"`
	ClosedAt    *time.Time `json:"closedAt"` // as one that missed its goal
	// DetachingAt is when the deletion of a closed campaign's cards began. Until then two
	// operators may reopen it; Reopening is what they decided so far.
	DetachingAt *time.Time `json:"detachingAt"`
	Reopening   *Reopened  `json:"reopening"`
	Unclosed    *Unclosed  `json:"unclosed"` // why it is not closed though it missed its goal

	// Off says why nobody is charged by the configuration, "" where they are.
	Off      string               `json:"off"`
	Stopped  *Stopped             `json:"stopped"` // all campaigns
	Held     *Held                `json:"held"`    // this one
	Broken   []inventory.Promised `json:"broken"`  // promises that charging would break
	Accepted *Accepted            `json:"accepted"`
}

// Standing tells how a campaign's settlement stands. It fails with code NotFound for an
// unknown campaign, and writes nothing.
func (s *Service) Standing(ctx context.Context, slug string) (Standing, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return Standing{}, err
	}
	st, err := client{s.Coordinator, slug}.overview(ctx)
	if err != nil {
		return Standing{}, err
	}
	snap, err := s.Inventory.Snapshot(ctx, slug)
	if err != nil {
		return Standing{}, err
	}
	stopped, err := s.Switch().Stopped(ctx)
	if err != nil {
		return Standing{}, err
	}
	broken, err := s.Broken(ctx, c)
	if err != nil {
		return Standing{}, err
	}
	unclosed, err := s.whyUnclosed(ctx, c, st)
	if err != nil {
		return Standing{}, err
	}
	ends, begins := s.times(c)
	return Standing{
		CampaignSlug: slug, State: c.State(s.Now(), s.Zone), Goal: c.Goal, Counted: snap.Totals.Counted, EndsAt: ends, BeginsAt: begins,
		Supporters: snap.Totals.Supporters(), Pledges: maps.Collect(maps.All(snap.Totals.Statuses)), Funds: snap.Totals.Funds,
		Begun: st.Begun, Working: st.Lease.heldAt(s.Now()) && !st.Lease.Released, Open: st.Open, Job: st.Job, CompletedAt: st.Complete, ClosedAt: st.Closed,
		DetachingAt: st.Detaching, Reopening: st.Reopening, Unclosed: unclosed,
		Off: reasonOf(s.switchedOff()), Stopped: stopped, Held: st.Held, Broken: append([]inventory.Promised{}, broken...), Accepted: st.Accepted,
	}, nil
}

// times are a campaign's deadline and when its settlement may begin, nil without a deadline.
func (s *Service) times(c *campaign.Campaign) (ends, begins *time.Time) {
	if c.Deadline.IsZero() {
		return nil, nil
	}
	end := c.EndsAt(s.Zone).UTC()
	begin := end.Add(Margin)
	return &end, &begin
}

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return messageOf(err)
}

// Failure is a supporter's charge that was refused and may still be made good.
type Failure struct {
	Email       string          `json:"email"`
	OrderIDs    []string        `json:"orderIds"`
	Amount      money.Cents     `json:"amount"` // cents
	Attempts    int             `json:"attempts"`
	Code        string          `json:"code"`        // the processor's
	DeclineCode string          `json:"declineCode"` // the issuer's
	FailedAt    time.Time       `json:"failedAt"`    // at first
	Recovery    pledge.Recovery `json:"recovery"`
}

// FailurePage are some failures; Next is "" on the last page.
type FailurePage struct {
	Failures []Failure `json:"failures"`
	Next     string    `json:"next"`
}

// MaxFailures is how many failures a page has at the most.
const MaxFailures = 50

var failureCursor = regexp.MustCompile(`^(` + failedPrefix + `[0-9a-f]{` + strconv.Itoa(hashDigits) + `})?$`)

// Failures lists a campaign's charges that were refused and may still be made good, after
// a cursor, "" for the first page. It fails with code NotFound for an unknown campaign, and
// with Invalid for what is no cursor.
func (s *Service) Failures(ctx context.Context, slug, after string) (FailurePage, error) {
	if !failureCursor.MatchString(after) {
		return FailurePage{}, fault.New(fault.Invalid, "The cursor is the next of a page").In("cursor")
	}
	c, err := s.Catalogue().Campaign(slug)
	if err != nil {
		return FailurePage{}, err
	}
	page, err := client{s.Coordinator, slug}.failures(ctx, after, MaxFailures+1)
	if err != nil {
		return FailurePage{}, err
	}
	out := FailurePage{Failures: []Failure{}}
	if len(page.Groups) > MaxFailures {
		page.Groups = page.Groups[:MaxFailures]
		out.Next = failedPrefix + page.Groups[MaxFailures-1].Hash
	}
	for _, g := range page.Groups {
		p, err := s.Orders.Pledge(ctx, g.Orders[0].ID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return FailurePage{}, err
		}
		f := Failure{OrderIDs: g.orderIDs(), Amount: g.Amount, Attempts: g.Generation, Code: g.Code, DeclineCode: g.DeclineCode,
			FailedAt: g.firstFailure(), Recovery: g.recovery(c.Recovery)}
		if p != nil {
			f.Email = p.Email
		}
		out.Failures = append(out.Failures, f)
	}
	return out, nil
}
