package health

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// drift is how far a clock may be off the processor's, which tells whole seconds and whose
// answer takes a moment.
const drift = 10 * time.Second

// processor holds the key against the account that the database belongs to, and this
// machine's clock against the processor's.
func (m Means) processor(ctx context.Context) []Finding {
	bound, err := m.bound(ctx)
	var all []Finding
	if err != nil {
		all = m.unseen("account", err)
	}
	if bound != nil && bound.Mode != m.Mode {
		all = append(all, processorMode.found("The database is of mode %s, and the service runs in mode %s", bound.Mode, m.Mode))
	}
	its, silent := m.Account(ctx)
	if silent != nil {
		if m.Log != nil {
			m.Log.Warn("the processor does not answer", "error", silent.Error())
		}
		all = append(all, processorSilent.found("The processor does not answer, or refuses the key of mode %s", m.Mode))
		if m.Clock != nil && m.Clock(ctx) != nil {
			all = append(all, clockUnknown.found("This machine's clock differs from the last hourly run, and the processor does not tell its time"))
		}
		return all
	}
	switch {
	case bound == nil && err == nil && m.Bound != nil:
		all = append(all, processorUnbound.found("The database belongs to no account yet; the key is of %s", its.ID))
	case bound != nil && bound.Mode == m.Mode && bound.ID != its.ID:
		all = append(all, processorAccount.found("The database belongs to the account %s, and the key to %s", bound.ID, its.ID))
	}
	return append(or(all, "processor", "The account %s answers, in mode %s", its.ID, m.Mode), m.clock(its.At)...)
}

func (m Means) bound(ctx context.Context) (*settlement.Account, error) {
	if m.Bound == nil {
		return nil, nil //nolint:nilnil // there is no database to ask
	}
	return m.Bound(ctx)
}

func (m Means) clock(its time.Time) []Finding {
	off := m.Now().Sub(its).Round(time.Second)
	switch {
	case off.Abs() > psp.Tolerance:
		return []Finding{clockWrong.found("This machine's clock is %s off the processor's", off)}
	case off.Abs() > drift:
		return []Finding{clockDrifts.found("This machine's clock is %s off the processor's", off)}
	}
	return fine("clock", "Within %s of the processor's", drift)
}

func (m Means) webhooks(ctx context.Context) []Finding {
	w, err := m.Webhooks(ctx)
	if err != nil {
		return m.unseen("webhooks", err)
	}
	var all []Finding
	switch {
	case w.Last == nil && w.Signatures > 0:
		all = append(all, webhookRefused.found("Of %d webhooks in %d days none had a signature that holds", w.Signatures, w.Days))
	case w.Last == nil:
		all = append(all, webhookNone.found("No webhook has come in %d days", w.Days))
	case w.Signatures > 0:
		all = append(all, webhookForged.found("%d webhooks in %d days had a signature that does not hold", w.Signatures, w.Days))
	}
	if w.Mode > 0 {
		all = append(all, webhookMode.found("%d webhooks in %d days were of the other mode", w.Mode, w.Days))
	}
	if w.Postponed {
		all = append(all, webhookPostponed.found("The last webhook, %s, could not be applied", past(m.Now().Sub(*w.Last))))
	}
	if w.Last == nil || w.Postponed {
		return all
	}
	return append(fine("webhooks", "The last came %s", past(m.Now().Sub(*w.Last))), all...)
}

func (m Means) charging(ctx context.Context) []Finding {
	if m.Disabled {
		return []Finding{chargingOff.found("SETTLEMENT_ENABLED is false: this service charges nobody")}
	}
	why, err := m.Charging(ctx)
	switch {
	case err != nil:
		return m.unseen("charging", err)
	case why != nil && why.Restored:
		return []Finding{chargingStopped.found("Charging is stopped since a backup was restored, %s", past(m.Now().Sub(why.Since)))}
	case why != nil:
		return []Finding{chargingStopped.found("Charging is stopped since %s", why.Since.UTC().Format(time.RFC3339))}
	}
	return fine("charging", "Charges may be made")
}
