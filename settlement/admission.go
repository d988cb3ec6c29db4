package settlement

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// An admission permits one run to perform irreversible actions: charge, close a campaign that
// missed its goal, delete cards, and send mails that state these outcomes. Each action is a
// method of admission (see acts.go), and only admit returns one, after all of these checks:
//
//  1. charging is not stopped by an operator, a restore or the configuration
//  2. the database belongs to the processor's account and mode
//  3. our clock agrees with the processor's
//  4. the deadline passed at least Margin ago (charges only), and no promise to a supporter would
//     be broken (see BrokenPromises)
//  5. this run holds the campaign's lease
//  6. the circuit breaker is closed, or open only because charges get no answer
//  7. the processor's payments since the first pledge were imported completely
//  8. the last terms each supporter accepted have been read from Stripe (charges only)
//
// An admission is valid only as long as its lease.
type admission struct {
	*Service
	campaign *campaign.Campaign
	object   state.Client
	purpose  purpose

	begun         bool                           // a charge was frozen or made before this admission
	closed        bool                           // the campaign was closed before this admission
	imported      time.Time                      // when the last complete import of payments began
	importedAfter *time.Time                     // the last restore (zero: none); nil if this server imported nothing
	agreed        time.Time                      // when the last complete import of agreed terms began
	effective     []psp.Payment                  // this import's payments that moved money or still may
	refused       []psp.Payment                  // this import's other payments, if there was no charge before
	supporters    map[string]inventory.Supporter // by group hash; filled when a lost payment is matched

	leaseMu  sync.Mutex
	lease    state.Lease
	renewals int
}

// purpose is the kind of action that an admission permits.
type purpose string

const (
	purposeCharge purpose = "charge" // also books and mails the outcome of charges
	purposeClose  purpose = "close"
	purposeDetach purpose = "detach" // delete cards of a campaign that is closed or settled
)

// check repeats the checks whose result may have changed since admit: the stop switch and the
// lease.
func (a *admission) check(ctx context.Context) error {
	if err := a.checkStop(ctx); err != nil {
		return err
	}
	return a.checkLease()
}

func (a *admission) checkLease() error {
	if !a.currentLease().HeldAt(a.Now()) {
		return fault.New(fault.Busy, "This run's lease of the campaign has ended")
	}
	return nil
}

// currentLease returns the lease as last renewed.
func (a *admission) currentLease() state.Lease {
	a.leaseMu.Lock()
	defer a.leaseMu.Unlock()
	return a.lease
}

func (a *admission) acquireLease(ctx context.Context) error {
	owner, err := a.nonce()
	if err != nil {
		return err
	}
	if a.purpose != purposeDetach {
		if err := a.Wake(ctx, a.campaign.Slug); err != nil {
			return err
		}
	}
	cmd := state.LeaseRequest{Owner: owner, Holder: a.holder(), Closed: a.purpose == purposeDetach}
	a.lease, err = a.object.Acquire(ctx, cmd)
	return err
}

func (a *admission) renewLease(ctx context.Context) error {
	a.leaseMu.Lock()
	defer a.leaseMu.Unlock()
	a.renewals++
	l, err := a.object.Renew(ctx, a.lease, a.renewals)
	if err == nil {
		a.lease = l
	}
	return err
}

// ensureLease renews a lease that ends soon.
func (a *admission) ensureLease(ctx context.Context) error {
	if a.Now().Before(a.currentLease().Until.Add(-leaseMargin)) {
		return nil
	}
	return a.renewLease(ctx)
}

// releaseLease releases the lease, even if the caller's context was canceled, and returns the
// pending visit requests.
func (a *admission) releaseLease(ctx context.Context) []state.VisitRequest {
	l := a.currentLease()
	visits, err := a.object.Release(context.WithoutCancel(ctx), l, a.importedAfter)
	if err != nil {
		a.Log.Warn("settlement: could not release a lease, it will expire", "campaign", a.campaign.Slug, "error", err)
		return nil
	}
	if a.Leases != nil {
		a.Leases.note(a.campaign.Slug, releasedLease{l.Owner, a.imported, a.agreed})
	}
	return visits
}

// leaseMargin is the remaining time below which a run renews its lease before the next step.
// Settling one supporter takes less.
const leaseMargin = 3 * time.Minute

// checkBreaker fails with code Conflict while the breaker is open because of results or an operator
// paused the campaign. It does not fail while charges get no answer: then lookups continue and
// known results are booked.
func (a *admission) checkBreaker(ctx context.Context) error {
	st, err := a.object.Overview(ctx)
	if err == nil && st.Held != nil && st.Held.Unanswered == 0 {
		err = st.Held.Err()
	}
	return err
}

// isRefusedAct reports whether an irreversible action was not admitted, or another run holds
// the lease. The action is retried later.
func isRefusedAct(err error) bool { return errors.Is(err, state.ErrHeld) || fault.Is(err, fault.Busy) }
