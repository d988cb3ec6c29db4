// Package reminder sends the reminders that people can opt in to: of a campaign's launch
// (Launches), and of an unfinished checkout (Carts).
//
// Nothing is stored about an address before its owner has confirmed a launch reminder (double
// opt-in), and only a hash after the reminder was sent. Mails go through a notify.Outbox, so that
// each is sent once, and not to suppressed addresses.
//
// A host calls Launches.Queue, Launches.Dispatch and Carts.Dispatch periodically.
package reminder
