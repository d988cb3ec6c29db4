package settlement

import (
	"context"
	"errors"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func (r *run) visit(ctx context.Context, supporter string) error {
	sup, err := r.Inventory.Supporter(ctx, r.campaign.Slug, supporter)
	if err != nil {
		return err
	}
	return r.settleSupporter(ctx, sup)
}

// settleSupporter carries out every due step for the pledges of one address.
func (r *run) settleSupporter(ctx context.Context, sup inventory.Supporter) error {
	if err := errors.Join(ctx.Err(), r.ensureLease(ctx)); err != nil {
		return err
	}
	r.addPledges(len(sup.Pledges))
	groups, nonce, err := r.chargeGroups(ctx, r.campaign.Slug, sup)
	if fault.Is(err, fault.NotFound) {
		err = errors.Join(r.lookUpLost(ctx, sup), err)
	}
	if err != nil {
		return r.skipGroup(ctx, sup.Hash, sup.Pledges, err)
	}
	r.markVisited(nonce)
	all := true
	for _, p := range groups {
		err := errors.Join(ctx.Err(), r.ensureLease(ctx))
		if err == nil {
			err = r.advance(ctx, p)
		}
		all = all && err == nil
		if err := r.skipGroup(ctx, p.hash, p.ids(), err); err != nil {
			return err
		}
	}
	if nonce == "" || !all {
		return nil
	}
	return r.skipGroup(ctx, sup.Hash, sup.Pledges,
		r.object.ClearVisit(ctx, r.currentLease(), state.HashOf(r.campaign.Slug, sup.Hash), nonce))
}

func (r *run) markVisited(nonce string) {
	r.visitedMu.Lock()
	defer r.visitedMu.Unlock()
	r.visited[nonce] = true
}

// skipGroup records an error that concerns one charge group, so that the run continues with the
// others. It returns errors that end the run.
func (r *run) skipGroup(ctx context.Context, hash string, orderIDs []string, err error) error {
	if err == nil || ctx.Err() != nil || fault.Is(err, fault.Busy) || errors.Is(err, state.ErrHeld) {
		return err
	}
	r.Log.Error("settlement: skipped a charge group after an error", "campaign",
		r.campaign.Slug, "group", hash, "error", err)
	r.add(Detail{OrderIDs: orderIDs, Status: DetailError, Reason: messageOf(err)})
	r.addSkipped(err)
	return nil
}

// advance finishes the open attempt before it starts a new one.
func (r *run) advance(ctx context.Context, cg chargeGroup) error {
	if g := cg.group; g != nil && (!g.Done() || g.Confirmable) {
		driven, err := r.resume(ctx, cg)
		if err != nil || !driven.Done() {
			return err
		}
		cg.group = &driven
		if cg.pledges, err = r.readPledges(ctx, cg.ids()); err != nil {
			return err
		}
	}
	if err := r.restoreFailure(ctx, &cg); err != nil {
		return err
	}
	p := r.planCharge(r.campaign, cg)
	if p.verdict == toDrop {
		if had, err := r.isGraceOver(ctx, r.campaign, cg); err != nil || !had {
			return err
		}
	}
	if g := cg.group; g != nil && g.Confirmable && (p.verdict == toCharge || p.verdict == toDrop) {
		retired, err := r.cancelLast(ctx, *g)
		if err != nil || retired.Status != state.Failed || retired.Confirmable {
			return err
		}
		cg.group = &retired
	}
	switch p.verdict {
	case toDrop:
		return r.dropPledges(ctx, *cg.group)
	case toCharge:
		return r.submit(ctx, cg)
	default:
		r.addUncharged(p)
		return nil
	}
}

// restoreFailure records the group's failure in pledges whose orders were restored to before
// it. A pledge that is still claimed for an ended attempt could not be claimed for the next
// one.
func (r *run) restoreFailure(ctx context.Context, cg *chargeGroup) error {
	if cg.group == nil || !cg.group.Recovering() {
		return nil
	}
	marked, err := r.markMissingFailures(ctx, *cg.group, cg.pledges)
	if err != nil || !marked {
		return err
	}
	cg.pledges, err = r.readPledges(ctx, cg.ids())
	return err
}

// submit starts the next attempt if it is still due.
func (r *run) submit(ctx context.Context, cg chargeGroup) error {
	if cg.held.ForbidsAt(r.Now()) {
		return cg.held.Err()
	}
	p, err := r.prepare(ctx, cg)
	if err != nil {
		return err
	}
	if p.verdict != toCharge {
		r.addUncharged(p)
		return nil
	}
	next := p.newGroup(r.campaign.Slug, cg.supporter, cg.hash)
	next.Description = description(r.campaign)
	frozen, err := r.object.Submit(ctx, r.currentLease(), next)
	if err != nil {
		return err
	}
	_, err = r.runSteps(ctx, frozen)
	return err
}

// prepare plans the next step of a charge group and claims its pledges, so that they cannot
// change or move to another group before the charge. Pledges that cannot be claimed have changed
// and are left out.
func (r *run) prepare(ctx context.Context, cg chargeGroup) (plan, error) {
	var err error
	if cg.pledges, err = r.readPledges(ctx, cg.ids()); err != nil {
		return plan{}, err
	}
	p := r.planCharge(r.campaign, cg)
	if p.verdict != toCharge {
		return p, nil
	}
	claim := r.Orders.Claim
	if g := cg.group; g != nil && g.Void || p.generation > g.NextGeneration() {
		claim = r.Orders.ClaimFound // a void attempt is not emailed, so the pledges may still be claimed for it
	}
	cg.pledges = nil
	for _, id := range p.ids() {
		pl, err := claim(ctx, id, cg.hash, p.generation)
		switch {
		case err == nil:
			cg.pledges = append(cg.pledges, pl)
		case !fault.Is(err, fault.Conflict):
			return plan{}, err
		}
	}
	return r.planCharge(r.campaign, cg), nil
}
