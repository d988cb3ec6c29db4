package state

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const accountKey = "account"

// Account is the processor account that a database belongs to. Only this account can charge the
// saved cards.
type Account struct {
	Mode psp.Mode  `json:"mode"`
	ID   string    `json:"id"`
	At   time.Time `json:"at"` // first use
}

// Matches reports whether the account has the given mode and ID. An ID of "" matches any.
func (a Account) Matches(mode psp.Mode, id string) bool {
	return a.Mode == mode && (id == "" || a.ID == id)
}

// Err returns the error, with code Conflict, for a server that uses another account.
func (a Account) Err() error {
	return fault.New(fault.Conflict,
		"The database belongs to the account %s, mode %s (first used on %s). Set that account's key, or use another database",
		a.ID, a.Mode, a.At.UTC().Format(time.RFC3339))
}

type account struct{}

func (account) Kind() string { return "account" }

func runAccount(tx kv.Tx, _ time.Time, _ account) (*Account, error) {
	a, known, err := kv.Load[Account](tx, accountKey)
	if err != nil || !known {
		return nil, err
	}
	return &a, nil
}

type bind struct {
	Mode psp.Mode `json:"mode"`
	ID   string   `json:"id"`
}

func (bind) Kind() string { return "bind" }

// runBind stores the account unless there is one already, and returns the stored account.
func runBind(tx kv.Tx, now time.Time, cmd bind) (Account, error) {
	a, known, err := kv.Load[Account](tx, accountKey)
	if err != nil || known {
		return a, err
	}
	a = Account{Mode: cmd.Mode, ID: cmd.ID, At: now}
	return a, kv.PutValue(tx, accountKey, a)
}
