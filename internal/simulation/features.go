package simulation

import "slices"

// A feature is a part of the world that can be switched off.
type feature string

const (
	restAdapter feature = "rest adapter" // half of the histories use checkout/psp/rest
	longSpan    feature = "long span"    // some histories last six weeks
)

// awaiting lists the features that the core does not survive yet. They are played only if
// Plan.With names them. Remove each one with the change to the core that it waits for; when
// the list is empty, delete it and Plan.With.
var awaiting = []feature{}

// plays reports whether a history may use a feature.
func (p Plan) plays(f feature) bool {
	return !slices.Contains(awaiting, f) || slices.Contains(p.With, string(f))
}
