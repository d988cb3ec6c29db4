package psptest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func paymentsListed(t testing.TB, p psp.Processor, b Bench) {
	one, other := saveCard(t, p, b, "a", Good), saveCard(t, p, b, "b", Refused)
	first := b.Now()
	var made []string
	for i := range 7 {
		ses := one
		if i%2 == 1 {
			ses = other
		}
		n := newCharge(b, ses, fmt.Sprintf("k%d", i))
		n.Group = fmt.Sprintf("%s-%d", group, i)
		o := p.Charge(ctx, n)
		made = append(made, o.Payment.ID)
		b.Advance(time.Minute)
	}
	want := slices.Clone(made[1:6])
	slices.Reverse(want)
	q := psp.PaymentQuery{From: first.Add(time.Minute), To: first.Add(6 * time.Minute)}
	for _, q.Limit = range []int{100, 2, 5, 1} {
		var got []string
		for q.After = ""; ; {
			page, err := p.Payments(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, payment := range page.Payments {
				got = append(got, payment.ID)
				if payment.Group == "" || payment.CreatedAt.IsZero() || payment.Amount != 12345 {
					t.Errorf("listed: %+v", payment)
				}
			}
			if page.Next == "" {
				break
			}
			q.After = page.Next
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("page limit %d (-want +got):\n%s", q.Limit, diff)
		}
	}
}

func paymentsUnanswered(t testing.TB, p psp.Processor, b Bench) {
	breakFor(t, b, AnswerLost)
	page, err := p.Payments(ctx, psp.PaymentQuery{From: b.Now().Add(-time.Hour), To: b.Now(), Limit: 10})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("lost response: %+v, %v", page, err)
	}
}

func sessionsListed(t testing.TB, p psp.Processor, b Bench) {
	saveCard(t, p, b, "early", Good)
	b.Advance(time.Minute)
	first := b.Now()
	var want []string
	for i := range 3 {
		want = append(want, saveCard(t, p, b, fmt.Sprintf("s%d", i), Good).ID)
		start(t, p, custom(newCustomer(t, p, fmt.Sprintf("customer-open%d", i)), fmt.Sprintf("open%d", i)))
		b.Advance(time.Minute)
	}
	slices.Reverse(want)
	q := psp.SessionQuery{From: first, To: b.Now()}
	for _, q.Limit = range []int{100, 2, 1, 3} {
		var got []string
		for q.After = ""; ; {
			page, err := p.Sessions(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range page.Sessions {
				got = append(got, s.ID)
				if s.Status != psp.Complete || s.CustomerID == "" || s.PaymentMethodID == "" ||
					s.Email == "" || len(s.Metadata) == 0 {
					t.Errorf("listed: %+v", s)
				}
			}
			if page.Next == "" {
				break
			}
			q.After = page.Next
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("page limit %d (-want +got):\n%s", q.Limit, diff)
		}
	}
	breakFor(t, b, AnswerLost)
	if page, err := p.Sessions(ctx, q); !fault.Is(err, fault.Unavailable) {
		t.Errorf("lost response: %+v, %v", page, err)
	}
}
