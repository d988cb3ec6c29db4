package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// LinksRequest asks for the links to the pledges of an address.
type LinksRequest struct {
	Email string `json:"email"`
}

// LinksSent is the answer, the same for every address.
type LinksSent struct {
	Success bool `json:"success"`
}

// mostLinks is how many pledges a mail links to, the last ones.
const mostLinks = 100

// SendLinks mails the links to an address' pledges to that address, once in an hour. What
// it answers does not say whether there are any. It fails with code Invalid for what is no
// address.
func (s *Service) SendLinks(ctx context.Context, r LinksRequest) (LinksSent, error) {
	if _, err := pledge.ParseEmail(r.Email); err != nil {
		return LinksSent{}, err
	}
	var ids []string
	for _, spelling := range pledge.EmailSpellings(r.Email) {
		list, err := s.Orders.Of(ctx, spelling)
		if err != nil {
			return LinksSent{}, err
		}
		ids = append(list, ids...)
	}
	var standing []*pledge.Pledge
	for _, id := range ids[max(0, len(ids)-mostLinks):] {
		p, err := s.Orders.Pledge(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue // of an order that a restored database has lost
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
	m, err := notify.LinksOf(standing, func(slug string) string { return s.campaign(slug).Title }, s.Links, s.Now())
	if err != nil {
		return LinksSent{}, err
	}
	return LinksSent{Success: true}, s.Outbox.Queue(ctx, m)
}
