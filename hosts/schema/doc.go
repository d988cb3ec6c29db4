// Package schema describes the fields of campaign files, the platform's add-ons and the
// site's settings: their paths, types and limits, their labels and help texts in English
// and Spanish, and the permissions that they require. The dashboard generates its forms
// from it.
//
// Describe returns the description of a kind of file, and JSON a JSON Schema for editors.
// Described and Schema return the same from embedded data, which keeps the program small;
// go test ./hosts/schema -update writes it. Required returns the permissions for a path.
//
// Limits and choices are taken from the parsers. Tests compare the description with what
// the parsers read, in both directions.
package schema
