// Package story tells the demo's story on every host: SQLite, PostgreSQL, memory and
// workerd. It has tests only.
package story
