// Package pledgehealth finds pledges that will fail at the deadline unless the supporter acts:
// their card expires before that or no longer exists, or their address bounces. Service.Findings
// lists them, and Service.RequestCards mails the reachable supporters once to ask for another card.
//
// Cards are read from the payment processor on each call. Nothing about a single card is stored,
// because banks renew expiry dates without notice. Service.Check stores only the totals of a whole
// check, which LastResult returns.
package pledgehealth
