package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// sentAgo returns a group with a number of attempts, the first of which was sent some time before
// noon.
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

// rejected returns a group whose request the processor rejected some time before noon.
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
		{"sent, not looked up", sentAgo(time.Second, 1), FindCharge},
		{"sent again, not looked up since",
			sentAgo(time.Hour, 1).asked(time.Minute).with(func(g *Group) { g.Attempts = 2 }), FindCharge},
		{"just looked up, too early to send again", sentAgo(time.Minute, 1).asked(time.Second), Wait},
		{"looked up long ago", sentAgo(2*time.Hour, 1).asked(time.Hour), FindCharge},
		{"just looked up", sentAgo(2*time.Hour, 1).asked(time.Minute), SendCharge},
		{"looked up just under 15 minutes ago", sentAgo(2*time.Hour, 1).asked(15*time.Minute - 1), SendCharge},
		{"looked up 15 minutes ago", sentAgo(2*time.Hour, 1).asked(15 * time.Minute), FindCharge},
		{"just looked up, by a clock ahead", sentAgo(2*time.Hour, 1).asked(-10 * time.Minute), SendCharge},
		{"known payment, not looked up", sentAgo(time.Second, 1).with(known), ReadPayment},
		{"known payment, just looked up", sentAgo(time.Second, 1).asked(0).with(known), Wait},
		{"known payment, looked up long ago", sentAgo(2*time.Hour, 1).asked(time.Hour).with(known), ReadPayment},
		{"known payment, never sent again", sentAgo(2*time.Hour, 1).asked(time.Minute).with(known), Wait},

		{"22:59", sentAgo(22*time.Hour+59*time.Minute, 3).asked(0), SendCharge},
		{"23:00", sentAgo(23*time.Hour, 3).asked(0), SendCharge},
		{"a moment later", sentAgo(23*time.Hour+1, 3).asked(0), StopRetries},
		{"23:01", sentAgo(23*time.Hour+time.Minute, 3).asked(0), StopRetries},
		{"23:01, never looked up", sentAgo(23*time.Hour+time.Minute, 1), StopRetries},
		{"24:01", sentAgo(24*time.Hour+time.Minute, 1).asked(0), StopRetries},
		{"24:01, known payment", sentAgo(24*time.Hour+time.Minute, 1).with(known), StopRetries},

		{"attention, not looked up", sentAgo(24*time.Hour, 1).with(attention), FindCharge},
		{"attention, looked up", sentAgo(24*time.Hour, 1).asked(time.Minute).with(attention), Wait},
		{"attention, looked up long ago", sentAgo(24*time.Hour, 1).asked(time.Hour).with(attention), FindCharge},
		{"attention, known payment", sentAgo(24*time.Hour, 1).with(attention).with(known), ReadPayment},
		{"attention, recent key", sentAgo(time.Hour, 1).asked(time.Minute).with(attention), Wait},

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
		{"status of a later release", Group{Status: "odd"}, Wait},
	}
	for _, tt := range tests {
		if got := NextStep(tt.g, noon); got != tt.want {
			t.Errorf("%s: next is %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A request is sent only with a recent key and without a known payment, regardless of the rest
// of the record.
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
		{"success, a cent less", Submitted, "", Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2499,
			Received: 2499, Currency: "usd"}, NeedsAttention, AmountDiffers},
		{"success, a cent more", Submitted, "", Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2501,
			Received: 2501, Currency: "usd"}, NeedsAttention, AmountDiffers},
		{"success, a cent more, partly captured", Submitted, "", Result{Status: psp.Succeeded, PaymentID: "pi_1",
			Amount: 2501, Received: 2500, Currency: "usd"}, NeedsAttention, AmountDiffers},
		{"success, other currency", Submitted, "", Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2500,
			Received: 2500, Currency: "eur"}, NeedsAttention, AmountDiffers},
		{"success after a known failure", Failed, "", won, NeedsAttention, EarlierSucceeded},
		{"second success", NeedsAttention, EarlierSucceeded, won, NeedsAttention, EarlierSucceeded},
		{"decline", Submitted, "",
			Result{Status: psp.Declined, PaymentID: "pi_1", Code: "card_declined", DeclineCode: "lost_card"}, Failed, ""},
		{"decline after all", NeedsAttention, NoAnswer, Result{Status: psp.Declined}, Failed, ""},
		{"decline after success", Succeeded, "", Result{Status: psp.Declined}, Succeeded, ""},
		{"decline after an earlier success", NeedsAttention, EarlierSucceeded, Result{Status: psp.Declined},
			NeedsAttention, EarlierSucceeded},
		{"challenge", Submitted, "", Result{Status: psp.NeedsAction}, Failed, ""},
		{"pending", Submitted, "", Result{Status: psp.Pending, PaymentID: "pi_1"}, Submitted, ""},
		{"not started", Submitted, "", Result{Status: psp.NotStarted}, Submitted, ""},
		{"no answer", Submitted, "", Result{Status: psp.Unknown}, Submitted, ""},
		{"no answer after success", Succeeded, "", Result{Status: psp.Unknown}, Succeeded, ""},
		{"mismatch", Submitted, "", Result{Status: psp.Mismatch}, NeedsAttention, KeyMismatch},
		{"lookup without a payment", Submitted, "", Result{FromLookup: true}, Submitted, ""},
		{"late lookup without a payment", NeedsAttention, NoAnswer, Result{FromLookup: true}, NeedsAttention, NoAnswer},
	}
	for _, tt := range tests {
		g := Group{Status: tt.from, Reason: tt.reason, Generation: 1, Amount: 2500, Currency: "usd",
			Attempts: 1, PaymentIntentID: "pi_0"}
		g.apply(tt.fact, noon)
		if g.Status != tt.want || g.Reason != tt.why {
			t.Errorf("%s: %s (%s), want %s (%s)", tt.name, g.Status, g.Reason, tt.want, tt.why)
		}
		if f := tt.fact; tt.from == Submitted && f.Status != "" &&
			(g.ProcessorStatus != f.Status || g.Code != f.Code || g.DeclineCode != f.DeclineCode) {
			t.Errorf("%s: the recorded status and codes are %s, %s, %s", tt.name, g.ProcessorStatus, g.Code, g.DeclineCode)
		}
		if tt.fact.FromLookup && (g.AskedAt == nil || g.AskedAfter != 1 || g.Asks != 1) {
			t.Errorf("%s: the lookup is not recorded", tt.name)
		}
		if want := tt.fact.PaymentID; want != "" && tt.from != Succeeded && g.PaymentIntentID != want {
			t.Errorf("%s: recorded payment %q, want %q", tt.name, g.PaymentIntentID, want)
		}
	}
}

// A success of an attempt that was recorded as failed prevents further charges and is never
// dropped. A known success changes nothing; a second one does.
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
		"decline of an earlier attempt": {failed, Result{Status: psp.Declined, PaymentID: "pi_1"}, Submitted, failed},
		"success after a failure":       {failed, success("pi_1"), NeedsAttention, paid},
		"success of another payment": {failed, success("pi_2"), NeedsAttention,
			Attempt{Generation: 1, Status: Succeeded, PaymentIntentID: "pi_2"}},
		"success of an unknown payment": {Attempt{Generation: 1, Status: Failed}, success("pi_1"), NeedsAttention, paid},
		"known success":                 {paid, success("pi_1"), Submitted, paid},
		"second success": {paid, success("pi_2"), NeedsAttention,
			Attempt{Generation: 1, Status: Succeeded, PaymentIntentID: "pi_2"}},
		"success of an unrecorded attempt": {Attempt{Generation: 0}, success("pi_1"), NeedsAttention, Attempt{Generation: 0}},
	} {
		g := Group{Status: Submitted, Generation: 2, History: []Attempt{tt.was}}
		g.applyEarlier(1, tt.fact, noon)
		if g.Status != tt.want || (g.Reason == EarlierSucceeded) != (tt.want == NeedsAttention) || g.History[0] != tt.then {
			t.Errorf("%s: %s (%s), the history has %+v", name, g.Status, g.Reason, g.History[0])
		}
	}
}

// A payment in the processor's list is imported unless the group already records everything
// relevant about it. A success is imported for an attempt that is recorded as failed, and any
// payment for an attempt without a record, except an earlier decline. After a success, no
// other payment is relevant.
func TestHasRecorded(t *testing.T) {
	first := func(status GroupStatus) Group { return Group{Generation: 1, Status: status, PaymentIntentID: "pi_1"} }
	third := Group{Generation: 3, Status: Submitted, PaymentIntentID: "pi_3", History: []Attempt{
		{Generation: 1, Status: Succeeded, PaymentIntentID: "pi_1"}, {Generation: 2,
			Status: Failed, PaymentIntentID: "pi_2"}}}
	of := func(generation int, id string, status psp.Status) ListedPayment {
		return ListedPayment{Generation: generation, PaymentID: id, Status: status}
	}
	for name, tt := range map[string]struct {
		group Group
		paid  ListedPayment
		has   bool
	}{
		"the charged payment":            {first(Succeeded), of(1, "pi_1", psp.Succeeded), true},
		"second payment after a success": {first(Succeeded), of(2, "pi_2", psp.Succeeded), true},
		"pending payment":                {first(Submitted), of(1, "pi_1", psp.Pending), true},
		"pending payment that succeeded": {first(Submitted), of(1, "pi_1", psp.Succeeded), true},
		"unknown pending payment": {Group{Generation: 1, Status: Submitted},
			of(1, "pi_1", psp.Pending), false},
		"another payment of the same attempt":     {first(Submitted), of(1, "pi_x", psp.Declined), false},
		"payment that needs attention":            {first(NeedsAttention), of(1, "pi_1", psp.Succeeded), true},
		"failed payment":                          {first(Failed), of(1, "pi_1", psp.Declined), true},
		"failed payment that succeeded":           {first(Failed), of(1, "pi_1", psp.Succeeded), false},
		"later declined attempt":                  {first(Failed), of(2, "pi_2", psp.Declined), false},
		"later successful attempt":                {first(Failed), of(2, "pi_2", psp.Succeeded), false},
		"earlier successful attempt":              {third, of(1, "pi_1", psp.Succeeded), true},
		"earlier declined attempt":                {third, of(2, "pi_2", psp.Declined), true},
		"earlier declined attempt that succeeded": {third, of(2, "pi_2", psp.Succeeded), false},
		"earlier declined attempt, pending again": {third, of(2, "pi_2", psp.Pending), true},
		"earlier success without a record": {Group{Generation: 2, Status: Failed},
			of(1, "pi_1", psp.Succeeded), false},
		"earlier decline without a record": {Group{Generation: 2, Status: Failed}, of(1, "pi_1", psp.Declined), true},
	} {
		if got := tt.group.hasRecorded(tt.paid); got != tt.has {
			t.Errorf("%s: recorded: %t", name, got)
		}
	}
}

// If several payments have the same group, a success counts; otherwise the newest counts,
// which comes first.
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
		{[]psp.Payment{payment("new", psp.Declined), payment("old", psp.Pending)},
			Result{Status: psp.Declined, PaymentID: "new"}},
		{[]psp.Payment{payment("new", psp.Declined), payment("old", psp.Succeeded)},
			Result{Status: psp.Succeeded, PaymentID: "old"}},
		{[]psp.Payment{payment("new", psp.Succeeded), payment("old", psp.Pending)},
			Result{Status: psp.Succeeded, PaymentID: "new"}},
		{[]psp.Payment{payment("a", psp.Declined), payment("b", psp.Succeeded), payment("c", psp.Succeeded)},
			Result{Status: psp.Succeeded, PaymentID: "b"}},
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
	applied := Result{Status: psp.Succeeded, FromLookup: true, FeesApplied: true, PaymentID: "pi_1",
		Amount: 2500, ChargeID: "ch_1", BalanceTransactionID: "txn_1", Fee: 100, Net: 2400}
	of := func(change func(*Result)) Result { f := applied; change(&f); return f }
	for _, tt := range []struct {
		name string
		g    Group
		fact Result
		want bool
	}{
		{"late fees", settled, applied, true},
		{"not applied to the pledges", settled, of(func(f *Result) { f.FeesApplied = false }), false},
		{"of another payment", settled, of(func(f *Result) { f.PaymentID = "pi_2" }), false},
		{"not available yet", settled, of(func(f *Result) { f.BalanceTransactionID = "" }), false},
		{"already copied", settled.with(func(g *Group) { g.BalanceTransactionID, g.Fee = "txn_0", 90 }), applied, false},
		{"before the success is booked", settled.with(func(g *Group) { g.Booked = false }), applied, false},
	} {
		g := tt.g
		g.apply(tt.fact, noon)
		if took := g.BalanceTransactionID == "txn_1" && g.Fee == 100 && g.Net == 2400 &&
			g.ChargeID == "ch_1"; took != tt.want {
			t.Errorf("%s: %+v", tt.name, g)
		}
	}
}

// Known values from the processor are never overwritten with empty ones.
func TestCopyDetails(t *testing.T) {
	first := Result{Status: psp.Pending, PaymentID: "pi_1", ChargeID: "ch_1", RequestID: "req_1",
		BalanceTransactionID: "txn_1", Fee: 100, Net: 2400}
	g := Group{Status: Submitted, Generation: 1, Amount: 2500, Currency: "usd", Attempts: 1}
	g.apply(first, noon)
	g.apply(Result{Status: psp.Unknown}, noon)
	if g.PaymentIntentID != "pi_1" || g.ChargeID != "ch_1" || g.RequestID != "req_1" ||
		g.BalanceTransactionID != "txn_1" || g.Fee != 100 || g.Net != 2400 {
		t.Errorf("after no answer the group has %+v", g)
	}
	g.apply(Result{Status: psp.Declined, RequestID: "req_2"}, noon)
	if g.RequestID != "req_2" || g.PaymentIntentID != "pi_1" {
		t.Errorf("after a decline the group has %+v", g)
	}
}

// The code of a failure is kept while its payment continues or is canceled, because it is
// shown to the supporter. A charge that has not failed keeps the latest code.
func TestCopyDetails_KeepsFailureReason(t *testing.T) {
	for name, tt := range map[string]struct {
		from GroupStatus
		fact Result
		want string
	}{
		"failed, then pending":     {Failed, Result{Status: psp.Pending}, "pending, first"},
		"failed, then canceled":    {Failed, Result{Status: psp.Canceled, Code: "canceled"}, "canceled, first"},
		"failed, then declined":    {Failed, Result{Status: psp.Declined, Code: "last"}, "declined, last"},
		"submitted, then pending":  {Submitted, Result{Status: psp.Pending}, "pending, "},
		"submitted, then canceled": {Submitted, Result{Status: psp.Canceled, Code: "canceled"}, "canceled, first"},
		"submitted, then declined": {Submitted, Result{Status: psp.Declined, Code: "last"}, "declined, last"},
	} {
		g := Group{Status: tt.from, Generation: 1, Amount: 2500, Currency: "usd", Attempts: 1,
			PaymentIntentID: "pi_1", Code: "first", Confirmable: true}
		g.apply(tt.fact, noon)
		if got := fmt.Sprintf("%s, %s", g.ProcessorStatus, g.Code); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A busy processor is not called again before its Retry-After time, and for at least five
// minutes.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct{ retryAfter, want time.Duration }{
		{0, 5 * time.Minute}, {time.Second, 5 * time.Minute}, {5*time.Minute + time.Millisecond, 5*time.Minute + time.Second},
		{20 * time.Minute, 20 * time.Minute},
	} {
		g := Group{Status: Submitted, Attempts: 1}
		g.apply(ChargeResult(g, psp.Outcome{Status: psp.NotStarted, RetryAfter: tt.retryAfter}, psp.Test), noon)
		if got := g.NextAttemptAt.Sub(noon); got != tt.want {
			t.Errorf("Retry-After %s: waits for %s", tt.retryAfter, got)
		}
	}
}
