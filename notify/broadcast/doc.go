// Package broadcast sends one message to many, each of them once.
//
//	Launch ──▶ drafting ──▶ sending ◀──▶ paused
//	                           │           │
//	                           ▼           ▼
//	                         done       stopped
//
// A broadcast is a frozen message with a frozen audience, held by an object of its own
// under an identity: whoever launches it again finds the one that is there. Its members
// lie in chunks. What leaves with one request is a unit, noted as under way before the
// request, so that what is cut off is known. Such a unit goes out again, the same bytes
// under the same key, only as long as the provider remembers the key; otherwise its
// members are in doubt: never sent again, and listed.
package broadcast
