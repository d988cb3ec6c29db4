// Package browser contains the end-to-end tests in a browser, called stories. They run in headless
// Chromium, driven by Playwright. Each Go test starts the demo server for its stories.
//
// The stories are the functions that the files below stories export: *.story.mjs test the public
// site, *.night.mjs the dashboard, and *.first.mjs a new platform, with the real program. A
// story receives a function that opens a page in a new browser context. Stories wait for visible
// results, not for fixed times. A story fails if it throws, or if a page logs an error, throws, or
// sends personal data in a URL or a Referer header.
//
// make browser installs Chromium and Playwright. To run some stories only:
//
//	go test ./internal/browser -run 'TestStories|TestNight' -story checkout
package browser
