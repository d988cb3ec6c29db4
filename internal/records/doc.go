// Package records keeps the records of earlier releases, at least one of every
// kind, and checks that this release works with them. It contains only tests.
package records
