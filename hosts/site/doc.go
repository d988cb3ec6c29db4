// Package site makes the public site: pages that any host of files can serve, from
// the content repository, in every language that there are messages for.
//
// A Builder turns a catalogue into a Tree, a set of finished files by path. Nothing
// is fetched and nothing depends on who looks: what changes from minute to minute
// (what is pledged, what is left) scripts read from the service.
//
// What only some may see is not hidden but absent: Builder is given the whole
// catalogue and forgets every campaign that is not public before anything is made.
package site
