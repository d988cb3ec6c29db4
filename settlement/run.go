package settlement

import "sync"

// run is an admission to charge a campaign and the state of the run under it.
type run struct {
	*admission
	tally

	metMu   sync.Mutex
	visited map[string]bool // nonces of the handled visit requests
}
