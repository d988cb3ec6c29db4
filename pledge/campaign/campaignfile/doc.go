// Package campaignfile parses and edits the files of a content repository: campaigns, which are
// Markdown with front matter, and the platform add-ons, which are YAML.
//
// [Load] reads a whole content repository into an immutable catalogue. A [Loader] parses only the
// files that have changed, and [Loader.LoadEach] keeps the last valid version of each invalid file.
//
// # Documents
//
// A [Document] is one file, parsed once. [Open] succeeds if the YAML can be parsed, even if values
// are invalid, so that a form can show and correct them. [Document.Campaign] and [Document.AddOns]
// validate all values and return [campaign.Problems] with the line and field of every error.
// [Parse] and [ParseAddOns] open and validate a file in one call.
//
// [Document.Apply] returns a copy of the document with some fields changed and all other bytes
// unchanged. [Document.Diff] returns the fields in which two documents differ. An edit uses one
// document for each version of the file:
//
//	before, err := campaignfile.Open(file, src)
//	// ...
//	after, err := before.Apply(changes...)
//	// ...
//	c, err := after.Campaign()
//	// ...
//	commit(after.Bytes(), before.Diff(after))
//
// # Amounts
//
// Files have amounts in dollars ("25", "25.50", "$1,200"), and the parsed campaigns have
// money.Cents.
//
// # Other sources
//
// Programs with another source of campaigns do not need this package. They create a
// [campaign.Catalogue] directly.
package campaignfile
