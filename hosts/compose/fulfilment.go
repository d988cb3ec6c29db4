package compose

import "github.com/pledgeworks/pledgeworks/admin/fulfilment"

// Fulfilment records which parcels are packed and sent.
type Fulfilment = *fulfilment.Service

func (s *Services) fulfilment() Fulfilment {
	s.Supporters.Acts = s.Checkout.Orders.Acts
	return &fulfilment.Service{
		Orders: s.Checkout.Orders, Projector: s.Projector, Outbox: s.Outbox, Links: s.links,
		Catalogue: s.Campaigns, Zone: s.Config.Site.Timezone.Location(), Now: s.Now,
	}
}
