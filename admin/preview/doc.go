// Package preview shows a campaign that is not public to its publisher and to invited
// reviewers, for 24 hours.
//
// Service.Publish mails each reviewer a link and replaces the list of reviewers. A link contains a
// token with the campaign and the reviewer's address. Service.Check accepts it only while the
// address is on the list, so that a reviewer who is not on the next list loses access at once. The
// addresses are stored in an object per campaign and in a copy in the Store, never in the
// campaign's file.
package preview
