package simulation

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// staff may say together what became of a charge that needs attention.
var staff = []string{"ada", "ben"}

func operatorKeys() string {
	list := ""
	for _, name := range staff {
		list += name + ":" + config.KeySum("key of "+name) + ","
	}
	return list
}

// lastWord is how long before the end operators stop: what they give up is charged anew
// within an hour, its payment may be pending for hours, and it is booked an hour later.
const lastWord = 8 * time.Hour

// attend is an operator who looks after charges that need attention, now and then, and
// does not always know better than to guess.
func (w *world) attend(name string) {
	for {
		w.pause(w.slow(time.Duration(20+w.rng.IntN(300)) * time.Minute))
		if !w.now.Before(w.rest.Add(-lastWord)) {
			return
		}
		slug := slugs[w.rng.IntN(len(slugs))]
		var listed httpapi.Attention
		if !w.asOperator(name, "GET", slug, nil, &listed) {
			continue
		}
		for _, c := range listed.Charges {
			if w.rng.IntN(3) > 0 {
				w.asOperator(name, "POST", slug, w.guess(c.Group), nil)
			}
		}
	}
}

// guess is the first payment of the charge that the books have, or none.
func (w *world) guess(group string) settlement.Statement {
	st := settlement.Statement{Group: group, NothingCharged: true}
	if w.rng.IntN(3) == 0 {
		return st
	}
	for _, e := range w.sim.Books() {
		if _, hash, _ := splitKey(e.Group); hash == group {
			return settlement.Statement{Group: group, PaymentID: e.PaymentID}
		}
	}
	return st
}

func (w *world) asOperator(name, method, slug string, body, into any) bool {
	address := fmt.Sprintf("10.2.%d.%d", w.requests/250%250, w.requests%250)
	return w.call(address, method, "/admin/resolve/"+slug, body, into, 1, "Authorization", "Bearer key of "+name)
}

// rush are operators who do not wait for one another.
func (w *world) rush() {
	for range 40 {
		w.spawn("operators", nil, 0, w.settle)
		w.pause(time.Duration(10+w.rng.IntN(240)) * time.Second)
	}
}

func (w *world) settle() {
	slug := slugs[w.rng.IntN(len(slugs))]
	path, body := "/admin/settle-dispatch/"+slug, map[string]any{}
	if w.rng.IntN(3) == 0 {
		path = "/admin/settle/" + slug
		body["dryRun"] = w.rng.IntN(2) == 0
	}
	w.asSettler(path, body, nil)
}

// resolvedByTwo: S12, what became of a charge is said by two, and what charged nobody ends.
func (a *watch) resolvedByTwo(op memkv.Op) {
	var cmd struct {
		Hash       string
		Generation int
	}
	if op.Command.Kind != "resolve" || op.Reply.Refused != nil || json.Unmarshal(op.Command.Body, &cmd) != nil {
		return
	}
	g, ok := a.group(op.Object.Name, cmd.Hash)
	if !ok || g.Status == settlement.NeedsAttention || len(g.Resolutions) == 0 {
		return
	}
	last := g.Resolutions[len(g.Resolutions)-1]
	if last.ConfirmedBy == "" || last.ConfirmedBy == last.StatedBy {
		a.violated("S12", "%s is %s by the word of %s alone", g.Key, g.Status, last.StatedBy)
	}
	if g.Generation == cmd.Generation && g.Status == settlement.Submitted {
		a.violated("S12", "the attempt %s goes on that was given up", g.Key)
	}
}
