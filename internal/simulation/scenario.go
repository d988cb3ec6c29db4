package simulation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// scenario is everything that a seed draws before a history starts: prices, page
// sizes, clock errors, the kinds of faults, and people's behavior.
type scenario struct {
	*rand.Rand
	bias
	extensions
	sizes   compose.Sizes
	listing int // page size of the processor's lists
	// retrievals is how many payments one run of a reconciliation may read.
	retrievals int
	stale      time.Duration // age of the Store's reads
	near       bool          // the first server's reads are current
	skews      []time.Duration
	prices     map[string]money.Cents
	goals      map[string]money.Cents // of film and game
	taxRate    int64                  // in hundred-thousandths
	late       bool                   // the processor books payments only after its response
	plans      []planned
	restoring  restorePlan
	remembers  bool // servers keep data about earlier settlements in memory
	cold       bool // servers compose the service for every piece of work
	edit       edit
	mails      mailScenario
}

// bias selects conditions that are common in a history. A bug that requires three coincidences is
// found more easily if one of them is common.
type bias struct {
	changesDie bool // servers crash during last-minute changes of pledges
	farBehind  bool // one clock is behind by more than settlement's margin after the deadline
	sleeps     bool // machines sleep for up to 40 hours between recording a charge and sending it
	lateCards  bool // cards are saved in the last hour, and their webhooks are late
	scarce     bool // everyone wants scarce items at the same time
	declines   bool // most cards are declined
	crowd      bool // a hundred people
	silent     bool // no charge gets a response for hours, and all charges are of one campaign
	edge       bool // goals are reached to the cent, and a change during which servers crash undoes that
	claimed    bool // one order is restored to when it was claimed for a failed charge
	prompt     bool // many mails bounce, and are reported before all servers can read the sent mails
	overtaken  bool // cards are declined, and the decline is recorded after the next card was charged
	heldOver   bool // nothing is charged from a claim for another attempt until the grace period is over
	approves   bool // payments are authenticated while they are being canceled
}

// planned is a person and their planned actions.
type planned struct {
	email  string
	silent bool // never responds to the mail about a failed charge
	unites bool // has everything charged in one payment, through the links
	// keepsCard is set for people who join pledges without saving another card.
	keepsCard bool
	// stranger is set if the person typed another person's address.
	stranger bool
	choices  []choice
}

// choice is a planned checkout and the actions after it.
type choice struct {
	at      time.Duration
	cart    []string
	card    string
	tip     *int // percent; nil for the platform's default
	walks   int  // 0 leaves, 1 abandons, others complete
	thinks  time.Duration
	closes  bool // closes the browser before it can report the saved card
	then    int  // 0 cancels later, 1 and 2 modify
	later   time.Duration
	last    time.Duration // relative to the deadline, instead of later
	forgets bool          // does not use an available link
	reduces bool          // starts with three of the first item and reduces to one
	insists int           // number of attempts to make the change
}

func drawScenario(p Plan) *scenario {
	seed := p.Seed
	s := &scenario{Rand: rand.New(rand.NewPCG(seed, 2)), goals: map[string]money.Cents{}}
	s.bias = bias{
		changesDie: s.oneIn(6), farBehind: s.oneIn(8), sleeps: s.oneIn(8), lateCards: s.oneIn(6),
		scarce: s.oneIn(8), declines: s.oneIn(8), crowd: s.oneIn(100),
	}
	s.silent = s.oneIn(150)
	s.crowd = s.crowd || s.silent
	switch s.IntN(16) {
	case 0, 1:
		s.bias = bias{edge: true, changesDie: true}
	case 2:
		s.bias = bias{claimed: true, declines: true}
	case 3:
		s.bias = bias{prompt: true}
	case 4:
		s.bias = bias{overtaken: true, declines: true}
	case 5:
		s.bias = bias{heldOver: true}
	case 6:
		s.bias = bias{approves: true}
	}
	s.sizes = compose.Sizes{Batch: s.size(), Sweep: s.size(), Page: s.size(), Segment: s.size()}
	if s.silent { // with small pages, checking the pledges of so many people would take the whole silence
		s.sizes = compose.Sizes{}
	}
	s.listing, s.retrievals = s.size(), s.size()
	s.stale = pick(s, 0, 0, 5*time.Second, time.Minute)
	s.late = s.oneIn(3)
	s.taxRate = pick[int64](s, 7875, 7875, 5000, 8250, 0)
	s.prices = map[string]money.Cents{
		"seat": pick[money.Cents](s, 2500, 2000, 1210), "thanks": pick[money.Cents](s, 500, 400, 510, 50),
		"mug": pick[money.Cents](s, 1249, 1250), "print": pick[money.Cents](s, 1000, 1200, 1030),
		"box": pick[money.Cents](s, 6000, 6010), "copy": 1500, "sticker": pick[money.Cents](s, 333, 330),
	}
	s.drawClocks()
	s.drawPeople()
	if !s.edge {
		s.drawStrangers()
	}
	s.goals["film"], s.goals["game"] = s.drawGoal("film", 6000), s.drawGoal("game", 1000)
	if s.restoring, s.remembers = s.drawRestorePlan(), s.oneIn(2); s.remembers {
		s.restoring.testLeaseMemory(s)
	}
	if s.edit = s.drawEdit(); s.heldOver {
		s.restoring, s.edit = restorePlan{}, s.editDuringClaim()
	}
	s.cold = !s.remembers && s.oneIn(2)
	s.mails = s.drawMailScenario()
	if s.near = s.oneIn(2); s.prompt {
		s.stale, s.near, s.mails.keyless = time.Minute, true, false
	}
	s.drawExtensions(p)
	return s
}

// String describes a history.
func (s *scenario) String() string {
	return fmt.Sprintf("%d people; %+v; sizes %+v, lists of %d, %d retrievals; reads %s old, of the first server too: %t; clocks %v; goals %v; prices %v; tax %d; restored: %+v; edited: %+v; mails: %+v; %+v",
		len(s.plans), s.bias, s.sizes, s.listing, s.retrievals, s.stale, !s.near, s.skews, s.goals, s.prices, s.taxRate,
		s.restoring, s.edit, s.mails, s.extensions)
}

func (s *scenario) oneIn(n int) bool { return s.IntN(n) == 0 }

func pick[V any](s *scenario, of ...V) V { return of[s.IntN(len(of))] }

// size draws a page size; 0 is the production size.
func (s *scenario) size() int { return pick(s, 0, 1, 2, 3) }

// drawClocks draws each server's clock error, which is at most a minute in most cases.
func (s *scenario) drawClocks() {
	for range 2 {
		most := maxSkew
		if s.IntN(4) > 0 {
			most = time.Minute
		}
		s.skews = append(s.skews, time.Duration(s.Int64N(int64(2*most)))-most)
	}
	switch {
	case s.farBehind:
		s.skews = []time.Duration{0, -settlement.Margin - time.Duration(1+s.IntN(15))*time.Minute}
	case s.lateCards: // one server considers the other's lock expired
		apart := time.Duration(4+s.IntN(6)) * time.Minute
		s.skews = []time.Duration{apart, -apart}
	}
}

// skew returns the maximum error of the clocks.
func (s *scenario) skew() time.Duration {
	if s.farBehind {
		return settlement.Margin + 16*time.Minute
	}
	return maxSkew
}

func (s *scenario) drawPeople() {
	n := 4 + s.IntN(5)
	switch {
	case s.crowd:
		n = 60 + s.IntN(60)
	case s.edge:
		n = 2 + s.IntN(3)
	}
	for _, email := range s.addresses(n) {
		p := planned{email: email, silent: s.oneIn(3) && !s.approves || s.heldOver, unites: s.oneIn(4)}
		n := 1 + s.IntN(3)
		if s.lateCards {
			n = 3
		}
		for range n {
			p.choices = append(p.choices, s.drawChoice())
		}
		s.ensureLink(&p)
		s.plans = append(s.plans, p)
	}
}

// drawChoice draws a checkout.
func (s *scenario) drawChoice() choice {
	c := choice{
		at:   time.Duration(s.Int64N(int64(23 * time.Hour))),
		cart: pick(s, carts...), card: pick(s, cards...),
		walks: s.IntN(10), thinks: time.Duration(s.IntN(40)) * time.Minute,
		then: s.IntN(10), later: time.Duration(s.Int64N(int64(20 * time.Hour))), insists: 3,
		forgets: s.oneIn(4),
	}
	if tip := pick(s, -1, -1, 0, 1, 10, 15); tip >= 0 {
		c.tip = &tip
	}
	if s.oneIn(4) { // at the last moment
		c.then, c.last = s.IntN(3), time.Duration(s.Int64N(int64(2*maxSkew)))-maxSkew
	}
	if s.oneIn(6) {
		c.thinks *= 30
	}
	s.biasChoice(&c)
	return c
}

// biasChoice adapts a checkout to the history's bias.
func (s *scenario) biasChoice(c *choice) {
	if s.scarce {
		c.cart, c.at = pick(s, scarce...), 10*time.Hour+time.Duration(s.IntN(60))*time.Minute
	}
	if s.declines && s.IntN(3) > 0 {
		c.card = pick(s, refused...)
	}
	if s.lateCards && s.IntN(3) > 0 {
		c.at, c.thinks = ends-time.Duration(2+s.IntN(50))*time.Minute, time.Duration(s.IntN(60))*time.Minute
		c.closes, c.then, c.last = true, 9, 0
		c.cart = pick(s, []string{"film__thanks"}, []string{"game__print"})
		c.card = pick(s, c.card, sim.CardProcessing+":90m") // so that a charge's result is unknown when they arrive
	}
	if s.changesDie && s.oneIn(2) {
		c.then, c.last, c.insists = s.IntN(3), -time.Duration(1+s.IntN(20*60))*time.Second, 1
	}
	if s.farBehind && s.oneIn(2) {
		c.then, c.last = s.IntN(3), time.Duration(25+s.IntN(20))*time.Minute
	}
	switch {
	case s.edge:
		c.makeSteady(s)
	case s.heldOver: // the same card is retried a day before its grace period is over
		c.cart, c.card, c.walks = []string{"game__print"}, pick(s, sim.CardAuthInsufficient, sim.CardDeclineTimes+":1"), 9
	case s.silent:
		c.cart, c.walks = []string{"game__print"}, 9
	case s.approves:
		c.cart, c.card, c.walks = pick(s, []string{"film__thanks"}, []string{"game__print"}),
			pick(s, sim.CardAuthAlways, sim.CardAuthAlways, sim.CardOK), 9
	}
}

// makeSteady makes a checkout's amount predictable; its supporter may cancel
// within the last hours.
func (c *choice) makeSteady(s *scenario) {
	c.cart, c.card, c.walks, c.thinks = pick(s, []string{"film__thanks"}, []string{"game__print"}),
		sim.CardOK, 9, time.Minute
	c.then, c.last, c.insists = 9, 0, 1
	if s.oneIn(3) {
		c.then, c.last = 0, -time.Duration(1+s.IntN(pick(s, 20, 200)))*time.Minute
	}
}

// drawGoal draws a goal far below the pledged amount, or within a cent of it, before or after the
// last change.
func (s *scenario) drawGoal(slug string, low money.Cents) money.Cents {
	before, after := s.expectedPledged(slug)
	if s.edge {
		return max(pick(s, before, before, before, after, after+1), 1)
	}
	edge := pick(s, before, after, before+1, after+1)
	if edge < low || s.IntN(4) > 0 && !s.changesDie {
		return low
	}
	return edge
}

// expectedPledged returns a campaign's expected total before and after all
// changes.
func (s *scenario) expectedPledged(slug string) (before, after money.Cents) {
	for _, p := range s.plans {
		for _, c := range p.choices {
			if c.walks < 2 {
				continue
			}
			of := s.subtotal(c.cart, slug)
			before += of
			switch first := c.cart[0]; {
			case !strings.HasPrefix(first, slug) || c.then > 2:
				after += of
			case c.then > 0 && stackable[first]:
				after += s.prices[item(first)] * money.Cents(1+c.then)
			case c.then > 0:
				after += of
			}
		}
	}
	return before, after
}

func (s *scenario) subtotal(cart []string, slug string) (sum money.Cents) {
	for _, id := range cart {
		if strings.HasPrefix(id, slug+"__") {
			sum += s.prices[item(id)]
		}
	}
	return sum
}

// item returns the last part of a cart item's ID.
func item(id string) string { return id[strings.LastIndex(id, "__")+2:] }

// addresses returns addresses of different people, some of which are similar.
func (s *scenario) addresses(n int) []string {
	all := make([]string, 0, n)
	if s.oneIn(20) {
		all = append(all, collidingAddresses[s.IntN(2)][:]...)
	}
	for i := 0; len(all) < n; i++ {
		name := fmt.Sprintf("s%d", i)
		all = append(all, name+"@example.org")
		switch s.IntN(8) {
		case 0:
			all = append(all, name+"+film@example.org")
		case 1:
			all = append(all, name[:1]+"."+name[1:]+"@example.org")
		case 2:
			all = append(all, name+"@xn--bcher-kva.example") // bücher.example, as stored
		case 3:
			all = append(all, name+"+film@example.org", name+"+game@example.org")
		}
	}
	return all
}

// collidingAddresses are pairs of addresses whose group hashes in film, and whose
// own hashes, share the first eleven digits: a truncated hash joins them.
var collidingAddresses = [2][2]string{
	{"s882656@example.org", "s887605@example.org"},
	{"t841721@example.org", "t3355412@example.org"},
}

// contents returns the history's content repository.
func (s *scenario) contents() fstest.MapFS {
	prices := []string{"{film}", dollars(s.goals["film"]), "{game}", dollars(s.goals["game"])}
	for item, price := range s.prices {
		prices = append(prices, "{"+item+"}", dollars(price))
	}
	priced := strings.NewReplacer(prices...)
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(priced.Replace(text))} }
	return fstest.MapFS{
		"campaigns/film.md": file(filmFile), "campaigns/game.md": file(gameFile),
		"campaigns/album.md": file(albumFile), "add-ons.yml": file(addOnsFile),
		"site.yml": file("platform:\n  timezone: America/Denver\n"),
	}
}

func dollars(c money.Cents) string { return fmt.Sprintf("%d.%02d", c/100, c%100) }
