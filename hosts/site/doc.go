// Package site builds the public site: static pages in every language, generated from the content
// repository, that any static host can serve.
//
//	b, err := site.New(site.Options{Content: content, Config: cfg})
//	// ...
//	tree, err := b.Build(catalogue, time.Now())
//	err = tree.Write("public")
//
// A Builder turns a catalogue into a Tree, an immutable set of files by path. Building makes no
// network requests, and pages are the same for all visitors; scripts load values that change, such
// as totals and stock, from the service. A Server serves trees over HTTP and rebuilds the site in
// the background when the catalogue or the time changes.
//
// Campaigns that are not public are left out before pages are rendered, so that no page can leak
// them. Preview renders a single campaign that may be unpublished.
//
// # Errors
//
// Build fails with campaign.Problems, each with its file and line. A Server isolates problems
// instead: a broken campaign keeps its last good version, and a broken picture is replaced by a
// placeholder. Check finds all problems of a content repository.
//
// # Concurrency
//
// Tree and Server are safe for concurrent use, a Builder is not.
package site
