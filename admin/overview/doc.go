// Package overview reads what the dashboard shows about all campaigns at once:
// Service.Summary returns the state and the figures of one campaign, and Service.Latest the
// newest pledges.
//
// # Cost
//
// A summary costs the same for a campaign with ten pledges and with a million. It reads the
// sums of the campaign's object and, of an ended campaign, two records about its
// settlement; of an upcoming one the addresses that wait for its launch, at most one page;
// of a live one the record of its last card check. Latest reads the sums of each campaign,
// the last IDs in the lists of at most ten campaigns, and about twice as many pledges as it
// returns. The package writes nothing.
package overview
