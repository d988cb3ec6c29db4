package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// stuck is a state in which an operator has to act.
type stuck struct {
	words map[string]string // arguments of the command
	keys  []string          // of the operators who run it, in order
	first func()            // the step that the row requires before the command; nil for none
	left  func() bool       // reports whether the state has ended
}

// states contains the table's rows by their first column. Each row has one function for every
// command in its last column, in the same order.
var states = map[string][]func(s *testInstall) stuck{
	"A charge got no response for 23 hours":          {unanswered, arrivedLate},
	"The processor's answer is about another charge": {wrongAnswer, wrongAnswerOnly, paymentOfAnother},
	"The processor received another amount":          {partialCapture, partialCaptureRefunded},
	"A pledge's terms differ from the processor's":   {otherTerms, otherTermsCancelled},
	"A pledge came after its supporter was charged":  {latePledge},
	"The amount is outside Stripe's limits": {func(s *testInstall) stuck {
		return s.uncharged("usd", 25)
	}},
	"A pledge is in another currency": {
		func(s *testInstall) stuck { return s.uncharged("eur", 2000) }},
	"A saved card has no pledge":                             {lostForGood, lostInBackup, lostWithManifest},
	"A payment is not booked":                                {notBooked},
	"A payment keeps a campaign from being closed":           {recoveredForClosing, settledInsteadOfClosing},
	"A supporter is charged twice":                           {chargedTwice},
	"The processor refuses the key or the account":           {refusedKey},
	"The processor refuses charges as invalid":               {refusedAsInvalid},
	"Too many charges failed":                                {tooManyFailed},
	"Charges get no response":                                {noAnswers},
	"The file breaks a promise to its supporters":            {fileCorrected, fileAccepted},
	"A campaign was closed by mistake":                       {closedByMistake},
	"Charging is stopped":                                    {stopped},
	"This server's clock is wrong":                           {wrongClock},
	"Emails about outcomes wait because charging is stopped": {waitingMails},
	"A restored backup's emails are held":                    {heldMails},
	"A refund waits for another operator":                    {unconfirmedRefund},
	"A refund came back":                                     {returnedRefund},
	"A refund got no response for 23 hours":                  {lostRefund},
	"The refund of all payments is paused":                   {pausedRefunds},
}

var both = []string{"ada's", "ben's"}

func (s *testInstall) charged(id string) func() bool {
	return func() bool { return s.status(id) == pledge.Charged }
}

// cancelled returns the state of a pledge that can only be cancelled.
func (s *testInstall) cancelled(id string) stuck {
	return stuck{words: map[string]string{"PLEDGE": id}, left: func() bool { return s.status(id) == pledge.Cancelled }}
}

// forget runs change and then restores the database to its previous state, as a crash may.
func (s *testInstall) forget(change func()) {
	s.t.Helper()
	s.close()
	db := filepath.Join(s.env["DATA_DIR"], app.StoreFile)
	before, err := os.ReadFile(db)
	s.ok(err)
	change()
	s.close()
	s.ok(os.WriteFile(db, before, 0o600))
}

// edit changes the campaign file.
func (s *testInstall) edit(from, to string) {
	s.t.Helper()
	s.close()
	file := filepath.Join(s.env["CONTENT_DIR"], "campaigns", "song.md")
	text, err := os.ReadFile(file)
	s.ok(err)
	if !bytes.Contains(text, []byte(from)) {
		s.t.Fatalf("file does not contain %q", from)
	}
	s.ok(os.WriteFile(file, bytes.Replace(text, []byte(from), []byte(to), 1), 0o600))
}

// raised makes a pledge whose record still has its earlier amount, and another pledge without
// problems. It returns the ID of the former.
func raised(s *testInstall) string {
	s.pledge("bob", "download", sim.CardOK)
	id := s.pledge("ana", "download", sim.CardOK)
	s.forget(func() {
		tip := 10
		_, err := s.open().Services.Checkout.Modify(s.t.Context(),
			checkout.ModifyRequest{Token: s.link(id, "ana"), TipPercent: &tip})
		s.ok(err)
	})
	s.ok(s.settle())
	return id
}

func otherTerms(s *testInstall) stuck {
	id := raised(s)
	return stuck{words: map[string]string{"PLEDGE": id, "WHY": "agreed"}, keys: both, left: func() bool {
		s.ok(s.settle())
		return s.status(id) == pledge.Charged
	}}
}

func otherTermsCancelled(s *testInstall) stuck { return s.cancelled(raised(s)) }

func latePledge(s *testInstall) stuck {
	link := s.link(s.pledge("ana", "download", sim.CardOK), "ana")
	s.save(s.startFrom(link, "ana", "download"), sim.CardOK) // joined and charged at once
	s.now = time.Date(2026, time.November, 21, 6, 50, 0, 0, time.UTC)
	late := s.startFrom(link, "ana", "download")
	s.card(late, sim.CardOK)
	s.unread()
	s.ok(s.settle())
	s.complete(late)
	s.ok(s.settle())
	return s.cancelled(late.Campaigns[0].OrderID)
}

func (s *testInstall) uncharged(currency string, amount money.Cents) stuck {
	s.pledge("bob", "download", sim.CardOK)
	id := s.createPledge(currency, amount)
	s.ok(s.settle())
	return s.cancelled(id)
}

// lost makes an order and removes it from the database. It calls during while the order still
// exists.
func (s *testInstall) lost(during func(checkout.Started)) stuck {
	s.pledge("bob", "download", sim.CardOK)
	var lost checkout.Started
	s.forget(func() {
		lost = s.start("ana", "download")
		s.save(lost, sim.CardOK)
		during(lost)
	})
	return stuck{words: map[string]string{"SESSION": lost.SessionID}, left: func() bool {
		all, err := s.open().Services.Checkout.LostOrders(s.t.Context(), s.now.Add(-48*time.Hour))
		s.ok(err)
		return len(all) == 0
	}}
}

func lostForGood(s *testInstall) stuck { return s.lost(func(checkout.Started) {}) }

func lostInBackup(s *testInstall) stuck {
	backup := filepath.Join(s.t.TempDir(), "later.db")
	is := s.lost(func(checkout.Started) { s.must("backup " + backup) })
	is.words["FILE"] = backup
	return is
}

func lostWithManifest(s *testInstall) stuck {
	file := filepath.Join(s.t.TempDir(), "manifest.json")
	is := s.lost(func(lost checkout.Started) {
		o, err := s.open().Services.Checkout.Orders.Get(s.t.Context(), lost.OrderID)
		s.ok(err)
		b, err := json.Marshal(o.Manifest)
		s.ok(err)
		s.ok(os.WriteFile(file, b, 0o600))
	})
	is.words["FILE"] = file
	return is
}

func fileCorrected(s *testInstall) stuck {
	is := otherDeadline(s)
	is.first = func() { s.edit("2026-11-19", "2026-11-20") }
	return is
}

func fileAccepted(s *testInstall) stuck {
	is := otherDeadline(s)
	is.words = map[string]string{"WHY": "asked"}
	return is
}

func otherDeadline(s *testInstall) stuck {
	id := s.pledge("ana", "download", sim.CardOK)
	s.edit("2026-11-20", "2026-11-19")
	if err := s.settle(); !fault.Is(err, fault.Conflict) {
		s.t.Fatalf("the campaign was settled: %v", err)
	}
	return stuck{left: s.charged(id)}
}

// closedByMistake closes a campaign whose file has too high a goal. The file has to be corrected
// before the command.
func closedByMistake(s *testInstall) stuck {
	s.edit("goal_amount: 20", "goal_amount: 50")
	s.pledge("ana", "download", sim.CardOK)
	s.now = time.Date(2026, time.November, 21, 7, 0, 0, 0, time.UTC).Add(settlement.Closing)
	if !s.closedByCron() {
		s.t.Fatal("the campaign is not closed")
	}
	return stuck{words: map[string]string{"WHY": "mistake"}, keys: both,
		first: func() { s.edit("goal_amount: 50", "goal_amount: 20") },
		left:  func() bool { return !s.closedByCron() },
	}
}

func stopped(s *testInstall) stuck {
	id := s.pledge("ana", "download", sim.CardOK)
	_, err := s.open().Services.Settlement.Switch().Stop(s.t.Context(), "a doubt")
	s.ok(err)
	_ = s.settle()
	return stuck{left: func() bool { _ = s.settle(); return s.status(id) == pledge.Charged }}
}

func wrongClock(s *testInstall) stuck {
	id := s.pledge("ana", "download", sim.CardOK)
	s.now = time.Date(2026, time.November, 21, 9, 0, 0, 0, time.UTC)
	s.open().Sim.Advance(-20 * time.Minute)
	if err := s.settle(); err == nil {
		s.t.Fatal("the campaign was settled")
	}
	return stuck{left: s.charged(id), first: func() {
		s.now = s.now.Add(-20 * time.Minute)
		s.open().Sim.Advance(20 * time.Minute)
	}}
}

// waitingMails queues a mail that asks for another card, and then stops charging.
func waitingMails(s *testInstall) stuck {
	s.pledge("bob", "download", sim.CardOK)
	s.pledge("ana", "download", sim.CardChargeDeclined)
	s.ok(s.settle())
	_, err := s.open().Services.Settlement.Switch().Stop(s.t.Context(), "a doubt")
	s.ok(err)
	return stuck{left: s.mailed(notify.UpdateCard)}
}

// mailed returns a function that sends due mails and reports whether a mail of a kind was sent.
func (s *testInstall) mailed(kind notify.Kind) func() bool {
	return func() bool {
		s.now = s.now.Add(2 * time.Hour)
		_, err := s.open().Services.Outbox.Drain(s.t.Context(), 100)
		s.ok(err)
		all, err := s.open().Mails.Mails()
		s.ok(err)
		return slices.ContainsFunc(all, func(m app.Mail) bool { return m.Kind == kind })
	}
}

// heldMails restores a backup that was made while a confirmation was queued.
func heldMails(s *testInstall) stuck {
	s.pledge("ana", "download", sim.CardOK)
	s.restoreAfter(func() {})
	return stuck{left: s.mailed(notify.Confirmation)}
}

// createPledge creates a pledge that checkouts cannot create.
func (s *testInstall) createPledge(currency string, amount money.Cents) string {
	s.t.Helper()
	const id = "pw-00000000000000000000000001"
	ctx, c := s.t.Context(), s.open().Services
	lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Gift", Quantity: 1, UnitPrice: amount, Amount: amount}}
	totals, err := pledge.CalculateTotals(lines, 0, 0, pledge.Tip{})
	s.ok(err)
	o, err := c.Settlement.Orders.Open(ctx,
		order.Manifest{OrderID: id, Email: "ana@example.org", Currency: currency, Nonce: id, BookedAt: s.now,
			Amount: amount, Campaigns: []order.Contribution{{PledgeID: id, CampaignSlug: "song", Lines: lines, Totals: totals}}})
	s.ok(err)
	s.ok(c.Settlement.Orders.Attach(ctx, id, "cs_1"))
	_, _, err = c.Settlement.Orders.Confirm(ctx, id, "cs_1", o.Hash,
		order.Card{CustomerID: "cus_1", PaymentMethodID: "pm_1", SavedAt: s.now}, false)
	s.ok(err)
	o, err = c.Settlement.Orders.Get(ctx, id)
	s.ok(err)
	_, err = c.Projector.Book(ctx, o.Pledges[0], "")
	s.ok(err)
	return id
}
