package httpapi

// contentRoutes are none on a worker, whose program has no room for what reads and writes
// campaigns' files: those are changed by another host, or in their repository.
func (a *API) contentRoutes() []Route { return nil }

// mediaRoutes are none either.
func (a *API) mediaRoutes() []Route { return nil }

// previewRoutes are none: there are no templates on a worker.
func (a *API) previewRoutes() []Route { return nil }

// visitRoutes are none: a worker counts no visits.
func (a *API) visitRoutes() []Route { return nil }

// sentRoutes are none: a worker sends no news.
func (a *API) sentRoutes() []Route { return nil }
