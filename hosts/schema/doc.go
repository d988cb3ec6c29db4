// Package schema describes the fields of campaigns' files, of the platform's add-ons and of
// the site's settings: where each stands, what may be written there, and what it is called
// in English and in Spanish. Forms are made from it.
//
// Limits and choices are those of the parsers, taken from where they have them. A test holds
// the description against what the parsers read, in both directions.
package schema
