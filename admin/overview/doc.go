// Package overview reads the data of the dashboard's overview page: Service.Summary returns the
// state and the figures of one campaign, and Service.Latest the newest pledges.
//
// # Cost
//
// The cost of a summary does not depend on the number of pledges. Summary reads the totals from the
// campaign's object. In addition, it reads two records about the settlement for an ended campaign, the
// head of the ledger for a charged one, at most one page of reminder addresses for an upcoming one, and
// the record of the last card check for one that has not ended. Latest reads the totals of each
// campaign, the last IDs in the lists of at most ten campaigns, and about twice as many pledges as it
// returns. The package writes nothing.
package overview
