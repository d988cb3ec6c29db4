package compose

import (
	"github.com/pledgeworks/pledgeworks/admin/visits"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Visits counts visits to campaign pages.
type Visits = *visits.Counter

func (s *Services) visits() Visits {
	return &visits.Counter{
		Coordinator: s.Coordinator, Class: state.ClassName, Zone: s.Config.Site.Timezone.Location(), Now: s.Now, Rand: s.Rand,
	}
}

var registerVisits = visits.Register
