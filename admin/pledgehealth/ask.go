package pledgehealth

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Requested is the result of RequestCards for one page of supporters.
type Requested struct {
	DryRun bool `json:"dryRun"`
	Asked  int  `json:"asked"` // mails queued now or, in a dry run, that would be queued
	// AlreadyAsked and Unreachable count mails that are not sent because the supporter was asked
	// before, or because the address does not accept mail.
	AlreadyAsked int    `json:"alreadyAsked"`
	Unreachable  int    `json:"unreachable"`
	Next         string `json:"next"` // the cursor of the next page, "" after the last
}

// mail is a mail that asks one supporter for another card for one reason.
type mail struct {
	why   mailtext.CardTrouble
	cards []*pledge.Pledge
	asked bool
	dead  bool
}

// RequestCards queues a mail to each supporter of a page whose card cannot be charged. A supporter
// is asked once for each reason, even if RequestCards is called repeatedly. A dry run only counts.
// It fails like Findings.
func (s *Service) RequestCards(ctx context.Context, c *campaign.Campaign, cursor string,
	limit int, dryRun bool) (Requested, error) {
	page, err := s.Findings(ctx, c, cursor, limit)
	if err != nil {
		return Requested{}, err
	}
	out := Requested{DryRun: dryRun, Next: page.Next}
	for _, m := range mails(page.Findings) {
		switch {
		case m.asked:
			out.AlreadyAsked++
			continue
		case m.dead:
			out.Unreachable++
			continue
		case !dryRun:
			message, err := mailtext.CardProblemMail(m.cards, m.why, c, s.Links, s.Zone, s.Now())
			if err != nil {
				return Requested{}, err
			}
			if err := s.Outbox.Queue(ctx, message); err != nil {
				return Requested{}, err
			}
		}
		out.Asked++
	}
	return out, nil
}

// mails groups the findings by address and reason, in the order of the findings. It omits
// findings for which no other card is needed.
func mails(findings []Finding) (all []*mail) {
	type key struct {
		email string
		why   mailtext.CardTrouble
	}
	byKey := map[key]*mail{}
	for _, f := range findings {
		why := f.requestReason()
		if why == "" {
			continue
		}
		k := key{f.Email, why}
		m := byKey[k]
		if m == nil {
			m = &mail{why: why, asked: f.Asked, dead: f.unreachable()}
			byKey[k], all = m, append(all, m)
		}
		m.cards = append(m.cards, f.card)
	}
	return all
}

func (f *Finding) unreachable() bool { return slices.Contains(f.Troubles, Unreachable) }
