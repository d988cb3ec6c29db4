// Package campaignfile parses and edits campaigns as files: Markdown with front matter,
// and the platform add-ons as YAML.
//
// [Parse] returns a campaign, or [campaign.Problems] with every error of the file with
// its line and field. [Load] reads a whole content repository into an immutable
// catalogue; a [Loader] only parses files that have changed, and [Loader.LoadEach]
// keeps the last good version of broken files. [Edit] changes fields of a file and
// leaves all other bytes unchanged.
//
// Files have amounts in dollars ("25", "25.50", "$1,200"); the model has money.Cents.
// Programs with another source of campaigns do not need this package: they create a
// [campaign.Catalogue] directly.
package campaignfile
