// Package campaign is what is for sale: campaigns with their rewards, dates and
// goals, and the platform's add-ons, together an immutable [Catalogue].
//
// [NewCatalogue] makes one of campaigns from anywhere; package campaignfile reads
// them from files. A campaign's dates without an offset are local to the
// platform's zone, which the caller passes in: it starts with the first second
// of its start date and ends with the last second of its deadline.
package campaign
