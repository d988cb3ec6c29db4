// Package reminder sends the two mails that people ask to be reminded by: that a campaign
// has begun, and that a checkout was left unfinished.
//
// Nobody is reminded who did not ask. Of an address nothing is kept before its owner has
// answered a mail to it (double opt-in), and nothing but a hash after its reminder was
// sent. Mails go through the notify.Outbox, so that each leaves once, and not to those who
// have unsubscribed.
package reminder
