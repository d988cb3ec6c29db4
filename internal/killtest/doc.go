// Package killtest kills the real program at random points of its story and
// holds its books against the processor's. It has tests only.
package killtest
