// Package reminder sends the reminders that supporters can opt in to: of a campaign's launch
// (Launches), and of an unfinished checkout (Carts).
//
// Unless Launches.Unasked is set, nothing but the queued confirmation mail is stored about an
// address before its owner has confirmed a launch reminder (double opt-in). After the reminder was
// sent, only a hash is kept. Mails go through a notify.Outbox, so that each is sent once, and not
// to suppressed addresses.
//
// A host calls Launches.Queue, Launches.Dispatch and Carts.Dispatch periodically.
package reminder
