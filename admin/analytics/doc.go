// Package analytics says what a campaign brings and where it comes from: sums of its
// pledges by what was chosen, by who sent the supporter, and by day. It reads pledges, and
// writes nothing.
package analytics
