// Package crashtest kills the real server at random points and compares its state
// with the processor's books. It contains only tests.
package crashtest
