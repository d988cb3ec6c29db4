// Package disputes shows a campaign's disputes to operators, and collects the evidence for an answer.
//
// [Service.List] returns the mirrored disputes of package settlement/dispute with their pledges.
// [Service.Evidence] writes everything that the service knows about a disputed payment into a zip file: what
// the supporter agreed to, the promise, the emails with their delivery, the address and the parcels.
// The file contains personal data.
package disputes
