// Package campaign reads what is for sale: campaigns written as Markdown files
// with front matter, and the platform's add-ons.
//
// [Parse] turns one file into a [Campaign] or into all the [Problems] it has,
// each with file, line and field. [Load] reads a whole content repository into
// an immutable [Catalogue]. [Edit] changes fields of a file and leaves every
// other byte of it alone.
//
// Files state money in dollars ("25", "25.50", "$1,200"); the model holds
// money.Cents. Dates without an offset are local to the platform's zone, which
// the caller passes in: a campaign starts with the first second of its start
// date and ends with the last second of its deadline.
package campaign
