package health

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// drift is the accepted difference between the clocks. The payment processor's time has a
// resolution of one second, and its response takes time to arrive.
const drift = 10 * time.Second

// checkProcessor compares the account of the key with the account that the database is bound to,
// and this machine's clock with the payment processor's.
func (m Deps) checkProcessor(ctx context.Context) []Finding {
	bound, err := m.boundAccount(ctx)
	var all []Finding
	if err != nil {
		all = m.checkFailed("account", err)
	}
	if bound != nil && bound.Mode != m.Mode {
		all = append(all, processorMode.finding("database", bound.Mode, "service", m.Mode))
	}
	its, accountErr := m.Account(ctx)
	if accountErr != nil {
		if m.Log != nil {
			m.Log.Warn("payment processor check failed", "error", accountErr.Error())
		}
		all = append(all, processorUnavailable.finding("mode", m.Mode))
		if m.Clock != nil && m.Clock(ctx) != nil {
			all = append(all, clockUnknown.finding())
		}
		return all
	}
	switch {
	case bound == nil && err == nil && m.Bound != nil:
		all = append(all, processorUnbound.finding("key", its.ID))
	case bound != nil && bound.Mode == m.Mode && bound.ID != its.ID:
		all = append(all, processorAccount.finding("database", bound.ID, "key", its.ID))
	}
	all = append(all, m.checkRefundKey(ctx, its.ID)...)
	return append(orPassed(all, "processor", "account", its.ID, "mode", m.Mode), m.checkClock(its.At)...)
}

// checkRefundKey compares the account of the key for refunds with that of the other key.
func (m Deps) checkRefundKey(ctx context.Context, account string) []Finding {
	if m.RefundAccount == nil {
		return nil
	}
	its, err := m.RefundAccount(ctx)
	switch {
	case err != nil:
		if m.Log != nil {
			m.Log.Warn("check of the refund key failed", "error", err.Error())
		}
		return []Finding{refundKeyUnavailable.finding()}
	case its.ID != account:
		return []Finding{refundKeyAccount.finding("key", its.ID, "account", account)}
	}
	return nil
}

func (m Deps) boundAccount(ctx context.Context) (*state.Account, error) {
	if m.Bound == nil {
		return nil, nil //nolint:nilnil // there is no database yet
	}
	return m.Bound(ctx)
}

func (m Deps) checkClock(its time.Time) []Finding {
	off := m.Now().Sub(its).Round(time.Second)
	switch {
	case off.Abs() > psp.Tolerance:
		return []Finding{clockWrong.finding("difference", off)}
	case off.Abs() > drift:
		return []Finding{clockDrift.finding("difference", off)}
	}
	return passed("clock", "difference", drift)
}

func (m Deps) checkWebhooks(ctx context.Context) []Finding {
	w, err := m.Webhooks(ctx)
	if err != nil {
		return m.checkFailed("webhooks", err)
	}
	var all []Finding
	switch {
	case w.Last == nil && w.Signatures > 0:
		all = append(all, webhookRefused.finding("count", w.Signatures, "days", w.Days))
	case w.Last == nil:
		all = append(all, webhookNone.finding("count", w.Days))
	case w.Signatures > 0:
		all = append(all, webhookForged.finding("count", w.Signatures, "days", w.Days))
	}
	if w.Mode > 0 {
		all = append(all, webhookMode.finding("count", w.Mode, "days", w.Days))
	}
	if w.Postponed {
		all = append(all, webhookPostponed.finding("ago", ago(m.Now().Sub(*w.Last))))
	}
	if w.Last == nil || w.Postponed {
		return all
	}
	return append(passed("webhooks", "ago", ago(m.Now().Sub(*w.Last))), all...)
}

func (m Deps) checkCharging(ctx context.Context) []Finding {
	if m.Disabled {
		return []Finding{chargingOff.finding()}
	}
	why, err := m.Charging(ctx)
	switch {
	case err != nil:
		return m.checkFailed("charging", err)
	case why != nil && why.Restored:
		return []Finding{chargingStopped.findingAs("found.charging.stopped.restored", "ago", ago(m.Now().Sub(why.Since)))}
	case why != nil:
		return []Finding{chargingStopped.finding("time", why.Since.UTC().Format(time.RFC3339))}
	}
	return passed("charging")
}
