package compose

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// cards is the progress of deleting a campaign's cards. A later change to the campaign starts
// another round.
type cards struct {
	Woken int  `json:"woken"` // the IdleState's Woken when the round began
	Next  int  `json:"next"`  // position of the next pledge; 0 at the end of a round
	Left  int  `json:"left"`  // pledges of this round that must be checked again
	Done  bool `json:"done"`
	// At is when the round finished.
	At time.Time `json:"at"`
}

// lateWriteDelay is how long after the deletion of its cards a campaign becomes idle at the
// earliest. In that time a delayed run may still write an outdated projection, which the hourly
// work must then repair.
const lateWriteDelay = 6 * time.Hour

func cardsKey(slug string) string { return "cron:cards:" + slug }

// deleteCards continues deleting cards that are no longer needed for a charge and returns how many
// it deleted. before contains the campaigns' idle states from the start of the run.
func (s *Services) deleteCards(ctx context.Context, before map[string]state.IdleState) (int, error) {
	awake, err := s.Settlement.ActiveCampaigns(ctx)
	errs := []error{err}
	zone := s.Config.Site.Timezone.Location()
	total := 0
	for _, c := range awake {
		if c.State(s.Now(), zone) != campaign.Ended {
			continue
		}
		n, err := s.deleteCardsOf(ctx, c, before[c.Slug].Woken)
		if total += n; err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Slug, err))
		}
	}
	return total, errors.Join(errs...)
}

func (s *Services) deleteCardsOf(ctx context.Context, c *campaign.Campaign, woken int) (int, error) {
	at, _, err := kv.Read[cards](ctx, s.Stores.Pledges, cardsKey(c.Slug))
	if err != nil || at.Done && at.Woken == woken {
		return 0, err
	}
	if at.Woken != woken || at.Done {
		at = cards{Woken: woken}
	}
	f, failed := s.Settlement.DeleteCards(ctx, c, at.Next, cronLimit)
	if !f.Over {
		return 0, failed
	}
	at.Next, at.Left = f.Next, at.Left+f.Left
	if at.Next == 0 {
		at.Done, at.Left, at.At = at.Left == 0, 0, s.Now().UTC()
	}
	return f.Cards, errors.Join(failed, kv.Save(ctx, s.Stores.Pledges, cardsKey(c.Slug), at))
}
