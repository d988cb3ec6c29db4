package compose

import "github.com/pledgeworks/pledgeworks/kv"

// Visits are not counted by a worker: what serves the pages there is somebody else.
type Visits = struct{}

func (s *Services) visits() Visits { return Visits{} }

func registerVisits(*kv.Class) {}
