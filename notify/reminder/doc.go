// Package reminder sends the two reminders that people can opt in to: that a campaign has
// launched (Launches), and that a checkout was left unfinished (Carts).
//
// Nothing is stored about an address before its owner has confirmed a launch reminder (double
// opt-in), and only a hash once the reminder was sent. Mails go through a notify.Outbox, so
// that each is sent once, and not to suppressed addresses.
//
// A host calls Launches.Queue, Launches.Dispatch and Carts.Dispatch periodically.
package reminder
