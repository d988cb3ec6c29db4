// Package supporters is what those who run campaigns read of a campaign's supporters: who
// they are, and all that is known of one of them. It reads, and writes nothing.
package supporters
