package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// sentAgo returns a group whose first request was sent that long ago, with a number of attempts.
func sentAgo(ago time.Duration, attempts int) Group {
	first := noon.Add(-ago)
	return Group{Status: Submitted, Generation: 1, Attempts: attempts, FirstSubmittedAt: &first, LastAttemptAt: &first,
		NextAttemptAt: first.Add(pause)}
}

func (g Group) asked(ago time.Duration) Group {
	at := noon.Add(-ago)
	g.AskedAt, g.AskedAfter = &at, g.Attempts
	return g
}

func (g Group) with(change func(*Group)) Group {
	change(&g)
	return g
}

// rejected returns a group whose request the processor rejected that long ago.
func rejected(ago time.Duration) Group {
	at := noon.Add(-ago)
	return Group{Status: Failed, Refused: true, SettledAt: &at}
}

// Proves SET-12, SET-14 and SET-16.
func TestNext(t *testing.T) {
	known := func(g *Group) { g.PaymentIntentID = "pi_1" }
	attention := func(g *Group) { g.Status = NeedsAttention }
	tests := []struct {
		name string
		g    Group
		want Step
	}{
		{"never sent", Group{Status: Submitted}, SendCharge},
		{"never sent, long ago", Group{Status: Submitted, SubmittedAt: noon.Add(-48 * time.Hour)}, SendCharge},
		{"sent, not asked", sentAgo(time.Second, 1), FindCharge},
		{"sent again, not asked since", sentAgo(time.Hour, 1).asked(time.Minute).with(func(g *Group) { g.Attempts = 2 }), FindCharge},
		{"just asked, and no time for the next sending", sentAgo(time.Minute, 1).asked(time.Second), Wait},
		{"asked long ago", sentAgo(2*time.Hour, 1).asked(time.Hour), FindCharge},
		{"just asked", sentAgo(2*time.Hour, 1).asked(time.Minute), SendCharge},
		{"asked a moment less than a quarter of an hour ago", sentAgo(2*time.Hour, 1).asked(15*time.Minute - 1), SendCharge},
		{"asked a quarter of an hour ago", sentAgo(2*time.Hour, 1).asked(15 * time.Minute), FindCharge},
		{"just asked by a clock ahead", sentAgo(2*time.Hour, 1).asked(-10 * time.Minute), SendCharge},
		{"known payment, not asked", sentAgo(time.Second, 1).with(known), ReadPayment},
		{"known payment, just asked", sentAgo(time.Second, 1).asked(0).with(known), Wait},
		{"known payment, asked long ago", sentAgo(2*time.Hour, 1).asked(time.Hour).with(known), ReadPayment},
		{"known payment, never sent again", sentAgo(2*time.Hour, 1).asked(time.Minute).with(known), Wait},

		{"22:59", sentAgo(22*time.Hour+59*time.Minute, 3).asked(0), SendCharge},
		{"23:00", sentAgo(23*time.Hour, 3).asked(0), SendCharge},
		{"a moment later", sentAgo(23*time.Hour+1, 3).asked(0), RaiseAlarm},
		{"23:01", sentAgo(23*time.Hour+time.Minute, 3).asked(0), RaiseAlarm},
		{"23:01, never asked", sentAgo(23*time.Hour+time.Minute, 1), RaiseAlarm},
		{"24:01", sentAgo(24*time.Hour+time.Minute, 1).asked(0), RaiseAlarm},
		{"24:01, known payment", sentAgo(24*time.Hour+time.Minute, 1).with(known), RaiseAlarm},

		{"attention, not asked", sentAgo(24*time.Hour, 1).with(attention), FindCharge},
		{"attention, asked", sentAgo(24*time.Hour, 1).asked(time.Minute).with(attention), Wait},
		{"attention, asked long ago", sentAgo(24*time.Hour, 1).asked(time.Hour).with(attention), FindCharge},
		{"attention, known payment", sentAgo(24*time.Hour, 1).with(attention).with(known), ReadPayment},
		{"attention, young", sentAgo(time.Hour, 1).asked(time.Minute).with(attention), Wait},

		{"succeeded", Group{Status: Succeeded}, BookOutcome},
		{"succeeded and booked", Group{Status: Succeeded, Booked: true}, Finished},
		{"failed", Group{Status: Failed}, BookOutcome},
		{"failed and booked", Group{Status: Failed, Booked: true}, Finished},
		{"rejected just now", rejected(time.Hour - 1), Wait},
		{"rejected an hour ago", rejected(time.Hour), BookOutcome},
		{"rejected by a clock that was a day ahead", rejected(-day), BookOutcome},
		{"rejected and dropped", rejected(time.Minute).with(func(g *Group) { g.DroppedAt = &noon }), BookOutcome},
		{"declined just now", rejected(time.Minute).with(func(g *Group) { g.Refused = false }), BookOutcome},
		{"rejected, booked again", rejected(0).with(func(g *Group) { g.SettledAt = nil }), BookOutcome},
		{"a status of a later version", Group{Status: "odd"}, Wait},
	}
	for _, tt := range tests {
		if got := NextStep(tt.g, noon); got != tt.want {
			t.Errorf("%s: next is %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Only a group with a young key and without a known payment is sent, whatever the rest of its
// record is.
//
// Proves SET-14 and SET-16.
func TestNext_SendsOnlyYoungKeys(t *testing.T) {
	for _, status := range []GroupStatus{Submitted, Succeeded, Failed, NeedsAttention, "odd"} {
		for _, attempts := range []int{1, 2} {
			for _, age := range []time.Duration{0, time.Hour, 23 * time.Hour, 23*time.Hour + 1, 30 * time.Hour} {
				for _, asked := range []time.Duration{-time.Hour, 0, time.Minute, 20 * time.Minute} {
					for _, payment := range []string{"", "pi_1"} {
						g := sentAgo(age, attempts).asked(asked)
						g.Status, g.PaymentIntentID = status, payment
						may := status == Submitted && payment == "" && age <= 23*time.Hour
						if NextStep(g, noon) == SendCharge && !may {
							t.Errorf("sends at %s, asked %s ago, payment %q, after %s", status, asked, payment, age)
						}
					}
				}
			}
		}
	}
}

// Proves SET-11.
func TestApply(t *testing.T) {
	won := Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2500, Received: 2500, Currency: "usd"}
	tests := []struct {
		name   string
		from   GroupStatus
		reason string
		fact   Result
		want   GroupStatus
		why    string
	}{
		{"success", Submitted, "", won, Succeeded, ""},
		{"success after all", NeedsAttention, NoAnswer, won, Succeeded, ""},
		{"success of a cent less", Submitted, "", Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2499, Received: 2499, Currency: "usd"}, NeedsAttention, AmountDiffers},
		{"success of a cent more", Submitted, "", Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2501, Received: 2501, Currency: "usd"}, NeedsAttention, AmountDiffers},
		{"cent more captured in part", Submitted, "", Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2501, Received: 2500, Currency: "usd"}, NeedsAttention, AmountDiffers},
		{"success of another currency", Submitted, "", Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2500, Received: 2500, Currency: "eur"}, NeedsAttention, AmountDiffers},
		{"success of a known failure", Failed, "", won, NeedsAttention, EarlierSucceeded},
		{"success beside a success", NeedsAttention, EarlierSucceeded, won, NeedsAttention, EarlierSucceeded},
		{"decline", Submitted, "", Result{Status: psp.Declined, PaymentID: "pi_1", Code: "card_declined", DeclineCode: "lost_card"}, Failed, ""},
		{"decline after all", NeedsAttention, NoAnswer, Result{Status: psp.Declined}, Failed, ""},
		{"decline after success", Succeeded, "", Result{Status: psp.Declined}, Succeeded, ""},
		{"decline beside a success", NeedsAttention, EarlierSucceeded, Result{Status: psp.Declined}, NeedsAttention, EarlierSucceeded},
		{"challenge", Submitted, "", Result{Status: psp.NeedsAction}, Failed, ""},
		{"pending", Submitted, "", Result{Status: psp.Pending, PaymentID: "pi_1"}, Submitted, ""},
		{"not started", Submitted, "", Result{Status: psp.NotStarted}, Submitted, ""},
		{"no answer", Submitted, "", Result{Status: psp.Unknown}, Submitted, ""},
		{"no answer after success", Succeeded, "", Result{Status: psp.Unknown}, Succeeded, ""},
		{"mismatch", Submitted, "", Result{Status: psp.Mismatch}, NeedsAttention, KeyMismatch},
		{"asked for nothing", Submitted, "", Result{FromLookup: true}, Submitted, ""},
		{"asked for nothing, late", NeedsAttention, NoAnswer, Result{FromLookup: true}, NeedsAttention, NoAnswer},
	}
	for _, tt := range tests {
		g := Group{Status: tt.from, Reason: tt.reason, Generation: 1, Amount: 2500, Currency: "usd", Attempts: 1, PaymentIntentID: "pi_0"}
		g.apply(tt.fact, noon)
		if g.Status != tt.want || g.Reason != tt.why {
			t.Errorf("%s: %s (%s), want %s (%s)", tt.name, g.Status, g.Reason, tt.want, tt.why)
		}
		if f := tt.fact; tt.from == Submitted && f.Status != "" && (g.ProcessorStatus != f.Status || g.Code != f.Code || g.DeclineCode != f.DeclineCode) {
			t.Errorf("%s: the processor's word on record is %s, %s, %s", tt.name, g.ProcessorStatus, g.Code, g.DeclineCode)
		}
		if tt.fact.FromLookup && (g.AskedAt == nil || g.AskedAfter != 1 || g.Asks != 1) {
			t.Errorf("%s: the question is not on record", tt.name)
		}
		if want := tt.fact.PaymentID; want != "" && tt.from != Succeeded && g.PaymentIntentID != want {
			t.Errorf("%s: payment %q is on record, want %q", tt.name, g.PaymentIntentID, want)
		}
	}
}

// A success of an attempt that was recorded as failed stops everything and is never dropped. A
// known success changes nothing, another one does.
//
// Proves SET-14.
func TestApplyEarlier(t *testing.T) {
	failed := Attempt{Generation: 1, Status: Failed, PaymentIntentID: "pi_1"}
	paid := Attempt{Generation: 1, Status: Succeeded, PaymentIntentID: "pi_1"}
	success := func(id string) Result { return Result{Status: psp.Succeeded, PaymentID: id} }
	for name, tt := range map[string]struct {
		was  Attempt
		fact Result
		want GroupStatus
		then Attempt
	}{
		"a decline of the past":              {failed, Result{Status: psp.Declined, PaymentID: "pi_1"}, Submitted, failed},
		"a success of what had failed":       {failed, success("pi_1"), NeedsAttention, paid},
		"one by another payment":             {failed, success("pi_2"), NeedsAttention, Attempt{Generation: 1, Status: Succeeded, PaymentIntentID: "pi_2"}},
		"one of which no payment was known":  {Attempt{Generation: 1, Status: Failed}, success("pi_1"), NeedsAttention, paid},
		"a success that is known":            {paid, success("pi_1"), Submitted, paid},
		"another one beside it":              {paid, success("pi_2"), NeedsAttention, Attempt{Generation: 1, Status: Succeeded, PaymentIntentID: "pi_2"}},
		"a success of what is not on record": {Attempt{Generation: 0}, success("pi_1"), NeedsAttention, Attempt{Generation: 0}},
	} {
		g := Group{Status: Submitted, Generation: 2, History: []Attempt{tt.was}}
		g.applyEarlier(1, tt.fact, noon)
		if g.Status != tt.want || (g.Reason == EarlierSucceeded) != (tt.want == NeedsAttention) || g.History[0] != tt.then {
			t.Errorf("%s: %s (%s), the history says %+v", name, g.Status, g.Reason, g.History[0])
		}
	}
}

// A payment in the processor's list is imported unless the group records what matters of it: a
// success of an attempt that is recorded as failed, and any attempt without a record except a
// past decline. After a success, no other payment matters.
func TestHasRecorded(t *testing.T) {
	first := func(status GroupStatus) Group { return Group{Generation: 1, Status: status, PaymentIntentID: "pi_1"} }
	third := Group{Generation: 3, Status: Submitted, PaymentIntentID: "pi_3", History: []Attempt{
		{Generation: 1, Status: Succeeded, PaymentIntentID: "pi_1"}, {Generation: 2, Status: Failed, PaymentIntentID: "pi_2"}}}
	of := func(generation int, id string, status psp.Status) ListedPayment {
		return ListedPayment{Generation: generation, PaymentID: id, Status: status}
	}
	for name, tt := range map[string]struct {
		group Group
		paid  ListedPayment
		has   bool
	}{
		"the one that charged":                   {first(Succeeded), of(1, "pi_1", psp.Succeeded), true},
		"another beside it":                      {first(Succeeded), of(2, "pi_2", psp.Succeeded), true},
		"one that is under way":                  {first(Submitted), of(1, "pi_1", psp.Pending), true},
		"one under way that has succeeded":       {first(Submitted), of(1, "pi_1", psp.Succeeded), true},
		"one under way that was not known":       {Group{Generation: 1, Status: Submitted}, of(1, "pi_1", psp.Pending), false},
		"another payment of the same attempt":    {first(Submitted), of(1, "pi_x", psp.Declined), false},
		"one that an operator looks at":          {first(NeedsAttention), of(1, "pi_1", psp.Succeeded), true},
		"one that failed":                        {first(Failed), of(1, "pi_1", psp.Declined), true},
		"one that failed and has succeeded":      {first(Failed), of(1, "pi_1", psp.Succeeded), false},
		"a later attempt that was refused":       {first(Failed), of(2, "pi_2", psp.Declined), false},
		"a later attempt that has succeeded":     {first(Failed), of(2, "pi_2", psp.Succeeded), false},
		"an earlier one that is known to":        {third, of(1, "pi_1", psp.Succeeded), true},
		"an earlier one that was refused":        {third, of(2, "pi_2", psp.Declined), true},
		"an earlier refused one that has":        {third, of(2, "pi_2", psp.Succeeded), false},
		"an earlier one that may still":          {third, of(2, "pi_2", psp.Pending), true},
		"an earlier one that is not on record":   {Group{Generation: 2, Status: Failed}, of(1, "pi_1", psp.Succeeded), false},
		"a refusal before what is not on record": {Group{Generation: 2, Status: Failed}, of(1, "pi_1", psp.Declined), true},
	} {
		if got := tt.group.hasRecorded(tt.paid); got != tt.has {
			t.Errorf("%s: it is known: %t", name, got)
		}
	}
}

// Of several payments with the same group, a success counts, otherwise the newest, which comes
// first.
func TestLookupResult(t *testing.T) {
	g := Group{CampaignSlug: "film", Hash: HashOf("film", "ana"), Generation: 1}
	payment := func(id string, status psp.Status) psp.Payment {
		return psp.Payment{ID: id, Status: status, Mode: psp.Test, Campaign: "film", Group: AttemptKey("film", g.Hash, 1)}
	}
	for _, tt := range []struct {
		found []psp.Payment
		want  Result
	}{
		{nil, Result{}},
		{[]psp.Payment{payment("new", psp.Declined), payment("old", psp.Pending)}, Result{Status: psp.Declined, PaymentID: "new"}},
		{[]psp.Payment{payment("new", psp.Declined), payment("old", psp.Succeeded)}, Result{Status: psp.Succeeded, PaymentID: "old"}},
		{[]psp.Payment{payment("new", psp.Succeeded), payment("old", psp.Pending)}, Result{Status: psp.Succeeded, PaymentID: "new"}},
		{[]psp.Payment{payment("a", psp.Declined), payment("b", psp.Succeeded), payment("c", psp.Succeeded)}, Result{Status: psp.Succeeded, PaymentID: "b"}},
	} {
		tt.want.FromLookup = true
		if got := LookupResult(g, psp.Test, tt.found...); got != tt.want {
			t.Errorf("%+v comes to %+v", tt.found, got)
		}
	}
}

// Late fees are copied once, and only from the group's own payment.
func TestApplyFees(t *testing.T) {
	settled := Group{Status: Succeeded, Booked: true, PaymentIntentID: "pi_1", Amount: 2500}
	told := Result{Status: psp.Succeeded, FromLookup: true, FeesApplied: true, PaymentID: "pi_1", Amount: 2500, ChargeID: "ch_1", BalanceTransactionID: "txn_1", Fee: 100, Net: 2400}
	of := func(change func(*Result)) Result { f := told; change(&f); return f }
	for _, tt := range []struct {
		name string
		g    Group
		fact Result
		want bool
	}{
		{"late figures", settled, told, true},
		{"that nobody was told", settled, of(func(f *Result) { f.FeesApplied = false }), false},
		{"of another payment", settled, of(func(f *Result) { f.PaymentID = "pi_2" }), false},
		{"that are not there yet", settled, of(func(f *Result) { f.BalanceTransactionID = "" }), false},
		{"for the second time", settled.with(func(g *Group) { g.BalanceTransactionID, g.Fee = "txn_0", 90 }), told, false},
		{"before all is booked", settled.with(func(g *Group) { g.Booked = false }), told, false},
	} {
		g := tt.g
		g.apply(tt.fact, noon)
		if took := g.BalanceTransactionID == "txn_1" && g.Fee == 100 && g.Net == 2400 && g.ChargeID == "ch_1"; took != tt.want {
			t.Errorf("%s: %+v", tt.name, g)
		}
	}
}

// The processor's fields are never overwritten with empty ones.
func TestCopyDetails(t *testing.T) {
	first := Result{Status: psp.Pending, PaymentID: "pi_1", ChargeID: "ch_1", RequestID: "req_1", BalanceTransactionID: "txn_1", Fee: 100, Net: 2400}
	g := Group{Status: Submitted, Generation: 1, Amount: 2500, Currency: "usd", Attempts: 1}
	g.apply(first, noon)
	g.apply(Result{Status: psp.Unknown}, noon)
	if g.PaymentIntentID != "pi_1" || g.ChargeID != "ch_1" || g.RequestID != "req_1" || g.BalanceTransactionID != "txn_1" || g.Fee != 100 || g.Net != 2400 {
		t.Errorf("after no answer the group has %+v", g)
	}
	g.apply(Result{Status: psp.Declined, RequestID: "req_2"}, noon)
	if g.RequestID != "req_2" || g.PaymentIntentID != "pi_1" {
		t.Errorf("after a refusal the group has %+v", g)
	}
}

// The reason of a failure is kept while its payment continues or is canceled, because its
// supporter reads it. A charge that has not failed keeps the latest code.
func TestCopyDetails_KeepsFailureReason(t *testing.T) {
	for name, tt := range map[string]struct {
		from GroupStatus
		fact Result
		want string
	}{
		"a failure whose payment is under way":    {Failed, Result{Status: psp.Pending}, "pending, first"},
		"a failure whose payment is cancelled":    {Failed, Result{Status: psp.Canceled, Code: "canceled"}, "canceled, first"},
		"a failure that is refused in the end":    {Failed, Result{Status: psp.Declined, Code: "last"}, "declined, last"},
		"a charge that was put off, and begins":   {Submitted, Result{Status: psp.Pending}, "pending, "},
		"a charge whose payment is cancelled":     {Submitted, Result{Status: psp.Canceled, Code: "canceled"}, "canceled, first"},
		"a charge that was put off, and declined": {Submitted, Result{Status: psp.Declined, Code: "last"}, "declined, last"},
	} {
		g := Group{Status: tt.from, Generation: 1, Amount: 2500, Currency: "usd", Attempts: 1, PaymentIntentID: "pi_1", Code: "first", Confirmable: true}
		g.apply(tt.fact, noon)
		if got := fmt.Sprintf("%s, %s", g.ProcessorStatus, g.Code); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A busy processor is not asked again before the time that it names, at least five minutes.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct{ says, want time.Duration }{
		{0, 5 * time.Minute}, {time.Second, 5 * time.Minute}, {5*time.Minute + time.Millisecond, 5*time.Minute + time.Second},
		{20 * time.Minute, 20 * time.Minute},
	} {
		g := Group{Status: Submitted, Attempts: 1}
		g.apply(ChargeResult(g, psp.Outcome{Status: psp.NotStarted, RetryAfter: tt.says}, psp.Test), noon)
		if got := g.NextAttemptAt.Sub(noon); got != tt.want {
			t.Errorf("told %s, it waits for %s", tt.says, got)
		}
	}
}
