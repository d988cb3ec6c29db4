// Package analytics computes the figures of a campaign's pledges: totals, and breakdowns by
// category, referral, UTM parameters, link, fulfilment type, language, reward, country and day. It
// reads pledges and writes nothing.
//
// Large campaigns are read in parts: Service.Report returns the figures of one part of the
// index and the cursor of the next, and the caller adds them up.
package analytics
