// Package broadcast sends one message to all supporters of a campaign.
//
//	Launch ──▶ drafting ──▶ sending ◀──▶ paused
//	                           │           │
//	                           ▼           ▼
//	                         done       stopped
//
// # Concepts
//
// A broadcast is a frozen message with a frozen audience. Each is stored in its own object, named
// after the message's identity, so that launching the same identity again returns the existing
// broadcast. Its members are stored in chunks. A unit is the part of a chunk that is sent in one
// request to the provider.
//
// Step sends the next unit. A host calls it periodically. Before each request the attempt is
// recorded, so that interrupted attempts are detected. An interrupted unit is retried, with the
// same content under the same key, only while the provider remembers the key. After that, its
// members are Ambiguous: they are listed, and the message is not sent to them again.
//
// Drafts stores the messages that operators are still writing.
//
// # Errors
//
// Methods fail with the documented fault codes, and otherwise with an error of the Coordinator. A
// Sender's results are recorded with the members.
//
// # Personal data
//
// Forget removes the members' addresses 30 days after a broadcast has ended.
package broadcast
