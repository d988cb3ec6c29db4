// Package supporters provides operators with the supporters of a campaign: Service.Search
// finds pledges, and Service.Timeline returns everything that is known about one supporter.
// The package writes nothing.
//
// Amounts and addresses are included only if the caller may see them; see Visibility.
package supporters
