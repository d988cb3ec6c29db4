package compose

import "github.com/pledgeworks/pledgeworks/kv"

// Visits are not counted on Workers, which do not serve the campaign pages.
type Visits = struct{}

func (s *Services) visits() Visits { return Visits{} }

func registerVisits(*kv.Class) {}
