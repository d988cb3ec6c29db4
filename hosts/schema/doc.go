// Package schema describes the fields of campaign files, the platform's add-ons and the
// site's settings: their paths, types and limits, their labels and help texts in English
// and Spanish, and the permissions that they require. The dashboard generates its forms
// from these descriptions.
//
// Describe returns the description of a kind of file, and JSON a JSON Schema for editors.
// Described and Schema return the same from embedded data, which keeps programs smaller;
// go test ./hosts/schema -update generates the data. Required returns the permissions for a
// path.
//
// Limits and choices are taken from the parsers. Tests compare the description with what
// the parsers read, in both directions.
package schema
