// Package laws holds the rules of the house as tests: which package may import
// which, what the core does without, what each file looks like. Every law is a
// function over what go list or the syntax says, and is itself tested against
// planted violations.
package laws
