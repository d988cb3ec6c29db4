package state

import (
	"testing"
)

// A statement is not confirmed by a different one.
func TestResolve_DifferentStatements(t *testing.T) {
	g := Group{Hash: "h", Generation: 1, Status: NeedsAttention}
	g.Resolutions = []Resolution{{Generation: 1, StatedBy: "ada"}}
	if g.pendingStatement("pi_1", false) != nil || g.pendingStatement("", false) == nil {
		t.Error("a different statement counts as a confirmation")
	}
	g.Generation = 2
	if g.pendingStatement("", false) != nil {
		t.Error("a statement about an earlier attempt counts for this one")
	}
}
