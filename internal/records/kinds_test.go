package records

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kinds maps the constant or function that makes a stored JSON record's key to
// the kind of record in a release's file.
var kinds = map[string]string{
	"order.headKey": "order order", "order.manifestKey": "order manifest", "order.pledgePrefix": "order pledge/",
	"order.enlistedKey":       "order pledges",
	"inventory.accountPrefix": "campaign account/", "inventory.totalsKey": "campaign totals",
	"inventory.stockPrefix":   "campaign stock/",
	"inventory.supportPrefix": "campaign support/", "inventory.holdPrefix": "campaign hold/",
	"inventory.shareKey": "campaign share/",
	"vote.tallyPrefix":   "campaign tally/", "vote.voteKey": "campaign vote/",
	"vote.ResultsKey": "results", "vote.Key": "vote",
	"state.leaseKey": "settlement term", "state.jobKey": "settlement job", "state.completeKey": "settlement complete",
	"state.groupPrefix": "settlement group/", "state.wantPrefix": "settlement want/",
	"state.breakerKey": "settlement brake",
	"state.stopKey":    "settlement stop", "state.GroupKey": "settlement-group:v1", "state.JobKey": "settlement-job",
	"reconcile.passKey": "settlement reconcile/pass", "reconcile.lastKey": "settlement reconcile/last",
	"reconcile.breakPrefix": "settlement reconcile/break", "reconcile.Key": "reconciliation-break:v1",
	"compose.membersKey": "settlement roll", "compose.cronKey": "cron",
	"pledge.EmailKey": "email", "pledge.Key": "pledge", "pledge.IndexKey": "campaign-pledges",
	"pledge.ChargedKey": "campaign-charged",
	"pledge.StatsKey":   "stats", "pledge.InventoryKey": "tier-inventory",
	"pledge.AddOnsSoldKey": "add-on-inventory-sold:v1",
	"checkout.backfillKey": "backfill-customers", "checkout.approvalKey": "payment-approval",
	"checkout.attemptKey": "checkout-attempt",
	"checkout.intentKey":  "checkout-intent", "checkout.extrasKey": "pending-extras",
	"checkout.tiersKey": "pending-tiers", "checkout.eventKey": "psp-event",
	"evidence.Key": "processor-event:v1", "notify.cursorKey": "email-outbox-cursor:v1",
	"notify.DeliveryKey": "email-delivery:v1",
	"notify.OutboxKey":   "email-outbox:v1", "httpapi.observedStart": "observed:v1",
	"state.accountKey": "settlement account", "state.idlePrefix": "settlement rest/", "p.key": "campaign promise/",
}

// ignoredKeys lists expressions that identify no kind of record: forwarded values, numbers that
// record a position, and a test's mails in a worker.
var ignoredKeys = []string{"projection.v", "state.after", "compose.key", "workers.", "evidence.q"}

// rareKeys lists keys that no release's file has: those of new records, and of records that result
// only from operators' actions, interrupted runs or lost orders.
var rareKeys = []string{"notify.StopKey", "notify.refusedKey", "state.acceptedKey", "checkout.lostKey",
	"compose.unfinishedPassesKey", "compose.lostOrdersKey", "compose.backupKey", "reconcile.lostKey",
	"state.closedKey", "state.disagreementKey", "state.reopeningKey", "state.detachingKey", "state.unclosedKey",
	"state.restoredKey", "inventory.closedKey", "compose.cardsKey", "ledger.headKey", "ledger.entryKey",
	"suppression.key", "suppression.namedKey", "feedback.markerKey", "broadcast.headKey", "broadcast.chunkKey",
	"broadcast.openPrefix", "broadcast.draftKey", "broadcast.draftCount", "broadcast.DraftKey",
	"broadcast.sentCount", "broadcast.sentByID", "broadcast.sentKey",
	"access.loginKey", "access.setupKey", "access.loginPrefix", "access.mailTimesPrefix", "access.usersKey",
	"access.sessionKey", "access.userPrefix", "access.sessionPrefix", "access.factorsPrefix", "access.readerKey",
	"access.noticePrefix", "marketing.referralPrefix", "marketing.ReferralsKey",
	"audit.stateKey", "audit.linkKey", "audit.pendingPrefix", "e.Key", "reminder.waitingKey",
	"reminder.sentKey", "reminder.queueKey", "reminder.dispatchKey",
	"order.actPrefix", "search.progressKey", "reminder.cartKey", "reminder.cartSentKey",
	"reminder.resumeKey", "reminder.healthKey", "reminder.nextKey", "preview.reviewersKey",
	"preview.ReviewersKey", "visits.countsKey", "pledgehealth.checkKey",
	"refund.refundPrefix", "ledger.paymentPrefix", "compose.refundsKey", "refund.runKey",
	"dispute.disputePrefix", "dispute.warningPrefix", "dispute.placePrefix", "dispute.progressKey",
	"payout.payoutPrefix", "payout.progressKey"}

// keyArguments lists the functions that write JSON, with the position of the key among
// their arguments.
var keyArguments = map[string]int{"kv.PutValue": 1, "kv.Save": 2, "kv.Record": 0, "kv.Rewrite": 2}

// Every kind of record that the code writes is in the last release's file.
func TestKinds_Complete(t *testing.T) {
	written := map[string]bool{}
	for _, dir := range []string{"pledge", "checkout", "settlement", "notify", "admin", "hosts"} {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err == nil {
				collectKeys(file, written)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for key := range written {
		if kinds[key] == "" && !slices.Contains(ignoredKeys, key) && !slices.Contains(rareKeys, key) {
			t.Errorf("unknown kind of record %s: add it to kinds, and create one in createRecords", key)
		}
	}
	all := releases(t)
	for _, release := range all[len(all)-1:] {
		found := map[string]bool{}
		for _, r := range read(t, release).Rows {
			found[r.kind()] = true
		}
		for key, kind := range kinds {
			if !found[kind] {
				t.Errorf("%s: no record of kind %q, under %s", release, kind, key)
			}
		}
	}
}

// collectKeys adds the constants and functions that make the keys of written records, with their
// package, to into.
func collectKeys(file *ast.File, into map[string]bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		at, ok := keyArguments[calleeName(call.Fun)]
		if !ok || len(call.Args) <= at {
			return true
		}
		into[keyMaker(call.Args[at], file.Name.Name)] = true
		return true
	})
}

// calleeName returns the name of another package's function, such as "kv.PutValue".
func calleeName(fn ast.Expr) string {
	s, ok := fn.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	x, ok := s.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return x.Name + "." + s.Sel.Name
}

// keyMaker returns the name of the constant or function that makes a key's first part, with its
// package.
func keyMaker(key ast.Expr, in string) string {
	switch key := key.(type) {
	case *ast.BinaryExpr:
		return keyMaker(key.X, in)
	case *ast.CallExpr:
		return keyMaker(key.Fun, in)
	case *ast.SelectorExpr:
		x, ok := key.X.(*ast.Ident)
		switch {
		case !ok:
			return in + "."
		case x.Name == "b": // a method of a break
			return in + "." + key.Sel.Name
		case x.Name == "p" && key.Sel.Name == "key": // a method of a promise
			return "p.key"
		case x.Name == "v": // a field of a view
			return in + ".v"
		}
		return x.Name + "." + key.Sel.Name
	case *ast.Ident:
		return in + "." + key.Name
	}
	return in + "."
}

func TestKeys_FindsWrites(t *testing.T) {
	for body, want := range map[string]string{
		`kv.PutValue(tx, newPrefix+id, v)`:               "p.newPrefix",
		`kv.Save(ctx, s.Store, other.Key(a, b), v)`:      "other.Key",
		`w, err := kv.Record(keyOf(v), v, until)`:        "p.keyOf",
		`_, _ = kv.Rewrite(ctx, s, "new:"+id, v, until)`: "p.",
		`kv.Load(tx, key)`:                               "",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\nfunc f() { "+body+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		collectKeys(file, found)
		if want != "" && !found[want] || want == "" && len(found) > 0 {
			t.Errorf("%s: found %v, want %q", body, found, want)
		}
	}
}
