// Package browser contains the end-to-end tests, called stories. They run in headless Chromium,
// driven by Playwright, against a demo server that each test starts for itself.
//
// The stories are the functions that the files stories/*.story.mjs (public site),
// stories/*.night.mjs (dashboard) and stories/*.first.mjs (a new platform, with the program itself)
// export by name. Each receives a function that opens a page in a new browser context. Stories wait for visible results, not for fixed times. A story fails if it
// throws, or if a page logs an error, throws or sends personal data in a URL or a Referer header.
//
// make browser installs Chromium and Playwright. To run some stories only:
//
//	go test ./internal/browser -run 'TestStories|TestNight' -story checkout
package browser
