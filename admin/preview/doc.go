// Package preview lets people look at a campaign before everybody sees it: whoever publishes
// the preview, and reviewers by a mailed link, for 24 hours.
//
// A link is a token that names the campaign and the reviewer, and is good as long as the
// object that keeps the campaign's reviewers has them: who is left out of the next list is
// out at once. Reviewers' addresses are in that object and its copy in the store, and nowhere
// in the campaign's file.
package preview
