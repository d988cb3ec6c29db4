package sim

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// state is the processor's complete state. Snapshots are its JSON encoding.
type state struct {
	Format int
	Mode   psp.Mode
	Seed   uint64
	Drawn  uint64 // how many numbers were drawn from the seed
	Offset time.Duration

	Customers      map[string]*customer
	Sessions       map[string]*session
	SetupIntents   map[string]*setupIntent
	PaymentMethods map[string]*paymentMethod
	Intents        map[string]*intent
	Charges        map[string]*charge
	BalanceTxns    map[string]*balanceTxn
	Refunds        map[string]*refund
	Disputes       map[string]*dispute
	Payouts        map[string]*payout
	Warnings       map[string]*fraudWarning
	Events         map[string]*event
	Endpoints      map[string]*endpoint
	// Order lists the IDs of all objects by prefix, oldest first.
	Order map[string][]string

	Gross      money.Cents // of all successful charges, added up individually
	Balance    money.Cents // of all balance transactions, added up individually
	Tasks      []task
	Keys       map[string]*idempotencyRecord
	Buckets    map[string]time.Time
	Deliveries []*delivery
	Faults     []Fault
	Hooks      []HookFault
	Storm      Storm
	Received   map[Op]int // requests that reached the processor
}

// stateFormat 2 added refunds, disputes and partial captures, and format 3 the balance, payouts and
// early fraud warnings.
const stateFormat = 3

func newState(mode psp.Mode, seed uint64) *state {
	return &state{
		Format: stateFormat, Mode: mode, Seed: seed,
		Customers: map[string]*customer{}, Sessions: map[string]*session{},
		SetupIntents: map[string]*setupIntent{}, PaymentMethods: map[string]*paymentMethod{},
		Intents: map[string]*intent{}, Charges: map[string]*charge{},
		BalanceTxns: map[string]*balanceTxn{}, Refunds: map[string]*refund{}, Disputes: map[string]*dispute{},
		Payouts: map[string]*payout{}, Warnings: map[string]*fraudWarning{},
		Events:    map[string]*event{},
		Endpoints: map[string]*endpoint{}, Order: map[string][]string{},
		Keys: map[string]*idempotencyRecord{}, Buckets: map[string]time.Time{}, Received: map[Op]int{},
	}
}

type customer struct {
	ID, Email, Name, Description string
	Metadata                     map[string]string
	Created                      time.Time
	Deleted                      bool
}

type session struct {
	ID, Customer, SetupIntent, Secret string
	UIMode                            psp.UIMode
	Status                            psp.SessionStatus
	ReturnURL, SuccessURL, CancelURL  string
	Locale, ClientReference           string
	Metadata                          map[string]string
	Created, Expires                  time.Time
}

type setupIntent struct {
	ID, Customer, PaymentMethod, Secret string
	Status, Description                 string
	Metadata                            map[string]string
	LastError                           *refusal
	Created                             time.Time
}

type paymentMethod struct {
	ID, Customer string
	Card         card
	SetUp        bool // saved with the supporter present
	Tries        int  // attempted charges
	Created      time.Time
}

type intent struct {
	ID, Customer, PaymentMethod, Secret string
	Status, Description, CaptureMethod  string
	Amount                              money.Cents
	LatestCharge                        string
	LastError                           *refusal
	CancelReason                        string
	Metadata                            map[string]string
	Created, CanceledAt                 time.Time
}

type charge struct {
	ID, Intent, Customer, PaymentMethod string
	Succeeded                           bool
	Amount                              money.Cents
	Captured                            money.Cents // part of Amount; 0 unless it succeeded
	Refunded                            money.Cents // part of Captured, without failed refunds
	Disputed                            bool
	BalanceTxn                          string
	Failure                             *refusal
	Metadata                            map[string]string
	Created                             time.Time
}

type refund struct {
	ID, Charge, Intent                        string
	Status                                    psp.RefundStatus
	Reason, FailureReason, BalanceTxn, Undone string
	Amount                                    money.Cents
	Metadata                                  map[string]string
	Created                                   time.Time
}

// refusal is an issuer's decline.
type refusal struct{ Code, DeclineCode, Message, PaymentMethod string }

// taskKind is a kind of scheduled task.
type taskKind string

const (
	expireTask  taskKind = "expire_session"
	bookTask    taskKind = "book_charge"
	succeedTask taskKind = "intent_succeeds"
	failTask    taskKind = "intent_fails"
	refundTask  taskKind = "refund_succeeds"
	returnTask  taskKind = "refund_fails"
	payTask     taskKind = "payout_paid"

	reconcileTask taskKind = "payout_reconciled"
)

type task struct {
	At   time.Time
	Kind taskKind
	ID   string
}

// addTask inserts a task by time; tasks with equal times keep their order.
func (st *state) addTask(at time.Time, kind taskKind, id string) {
	i := len(st.Tasks)
	for i > 0 && st.Tasks[i-1].At.After(at) {
		i--
	}
	st.Tasks = slices.Insert(st.Tasks, i, task{at, kind, id})
}

// dueTask removes and returns the earliest due task.
func (st *state) dueTask(now time.Time) (task, bool) {
	if len(st.Tasks) == 0 || st.Tasks[0].At.After(now) {
		return task{}, false
	}
	t := st.Tasks[0]
	st.Tasks = st.Tasks[1:]
	return t, true
}

// draw returns the next number of the seed's sequence.
func (st *state) draw() [32]byte {
	in := strconv.AppendUint(nil, st.Seed, 10)
	in = strconv.AppendUint(append(in, '/'), st.Drawn, 10)
	st.Drawn++
	return sha256.Sum256(in)
}

// chance returns true with a probability of permille thousandths.
func (st *state) chance(permille int) bool {
	return permille > 0 && st.pick(1000) < permille
}

// pick draws a number from 0 to n-1.
func (st *state) pick(n int) int {
	d := st.draw()
	return (int(d[0])<<16 | int(d[1])<<8 | int(d[2])) % n
}

const idAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// newID returns a new identifier such as "pi_1Q…" and records it under its
// prefix.
func (st *state) newID(prefix string, length int) string {
	id := prefix + st.randomID(length)
	st.Order[prefix] = append(st.Order[prefix], id)
	return id
}

func (st *state) randomID(length int) string {
	b := make([]byte, 0, length)
	for len(b) < length {
		d := st.draw()
		for _, v := range d[:min(32, length-len(b))] {
			b = append(b, idAlphabet[int(v)%len(idAlphabet)])
		}
	}
	return string(b)
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
