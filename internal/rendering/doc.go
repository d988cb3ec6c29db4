// Package rendering tests that every campaign that validation accepts can be shown. Its tests
// generate random valid campaigns, and render every page and every mail of each in both
// languages. `make campaigns` renders 100,000 of them.
package rendering
