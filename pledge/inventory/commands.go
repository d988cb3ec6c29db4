package inventory

import "time"

// hold keeps units under a hold.
type hold struct {
	Hold  Hold   `json:"hold"`
	Wants []Want `json:"wants"`
}

func (hold) Kind() string { return "hold" }

// extend puts off a hold's due time, when the step it stands for takes longer.
type extend struct {
	ID  string    `json:"id"`
	Due time.Time `json:"due"`
}

func (extend) Kind() string { return "extend" }

// release drops a hold.
type release struct {
	ID string `json:"id"`
}

func (release) Kind() string { return "release" }

// book sets an account, and drops the hold that it came from.
type book struct {
	Account Account `json:"account"`
	Hold    string  `json:"hold,omitempty"`
	// IfKnown opens no account for a pledge that has no units.
	IfKnown bool `json:"ifKnown,omitempty"`
}

func (book) Kind() string { return "book" }

// due asks for holds to look after.
type due struct {
	Before time.Time `json:"before"`
	Limit  int       `json:"limit"`
}

func (due) Kind() string { return "due" }

type snapshot struct{}

func (snapshot) Kind() string { return "snapshot" }

type promises struct{}

func (promises) Kind() string { return "promises" }

// listed asks for pledge IDs in the order in which they were booked.
type listed struct {
	From  int `json:"from"`
	Limit int `json:"limit"`
}

func (listed) Kind() string { return "listed" }

// supporters asks for the pledges of supporters after a cursor: of all, of those who have an
// active one, or of those who have one whose payment failed.
type supporters struct {
	After  string `json:"after"`
	Limit  int    `json:"limit"`
	Active bool   `json:"active,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

func (supporters) Kind() string { return "supporters" }

// ofSupporter asks for the pledges of one supporter.
type ofSupporter struct {
	Hash string `json:"hash"`
}

func (ofSupporter) Kind() string { return "of-supporter" }

type none struct{}
