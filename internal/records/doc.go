// Package records holds the records of the last release, one and more of every kind, and
// has this one go on with them. It has tests only.
package records
