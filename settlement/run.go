package settlement

import "sync"

// run is an admission to charge a campaign and the state of the run under it.
type run struct {
	*admission
	tally

	visitedMu sync.Mutex
	visited   map[string]bool // nonces of handled visit requests
}
