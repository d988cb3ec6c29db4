package settlement

import "time"

// Every command that writes carries the fence of the lease it is written in,
// but for tell and want: what is known for a fact is taken from anybody.

type acquire struct {
	Owner string `json:"owner"`
	Holder
	// Closed also takes the lease of a closed campaign, to delete its cards.
	Closed bool `json:"closed,omitempty"`
}

func (acquire) Kind() string { return "acquire" }

type renew struct {
	fence
}

func (renew) Kind() string { return "renew" }

type release struct {
	fence
	// ImportedAfter is the last restore if all payments were imported under the lease, else nil.
	ImportedAfter *time.Time `json:"importedAfter,omitempty"`
}

func (release) Kind() string { return "release" }

// submit freezes a group.
type submit struct {
	fence
	Group Group `json:"group"`
}

func (submit) Kind() string { return "submit" }

// adopt makes a group of an attempt of which only the payment is known.
type adopt struct {
	fence
	Group Group `json:"group"`
	Fact  fact  `json:"fact"`
}

func (adopt) Kind() string { return "adopt" }

// attempt counts a sending before it is made.
type attempt struct {
	fence
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
	Number     int    `json:"number"`
}

func (attempt) Kind() string { return "attempt" }

// tell brings a fact from the processor, and says after how many sendings and questions
// it was learned.
type tell struct {
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
	Fact       fact   `json:"fact"`
	Attempts   int    `json:"attempts"`
	Asks       int    `json:"asks"`
}

func (tell) Kind() string { return "tell" }

// alarm ends the sending of a group that is too old.
type alarm struct {
	fence
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
}

func (alarm) Kind() string { return "alarm" }

// withdraw ends an attempt of which no request was sent, without a charge.
type withdraw struct {
	fence
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
}

func (withdraw) Kind() string { return "withdraw" }

// booked says that everybody knows the outcome that a group had when they were
// told.
type booked struct {
	fence
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
	Outcome    string `json:"outcome"`
}

func (booked) Kind() string { return "booked" }

// drop gives a failed group up.
type drop struct {
	fence
	Hash       string `json:"hash"`
	Generation int    `json:"generation"`
}

func (drop) Kind() string { return "drop" }

// want notes that a supporter should be looked at, for a new card.
type want struct {
	Hash      string `json:"hash"`
	Supporter string `json:"supporter"`
	Nonce     string `json:"nonce"`
}

func (want) Kind() string { return "want" }

// met takes such a note away, unless it was written again meanwhile.
type met struct {
	fence
	Hash  string `json:"hash"`
	Nonce string `json:"nonce"`
}

func (met) Kind() string { return "met" }

// start begins a batch: of the running job, or of a new one where Fresh is set.
type start struct {
	fence
	Fresh bool   `json:"fresh"`
	Slug  string `json:"slug"`
	Total int    `json:"total"`
}

func (start) Kind() string { return "start" }

// checkpoint ends a batch.
type checkpoint struct {
	fence
	Batch int `json:"batch"`

	Swept          bool      `json:"swept,omitempty"`
	SweptTo        int       `json:"sweptTo,omitempty"`
	Stage          stage     `json:"stage"`
	Cursor         string    `json:"cursor"`
	Processed      int       `json:"processed"`
	Skipped        int       `json:"skipped"`
	NeedsAttention int       `json:"needsAttention"`
	Status         JobStatus `json:"status"`
}

func (checkpoint) Kind() string { return "checkpoint" }

// complete notes that nothing is left to settle.
type complete struct {
	fence
}

func (complete) Kind() string { return "complete" }

// overview asks for everything but the groups.
type overview struct{}

func (overview) Kind() string { return "overview" }

type getGroup struct {
	Hash string `json:"hash"`
}

func (getGroup) Kind() string { return "get-group" }

// getGroups asks for those of some groups, and of the notes about them, that there are, and
// whether the breaker is open.
type getGroups struct {
	Hashes []string `json:"hashes"`
}

func (getGroups) Kind() string { return "get-groups" }

// failures asks for the groups that may still be made good, after a cursor.
type failures struct {
	After string `json:"after"`
	Limit int    `json:"limit"`
}

func (failures) Kind() string { return "failures" }

// missing asks which payments no group has.
type missing struct {
	Payments []paid `json:"payments"`
}

func (missing) Kind() string { return "missing" }

// unbooked asks for the successes without the processor's figures, after a cursor.
type unbooked struct {
	After string `json:"after"`
	Limit int    `json:"limit"`
}

func (unbooked) Kind() string { return "unbooked" }

// unfinished asks for what is open, after a cursor.
type unfinished struct {
	After string `json:"after"`
	Limit int    `json:"limit"`
}

func (unfinished) Kind() string { return "unfinished" }
