// Package inventory is the campaign object: the truth about what a campaign
// counts. There is one per campaign, and one for the platform's own add-ons.
//
// It keeps, for each pledge, an account of what it holds of the campaign, and
// beside the accounts the sums over them: units committed per item, amounts,
// the list of pledges and the pledges of each supporter. An account is set to
// a revision of its pledge, and the sums move by the difference to the
// revision before, so setting it again changes nothing.
//
// Units are held before they are promised. A hold is also the intent of the
// step that took it: it names the pledge and when to look after it, and it
// never lapses by itself. Whoever finds it due asks how the step ended (the
// order object, the processor) and then books or releases it. So a supporter
// whose card is saved is never refused, and units come back as soon as it is
// known that nobody can have them.
//
// For every item, committed plus held units are never above its limit. Whoever
// holds before a card is given has a holder's name, and no holder has more than a
// share of a limited item: a tenth, but four of a few, and half of fewer.
package inventory
