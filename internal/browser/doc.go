// Package browser tells stories in a real browser: headless Chromium, driven by
// Playwright, against a demo that each run starts for itself.
//
// make browser installs what it takes. The stories stand in stories/; no story waits
// for a time, only for what a person would see.
package browser
