// Package postgreskv keeps stores and objects in a database that speaks PostgreSQL's
// protocol, so that any number of servers share them. It uses plain SQL: tables, row
// locks, transactions of milliseconds, and no extension.
//
// A command takes the lock of its object's row, so that commands to one object never
// overlap whichever server they came to. Commands that wait for the same object in one
// server share a transaction: one lock, one commit, however hot the object is. A
// transaction that the database gave up (a conflict, a failover) is tried again; that
// is safe, since a command carries its identity.
package postgreskv
