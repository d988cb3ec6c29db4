// Package postgreskv keeps stores and objects in a database that speaks PostgreSQL's
// protocol, so that any number of servers share them. It uses plain SQL: tables, row
// locks, transactions of milliseconds, and no extension.
//
// A command takes the lock of its object's row, so that commands to one object never
// overlap whichever server they came to. Whatever waits in a server shares a
// transaction: one round trip takes the locks, one writes and commits, and in between
// everything that commands want to read comes in rounds. A transaction that the
// database gave up (a conflict, a failover) is tried again; that is safe, since a
// command carries its identity.
//
// What a server remembers of objects is held against their versions, which no other
// history of the database has: after a failover that lost commits it is of no use.
package postgreskv
