// Package deployment holds what lies in deploy against the program: names, ports and
// metrics. It has tests only.
package deployment
