// Package pledgeworks takes pledges and charges them if their campaign reaches its goal:
// all of checkout, supporters' own links, and settlement, for a program that has a server,
// a database and a sender of mails of its own.
//
// [New] makes [Services] of [Parts]: a store of keys and values and a coordinator of small
// objects (package kv; kv/sqlitekv and kv/postgreskv are two), a processor
// (checkout/psp/stripe, or checkout/psp/sim to try it), a catalogue of campaigns, and who
// quotes tax and shipping and sends mails. Each is an interface or a function, and can be
// the program's own. Nothing is read from the environment or from files.
//
// Package hosts/mount serves it over net/http. A program calls [Services.Minute] once a
// minute; it settles what is due, looks after reservations and sends the mails. What the
// whole service has beside this (administration, reports, broadcasts, a site) is put on
// top of the same Services by hosts/compose.
package pledgeworks
