// Package archtest contains the architecture tests: import order, what the core must
// not use, file sizes, comments and vocabulary. Every rule is a function over the
// output of go list or the syntax tree, and is itself tested with planted
// violations.
package archtest
