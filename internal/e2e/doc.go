// Package e2e runs the demo as an end-to-end test on every host: SQLite,
// PostgreSQL, memory and workerd. It contains only tests.
package e2e
