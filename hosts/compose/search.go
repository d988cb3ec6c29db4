package compose

import (
	"cmp"
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// searchLimit is how many pledges a minute makes searchable where nothing else is asked for.
const searchLimit = 5000

// follow makes the pledges searchable that are new. The campaigns that are live are looked
// at every minute; of the others, whose late pledges are few, one after the other.
func (s *Services) follow(ctx context.Context) error {
	left := cmp.Or(s.Sizes.Search, searchLimit)
	zone, now := s.Config.Site.Timezone.Location(), s.Now()
	all := s.Campaigns().Campaigns()
	for i, c := range all {
		turn := int(now.Unix()/int64(time.Minute/time.Second))%len(all) == i
		if c.State(now, zone) != campaign.Live && !turn {
			continue
		}
		n, err := s.Projector.Search().Follow(ctx, c.Slug, left)
		if left -= n; err != nil || left <= 0 {
			return err
		}
	}
	return nil
}
