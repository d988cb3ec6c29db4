package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// LinksRequest asks for the manage links of an address's pledges.
type LinksRequest struct {
	Email string `json:"email"`
}

// LinksSent is the response, the same for every address.
type LinksSent struct {
	Success bool `json:"success"`
}

// mostLinks is the maximum number of pledges in one mail, newest first.
const mostLinks = 100

// SendLinks mails the manage links of an address's pledges to that address, at
// most once an hour. The response does not reveal whether there are any pledges.
// It fails with code Invalid for an invalid address.
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
	var standing []*pledge.Pledge
	for _, id := range ids[max(0, len(ids)-mostLinks):] {
		p, err := s.Orders.Pledge(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue // lost by a database restore
		}
		if err != nil {
			return LinksSent{}, err
		}
		if p.Status != pledge.Cancelled {
			standing = append(standing, p)
		}
	}
	if len(standing) == 0 {
		return LinksSent{Success: true}, nil
	}
	m, err := mailtext.LinksMail(standing, func(slug string) string { return s.campaign(slug).Title }, s.Links, s.Now())
	if err != nil {
		return LinksSent{}, err
	}
	return LinksSent{Success: true}, s.Outbox.Queue(ctx, m)
}
