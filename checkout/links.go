package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// LinksRequest requests the manage links of an address's pledges.
type LinksRequest struct {
	Email string `json:"email"`
}

// LinksSent is the response to a LinksRequest. It is the same for every address.
type LinksSent struct {
	Success bool `json:"success"`
}

// maxLinks is the maximum number of pledges in one email. The newest are included.
const maxLinks = 100

// SendLinks emails the manage links of an address's pledges to that address, at most once an hour.
// It omits cancelled pledges. The response does not reveal whether there are any pledges. It fails
// with code Invalid for an invalid address.
func (s *Service) SendLinks(ctx context.Context, r LinksRequest) (LinksSent, error) {
	if _, err := pledge.ParseEmail(r.Email); err != nil {
		return LinksSent{}, err
	}
	var ids []string
	for _, spelling := range pledge.EmailSpellings(r.Email) {
		list, err := s.Orders.PledgeIDs(ctx, spelling)
		if err != nil {
			return LinksSent{}, err
		}
		ids = append(list, ids...)
	}
	var active []*pledge.Pledge
	for _, id := range ids[max(0, len(ids)-maxLinks):] {
		p, err := s.Orders.Pledge(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue // lost by a database restore
		}
		if err != nil {
			return LinksSent{}, err
		}
		if p.Status != pledge.Cancelled {
			active = append(active, p)
		}
	}
	if len(active) == 0 {
		return LinksSent{Success: true}, nil
	}
	m, err := mailtext.LinksMail(active, func(slug string) string { return s.campaign(slug).Title }, s.Links, s.Now())
	if err != nil {
		return LinksSent{}, err
	}
	return LinksSent{Success: true}, s.Outbox.Queue(ctx, m)
}
