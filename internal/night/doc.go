// Package night settles large campaigns with the real program and looks at how
// much memory that takes. It has tests only.
package night
