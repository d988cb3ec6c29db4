// Package deployment checks the files in deploy against the program: names, ports
// and metrics. It contains only tests.
package deployment
