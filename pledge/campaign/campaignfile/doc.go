// Package campaignfile reads and edits campaigns as files: Markdown with front
// matter, and the platform's add-ons as YAML.
//
// [Parse] turns one file into a campaign or into all the problems it has, each
// with file, line and field. [Load] reads a whole content repository into an
// immutable catalogue. [Edit] changes fields of a file and leaves every other
// byte of it alone.
//
// Files state money in dollars ("25", "25.50", "$1,200"); the model holds
// money.Cents. Who keeps campaigns elsewhere needs none of this: what is for
// sale is a [campaign.Catalogue], wherever it comes from.
package campaignfile
