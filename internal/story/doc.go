// Package story runs the demo as an end-to-end test on every host: SQLite,
// PostgreSQL, memory and workerd. It contains only tests.
package story
