package inventory

import "time"

// hold reserves units.
type hold struct {
	Hold  Hold      `json:"hold"`
	Wants []Request `json:"wants"`
}

func (hold) Kind() string { return "hold" }

// extend postpones a hold's due time.
type extend struct {
	ID  string    `json:"id"`
	Due time.Time `json:"due"`
}

func (extend) Kind() string { return "extend" }

// canHold queries whether a hold would be refused.
type canHold hold

func (canHold) Kind() string { return "can-hold" }

// release releases a hold's units.
type release struct {
	ID string `json:"id"`
}

func (release) Kind() string { return "release" }

// book sets an account and releases its hold.
type book struct {
	Account Account `json:"account"`
	Hold    string  `json:"hold,omitempty"`
	// IfKnown prevents the creation of an account for a pledge without units.
	IfKnown bool `json:"ifKnown,omitempty"`
}

func (book) Kind() string { return "book" }

// due queries holds that are due.
type due struct {
	Before time.Time `json:"before"`
	Limit  int       `json:"limit"`
}

func (due) Kind() string { return "due" }

type snapshot struct{}

func (snapshot) Kind() string { return "snapshot" }

type totals struct{}

func (totals) Kind() string { return "totals" }

type promises struct{}

func (promises) Kind() string { return "promises" }

// listed queries pledge IDs in the order of booking.
type listed struct {
	From  int `json:"from"`
	Limit int `json:"limit"`
}

func (listed) Kind() string { return "listed" }

// supporters queries supporters after a cursor: all, those with an active pledge, or
// those with a failed payment.
type supporters struct {
	After  string `json:"after"`
	Limit  int    `json:"limit"`
	Active bool   `json:"active,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

func (supporters) Kind() string { return "supporters" }

// ofSupporter queries the pledges of one supporter.
type ofSupporter struct {
	Hash string `json:"hash"`
}

func (ofSupporter) Kind() string { return "of-supporter" }

type none struct{}
