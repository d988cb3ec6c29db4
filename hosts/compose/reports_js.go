package compose

import "context"

// reportToRunners does nothing on a worker, whose program has no room for reports.
func (s *Services) reportToRunners(context.Context) error { return nil }
