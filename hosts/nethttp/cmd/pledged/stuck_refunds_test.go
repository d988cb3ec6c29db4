package main

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// refunded settles a pledge to a tier and refunds it.
func (s *testInstall) refunded(tier string) refund.Refund {
	s.t.Helper()
	id := s.pledge("ana", tier, sim.CardOK)
	s.now = time.Date(2026, time.November, 21, 8, 0, 0, 0, time.UTC)
	s.ok(s.settle())
	r, err := s.open().Services.Settlement.GrantRefund(s.t.Context(), "song", "ada", settlement.RefundRequest{
		ID: "refund-1", PledgeID: id, Choice: refund.Choice{All: true}, Reason: refund.Requested})
	s.ok(err)
	return r
}

// refundState returns the state of a refund, which ends with a status.
func (s *testInstall) refundState(ends refund.Status, keys ...string) stuck {
	return stuck{words: map[string]string{"REFUND": "refund-1"}, keys: keys, left: func() bool {
		page, err := s.open().Services.Settlement.Refunds(s.t.Context(), "song", false, "", 10)
		s.ok(err)
		return page.Refunds[0].Status == ends
	}}
}

// unconfirmedRefund makes a refund above what one operator can decide.
func unconfirmedRefund(s *testInstall) stuck {
	s.refunded("patron")
	return s.refundState(refund.Succeeded, "ben's")
}

// returnedRefund makes a refund that comes back.
func returnedRefund(s *testInstall) stuck {
	r := s.refunded("download")
	s.ok(s.open().Sim.SettleRefund(r.RefundID, false))
	s.ok(s.open().Services.Settlement.UpdateRefunds(s.t.Context(), r.PaymentID))
	return s.refundState(refund.Repaid, both...)
}

// lostRefund makes a refund whose requests do not reach the processor for two days.
func lostRefund(s *testInstall) stuck {
	for range 2 {
		s.ok(s.open().Sim.InjectFaults(sim.Fault{Kind: sim.ServerError, Op: sim.CreateRefund}))
	}
	s.refunded("download")
	for range 3 {
		s.now = s.now.Add(24 * time.Hour)
		s.ok(s.open().Services.Settlement.RunRefunds(s.t.Context(), "song", 10))
	}
	return s.refundState(refund.Withdrawn, "ada's")
}

// pausedRefunds makes a run that refunds all payments and is paused.
func pausedRefunds(s *testInstall) stuck {
	s.pledge("ana", "download", sim.CardOK)
	s.now = time.Date(2026, time.November, 21, 8, 0, 0, 0, time.UTC)
	s.ok(s.settle())
	service := s.open().Services.Settlement
	run, err := service.StartRefundRun(s.t.Context(), "song", "ada", refund.Run{ID: "cannot-deliver", Reason: refund.Undelivered})
	s.ok(err)
	for _, change := range []refund.RunChange{refund.ConfirmRun, refund.PauseRun} {
		_, err = service.ChangeRefundRun(s.t.Context(), "song", "ben", run.ID, change)
		s.ok(err)
	}
	return stuck{keys: []string{"ada's"}, left: func() bool {
		service := s.open().Services.Settlement
		s.ok(service.ContinueRefundRun(s.t.Context(), "song", 10))
		run, err := service.RefundRun(s.t.Context(), "song")
		s.ok(err)
		return run.Status == refund.RunDone
	}}
}
