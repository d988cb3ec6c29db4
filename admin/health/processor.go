package health

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// drift is the accepted difference between the clocks. The payment processor's time has a
// resolution of one second, and its response takes a moment.
const drift = 10 * time.Second

// checkProcessor compares the account of the key with the account that the database is bound to,
// and this machine's clock with the payment processor's.
func (m Means) checkProcessor(ctx context.Context) []Finding {
	bound, err := m.boundAccount(ctx)
	var all []Finding
	if err != nil {
		all = m.checkFailed("account", err)
	}
	if bound != nil && bound.Mode != m.Mode {
		all = append(all, processorMode.finding("The database is for %s mode, but the service runs in %s mode", bound.Mode, m.Mode))
	}
	its, accountErr := m.Account(ctx)
	if accountErr != nil {
		if m.Log != nil {
			m.Log.Warn("payment processor check failed", "error", accountErr.Error())
		}
		all = append(all, processorUnavailable.finding("The payment processor does not respond, or rejects the key for %s mode", m.Mode))
		if m.Clock != nil && m.Clock(ctx) != nil {
			all = append(all, clockUnknown.finding("This machine's clock differs from the last hourly run, and the payment processor's time is not available"))
		}
		return all
	}
	switch {
	case bound == nil && err == nil && m.Bound != nil:
		all = append(all, processorUnbound.finding("The database is not bound to an account yet; the key belongs to account %s", its.ID))
	case bound != nil && bound.Mode == m.Mode && bound.ID != its.ID:
		all = append(all, processorAccount.finding("The database belongs to account %s, but the key belongs to account %s", bound.ID, its.ID))
	}
	return append(orPassed(all, "processor", "Connected to account %s in %s mode", its.ID, m.Mode), m.checkClock(its.At)...)
}

func (m Means) boundAccount(ctx context.Context) (*state.Account, error) {
	if m.Bound == nil {
		return nil, nil //nolint:nilnil // there is no database to ask
	}
	return m.Bound(ctx)
}

func (m Means) checkClock(its time.Time) []Finding {
	off := m.Now().Sub(its).Round(time.Second)
	switch {
	case off.Abs() > psp.Tolerance:
		return []Finding{clockWrong.finding("This machine's clock is %s off the payment processor's clock", off)}
	case off.Abs() > drift:
		return []Finding{clockDrift.finding("This machine's clock is %s off the payment processor's clock", off)}
	}
	return passed("clock", "The clock is within %s of the payment processor's clock", drift)
}

func (m Means) checkWebhooks(ctx context.Context) []Finding {
	w, err := m.Webhooks(ctx)
	if err != nil {
		return m.checkFailed("webhooks", err)
	}
	var all []Finding
	switch {
	case w.Last == nil && w.Signatures > 0:
		all = append(all, webhookRefused.finding("None of %d webhooks in %d days had a valid signature", w.Signatures, w.Days))
	case w.Last == nil:
		all = append(all, webhookNone.finding("No webhook was received in the last %d days", w.Days))
	case w.Signatures > 0:
		all = append(all, webhookForged.finding("%d webhooks in %d days had an invalid signature", w.Signatures, w.Days))
	}
	if w.Mode > 0 {
		all = append(all, webhookMode.finding("%d webhooks in %d days were for the other mode", w.Mode, w.Days))
	}
	if w.Postponed {
		all = append(all, webhookPostponed.finding("The last webhook, received %s, could not be processed", ago(m.Now().Sub(*w.Last))))
	}
	if w.Last == nil || w.Postponed {
		return all
	}
	return append(passed("webhooks", "The last webhook was received %s", ago(m.Now().Sub(*w.Last))), all...)
}

func (m Means) checkCharging(ctx context.Context) []Finding {
	if m.Disabled {
		return []Finding{chargingOff.finding("SETTLEMENT_ENABLED is false, so this service makes no charges")}
	}
	why, err := m.Charging(ctx)
	switch {
	case err != nil:
		return m.checkFailed("charging", err)
	case why != nil && why.Restored:
		return []Finding{chargingStopped.finding("Charging has been stopped since a backup was restored, %s", ago(m.Now().Sub(why.Since)))}
	case why != nil:
		return []Finding{chargingStopped.finding("Charging has been stopped since %s", why.Since.UTC().Format(time.RFC3339))}
	}
	return passed("charging", "Charging is enabled")
}
