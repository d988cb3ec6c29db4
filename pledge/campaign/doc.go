// Package campaign defines campaigns with their rewards, dates and goals, and the
// platform add-ons. Together they form an immutable [Catalogue].
//
// [NewCatalogue] creates a catalogue from campaigns of any source. Package campaignfile parses
// campaigns from the files of a content repository, and [FromSite] reads them from a published
// site. Errors in a file are reported as [Problems] with lines and fields.
//
// # Dates
//
// A date without an offset is in the platform's time zone, which callers pass in. A
// campaign starts with the first second of its start date and ends with the last second
// of its deadline. [Campaign.State] is calculated from the dates, never stored.
//
// Amounts are in cents. All values are safe for concurrent use, because they never
// change.
package campaign
