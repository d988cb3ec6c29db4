package settlement

import "sync"

// run is one charging run of a campaign: its admission, the tally of its results, and the visit
// requests that it has handled.
type run struct {
	*admission
	tally

	visitedMu sync.Mutex
	visited   map[string]bool // nonces of handled visit requests
}
