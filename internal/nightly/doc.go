// Package nightly settles large campaigns with the real program and checks its
// memory usage. It contains only tests.
package nightly
