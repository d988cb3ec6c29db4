// Package campaignfile parses and edits campaigns as files: Markdown with front matter,
// and the platform add-ons as YAML.
//
// [Load] reads a whole content repository into an immutable catalogue; a [Loader] only
// parses files that have changed, and [Loader.LoadEach] keeps the last good version of
// broken files.
//
// # Documents
//
// A [Document] is one file, parsed once. [Open] succeeds if the YAML can be parsed,
// even if values are invalid, so that a form can show and correct them.
// [Document.Campaign] and [Document.AddOns] validate all values: they return
// [campaign.Problems] with every error and its line and field. [Parse] and
// [ParseAddOns] open and validate a file in one call, with the same checks.
//
// [Document.Apply] returns a document with some fields changed and all other bytes
// unchanged, and [Document.Diff] the fields in which two documents differ. An edit uses
// one document for each version of the file:
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
// Files have amounts in dollars ("25", "25.50", "$1,200"); the model has money.Cents.
// Programs with another source of campaigns do not need this package: they create a
// [campaign.Catalogue] directly.
package campaignfile
