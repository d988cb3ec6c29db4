// Package visits counts how often campaign pages are opened from links on other sites, by
// day and by the link's referral and UTM parameters. It stores only numbers and the names
// in the links, and no addresses, cookies or identifiers of visitors.
//
// Counter.Count counts in memory, and Counter.Flush writes the counts; call it once a
// minute. A server that crashes loses the visits since the last Flush, and a visitor who
// opens a page twice is counted twice. The figures are meant for comparing links, not for
// accounting.
package visits
