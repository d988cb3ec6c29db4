package compose

import (
	"cmp"
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// searchLimit is the default number of pledges that Minute adds to the search index.
const searchLimit = 5000

// updateSearch adds new pledges to the search index. It covers all live campaigns in every minute,
// and one of all campaigns in turn, because ended campaigns have few late pledges.
func (s *Services) updateSearch(ctx context.Context) error {
	left := cmp.Or(s.Sizes.Search, searchLimit)
	zone, now := s.Config.Site.Timezone.Location(), s.Now()
	all := s.Campaigns().Campaigns()
	for i, c := range all {
		turn := int(now.Unix()/int64(time.Minute/time.Second))%len(all) == i
		if c.State(now, zone) != campaign.Live && !turn {
			continue
		}
		n, err := s.Projector.Search().Update(ctx, c.Slug, left)
		if left -= n; err != nil || left <= 0 {
			return err
		}
	}
	return nil
}
