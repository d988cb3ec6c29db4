package simulation

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// staff are the operators who can jointly state the result of a charge that needs
// attention.
var staff = []string{"ada", "ben"}

func operatorKeys() string {
	var list strings.Builder
	for _, name := range staff {
		list.WriteString(name + ":" + config.KeySum("key of "+name) + ",")
	}
	return list.String()
}

// operatorCutoff is how long before the end operators stop: a charge that they
// void is retried within an hour, its payment may be pending for hours, and it is
// booked an hour later.
const operatorCutoff = 8 * time.Hour

// resolveCharges simulates an operator who occasionally resolves charges that need attention, and
// sometimes has to guess.
func (w *history) resolveCharges(name string) {
	for {
		w.pause(w.slow(time.Duration(20+w.rng.IntN(300)) * time.Minute))
		if !w.now.Before(w.rest.Add(-operatorCutoff)) {
			return
		}
		slug := slugs[w.rng.IntN(len(slugs))]
		var listed httpapi.Attention
		if !w.asOperator(name, "GET", slug, nil, &listed) {
			continue
		}
		for _, c := range listed.Charges {
			if w.rng.IntN(3) > 0 {
				w.asOperator(name, "POST", slug, w.guessStatement(c.Group), nil)
			}
		}
	}
}

// guessStatement returns a statement about a charge: in two thirds of the cases its first payment
// in the books, otherwise or without a payment that nothing was charged.
func (w *history) guessStatement(group string) state.Statement {
	st := state.Statement{Group: group, NothingCharged: true}
	if w.rng.IntN(3) == 0 {
		return st
	}
	for _, e := range w.sim.Entries() {
		if _, hash, _ := splitKey(e.Group); hash == group {
			return state.Statement{Group: group, PaymentID: e.PaymentID}
		}
	}
	return st
}

func (w *history) asOperator(name, method, slug string, body, into any) bool {
	address := fmt.Sprintf("10.2.%d.%d", w.requests/250%250, w.requests%250)
	return w.call(address, method, "/admin/resolve/"+slug, body, into, 1, "Authorization", "Bearer key of "+name)
}

// rushSettlement simulates impatient operators who settle concurrently.
func (w *history) rushSettlement() {
	for range 40 {
		w.spawn("operators", nil, 0, w.settleOnce)
		w.pause(time.Duration(10+w.rng.IntN(240)) * time.Second)
	}
}

// settleOnce makes one settlement request for a random campaign, sometimes a dry run.
func (w *history) settleOnce() {
	slug := slugs[w.rng.IntN(len(slugs))]
	path, body := "/admin/settle-dispatch/"+slug, map[string]any{}
	if w.rng.IntN(3) == 0 {
		path = "/admin/settle/" + slug
		body["dryRun"] = w.rng.IntN(2) == 0
	}
	w.asSettler(path, body)
}

// checkResolvedByTwo checks S12: two operators state the result of a charge, and an attempt that
// they void is not continued.
func (a *checker) checkResolvedByTwo(op memkv.Op) {
	var cmd struct {
		Hash       string
		Generation int
	}
	if op.Command.Kind != "resolve" || op.Reply.Refused != nil || json.Unmarshal(op.Command.Body, &cmd) != nil {
		return
	}
	g, ok := a.group(op.Object.Name, cmd.Hash)
	if !ok || g.Status == state.NeedsAttention || len(g.Resolutions) == 0 {
		return
	}
	last := g.Resolutions[len(g.Resolutions)-1]
	if last.ConfirmedBy == "" || last.ConfirmedBy == last.StatedBy {
		a.reportViolation("S12", "%s is %s on the statement of %s alone", g.Key, g.Status, last.StatedBy)
	}
	if g.Generation == cmd.Generation && g.Status == state.Submitted {
		a.reportViolation("S12", "the voided attempt %s continues", g.Key)
	}
}
