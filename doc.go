// Package pledgeworks takes pledges for crowdfunding campaigns and charges them if the
// campaign reaches its goal. It provides checkout, supporters' pledge links and
// settlement for programs with their own server, database and mail service.
//
// # Usage
//
// [New] creates [Services] from [Parts]: a store and a coordinator (package kv;
// implementations are kv/memkv, kv/sqlitekv and kv/postgreskv), a payment processor
// (checkout/psp/stripe, or the simulator checkout/psp/sim), a catalogue of campaigns,
// and providers of tax, shipping and mail. Each part is an interface or a function that
// the program can implement. The package reads no environment variables and no files.
//
//	db := memkv.New(memkv.Options{Now: time.Now, Classes: pledgeworks.Classes()})
//	s, err := pledgeworks.New(pledgeworks.Parts{
//		Store: db.Store("PLEDGES"), Coordinator: db.Coordinator(), Processor: processor,
//		Catalogue: catalogue, Sender: sender, Tax: taxes, Shipping: rules,
//		Site: "https://example.org", Secret: secret,
//		Now: time.Now, Rand: rand.Reader, Log: slog.Default(),
//	})
//
// Package hosts/embed serves the routes over net/http; examples/checkout is a complete
// program. Call [Services.Minute] once a minute: it settles campaigns after their
// deadline, releases expired reservations and sends mails.
//
// Package hosts/compose builds the complete Pledgeworks service, with administration,
// reports, broadcasts and a site, on top of the same Services.
//
// # Concurrency
//
// Services are safe for concurrent use, and any number of servers can share one
// database.
package pledgeworks
