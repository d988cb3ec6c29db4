package mutation

// mutant is a bug: in a file, what to replace by what.
type mutant struct {
	name, file, old, new string
}

var mutants = []mutant{
	// The charge itself.
	{"a fresh key for every sending", "settlement/drive.go",
		`Key:             g.Key,`, `Key:             g.Key + ":" + g.LastAttemptAt.String(),`},
	{"the key of the first attempt for every attempt", "settlement/state/keys.go",
		`return fmt.Sprintf("settle:%s:%s:%d", slug, hash, generation)`, `return fmt.Sprintf("settle:%s:%s:%d", slug, hash, min(generation, 1))`},
	{"no answer is taken for a refusal", "settlement/state/result.go",
		"case psp.Unknown, psp.Pending:\n", "case psp.Unknown, psp.Pending:\n\t\tif f.Status == psp.Unknown {\n\t\t\tg.fail(f, now)\n\t\t}\n"},
	{"a server's error is taken for a refusal", "checkout/psp/stripe/failure.go",
		`o := psp.Outcome{Status: psp.Unknown, Code: string(e.Code)`, `o := psp.Outcome{Status: psp.Declined, Code: string(e.Code)`},
	{"a payment that is worked on is taken for a refusal", "checkout/psp/stripe/charge.go",
		"default:\n\t\treturn psp.Pending", "default:\n\t\treturn psp.Declined"},
	{"nothing found is taken for a refusal", "settlement/state/result.go",
		"f.FromLookup = true\n\treturn f", "f.FromLookup = true\n\tif f.Status == \"\" {\n\t\tf.Status = psp.Declined\n\t}\n\treturn f"},
	{"any payment of the customer is taken for the group's", "checkout/psp/stripe/charge.go",
		`if intent.Metadata[psp.GroupKey] == group {`, `if intent.Metadata[psp.GroupKey] != "" {`},
	{"a key is sent however old it is", "settlement/state/next.go",
		`now.After(g.FirstSubmittedAt.Add(psp.SafeAge))`, `now.After(g.FirstSubmittedAt.Add(100 * psp.SafeAge))`},
	{"every sending makes the key young again", "settlement/state/charge.go",
		`if g.FirstSubmittedAt == nil {`, `if g.FirstSubmittedAt == nil || true {`},
	{"the last look at a key's age is gone", "checkout/psp/stripe/transport.go",
		`ok && t.now().After(limit) {`, `ok && limit.IsZero() {`},
	{"a payment of more than was asked for will do", "settlement/state/result.go",
		`case f.Amount != g.Amount ||`, `case f.Amount < g.Amount ||`},
	{"the amount received is not compared", "settlement/state/result.go",
		` || f.Received != g.Amount`, ``},
	{"customer, mode and group of an answer are not compared", "settlement/state/result.go",
		`case p.ID == "":`, `case true:`},
	{"a request that the processor refused as invalid stays submitted", "settlement/state/result.go",
		`case psp.Declined, psp.NeedsAction, psp.Canceled, psp.Refused:`, `case psp.Declined, psp.NeedsAction, psp.Canceled:`},
	{"an open charge is sent whatever its pledges are now", "settlement/reclaim.go",
		`if g.Status != state.Submitted {`, `if true {`},
	{"a failed charge that its object forgot is not looked for", "settlement/forgotten.go",
		`if a.purpose != purposeCharge {`, `if a.purpose != purposeCharge || true {`},
	{"the card of a payment that waits for its holder is not known", "checkout/psp/stripe/charge.go",
		`if e.PaymentMethod != nil && out.PaymentMethodID == "" {`, `if false {`},
	{"the amount loses a cent", "settlement/plan.go",
		"return money.Sum(amounts...)", "sum, err := money.Sum(amounts...)\n\treturn sum - sum%2, err"},

	// What a database has lost.
	{"no payment is looked for that the database may have lost", "settlement/payments.go",
		"if !a.imported.IsZero() {", "if a.imported.IsZero() || true {"},
	{"the list of payments ends with its first page", "settlement/payments.go",
		`if q.After = page.Next; q.After == "" {`, `if q.After = page.Next; q.After == "" || true {`},
	{"any lease before vouches for what was paid", "settlement/leases.go",
		`!known || next.After != last.owner {`, `!known {`},
	{"an own lease vouches for what was paid, however long ago", "settlement/leases.go",
		`if now.Sub(last.listed) < vouched {`, `if !last.listed.IsZero() {`},
	{"payments are imported from the file's deadline on", "settlement/payments.go",
		`if !t.IsZero() && t.Before(from) {`, `if t.Before(time.Time{}) {`},
	{"a refunded payment is taken for one that moved money", "settlement/payments.go",
		`return p.Refunded < p.Received`, `return p.Refunded <= p.Received`},
	{"a recorded cancellation is not read", "checkout/agreement/agreement.go",
		`return t.Cancelled == (p.Status == pledge.Cancelled)`, `return true`},
	{"a recorded amount is ignored", "checkout/agreement/agreement.go",
		`return t.Amount == p.Amount`, `return true`},
	{"a campaign's object that went back forgets who pledged since", "pledge/projection/rebuild.go",
		`of != slug || listed[id]`, `of != slug || listed[id] || true`},

	// What operators say.
	{"one operator is enough", "settlement/state/resolution.go",
		`if stated.StatedBy == cmd.Operator {`, `if stated.StatedBy == "" {`},
	{"an attempt that charged nobody goes on", "settlement/state/resolution.go",
		`g.Status, g.Void, g.Booked = Failed, true, true`, `g.Status, g.FirstSubmittedAt, g.Attempts = Submitted, nil, 0`},
	{"charges without an answer stop nothing", "settlement/state/breaker.go",
		`breakerSilence  = 20`, `breakerSilence  = 2000`},

	// Who is charged for what, and when.
	{"only the last pledge of a supporter is charged", "settlement/plan.go",
		`p.pledges = append(p.pledges, pl)`, `p.pledges = []*pledge.Pledge{pl}`},
	{"the oldest card is charged", "settlement/plan.go",
		`p.CardSavedAt.After(newest.CardSavedAt)`, `p.CardSavedAt.Before(newest.CardSavedAt)`},
	{"cancelled pledges are charged", "pledge/pledge.go",
		`&& p.CardForgottenAt == nil && (p.Status == Active || p.Status == PaymentFailed)`, `&& p.CardForgottenAt == nil`},
	{"a card goes while another pledge of its order may be charged", "settlement/cards.go",
		`if over, err := f.isFinal(ctx, p); err != nil || !over {`, `if over, err := f.isFinal(ctx, p); err != nil || !over && p.CampaignSlug == f.campaign.Slug {`},
	{"cards are deleted without an import of payments", "settlement/payments.go",
		`if !a.imported.IsZero() {`, `if !a.imported.IsZero() || a.purpose == purposeDetach {`},
	{"a campaign is closed without an import of payments", "settlement/payments.go",
		`if !a.imported.IsZero() {`, `if !a.imported.IsZero() || a.purpose == purposeClose {`},
	{"closing and deleting cards do not compare the clock", "settlement/admit.go",
		`a.checkStop, a.checkProcessor, a.checkDeadline`, `a.checkStop, a.checkProcessorToCharge, a.checkDeadline`},
	{"the deadline is that of another zone", "pledge/campaign/state.go",
		`return c.Deadline.Ends(zone)`, `return c.Deadline.Ends(time.UTC)`},
	{"campaigns are settled without funds", "settlement/service.go",
		"if err != nil || c.Funded(snap.Totals.Counted) {\n\t\treturn err", "if err != nil || snap.Totals.Counted >= 0 {\n\t\treturn err"},
	{"settlement begins at the deadline, by whatever clock", "settlement/service.go",
		`const Margin = 75 * time.Minute`, `const Margin = 0 * time.Minute`},
	{"a change is made however late it comes", "pledge/order/change.go",
		`if notAfter.IsZero() || !now.After(notAfter) {`, `if notAfter.IsZero() || now.After(time.Time{}) {`},
	{"the sweep before the first charge stops at its first clean page", "settlement/sweep.go",
		`swept.Next != 0 {`, `swept.Next != 0 && swept.Repaired != 0 {`},
	{"the goal is not asked again after sums were mended", "settlement/sweep.go",
		`if err := r.checkFunded(ctx, r.campaign); err != nil {`, `if err := ctx.Err(); err != nil {`},
	{"the funded check reads the projection", "settlement/service.go",
		"snap, err := s.Inventory.Snapshot(ctx, c.Slug)\n\tif err != nil || c.Funded(snap.Totals.Counted) {\n\t\treturn err",
		"snap, err := s.Inventory.Snapshot(ctx, c.Slug)\n\tif err != nil {\n\t\treturn err\n\t}\n" +
			"\tstats, _, err := kv.Read[projection.Stats](ctx, s.Store, pledge.StatsKey(c.Slug))\n\tif err != nil || c.Funded(stats.PledgedAmount) {\n\t\treturn err"},
	{"what was promised is not asked for", "settlement/promise.go",
		"len(broken) == 0 {\n\t\treturn err", "len(broken) >= 0 {\n\t\treturn err"},
	{"a goal counts as it is, whatever was promised", "settlement/promise.go",
		`p.Goal <= now.Goal || snap.Totals.Counted >= p.Goal`, `snap.Totals.Counted >= 0`},
	{"the plan made before the claims is frozen", "settlement/supporter.go",
		"return r.planCharge(r.campaign, cg), nil", "return p, nil"},
	{"every claimed pledge is marked as charged", "settlement/book.go",
		"return g.OrderIDs(), nil\n}\n\n// markPledge records", "return s.everyClaimed(ctx, g)\n}\n\n// markPledge records"},
	{"a supporter's hash drops the plus tag", "pledge/email.go",
		`sum := sha256.Sum256([]byte(email))`,
		"local, domain, _ := strings.Cut(email, \"@\")\n\tlocal, _, _ = strings.Cut(local, \"+\")\n\tsum := sha256.Sum256([]byte(local + \"@\" + domain))"},
	{"a supporter's hash is cut to six digits", "pledge/email.go",
		`hex.EncodeToString(sum[:16])`, `hex.EncodeToString(sum[:3])`},
	{"a group's hash is cut to six digits", "settlement/state/keys.go",
		`const hashDigits = 48`, `const hashDigits = 6`},

	// Who pays for whom.
	{"whoever types an address is charged with its holder", "settlement/chargegroup.go",
		"default:\n\t\t\thash = state.HashOf(slug, p.OrderID)", "default:\n\t\t\thash = joint"},
	{"the newest card pays, whoever gave it", "settlement/payer.go",
		"if p.CardByLink || frozen {", "if p.CardByLink || frozen || !frozen {"},
	{"the newest card is taken for that of a lost attempt, whoever gave it", "settlement/payments.go",
		`slices.Clone(payers(by, nil, pledges))`, `slices.Clone(pledges)`},
	{"opening a link joins its pledge", "checkout/manage.go",
		"return PledgeView{}, err\n\t}\n\treturn s.pledgeView(ctx, p)\n}\n\n// List",
		"return PledgeView{}, err\n\t}\n\tif joined, err := s.Orders.Join(ctx, p.OrderID, time.Time{}); err == nil {\n\t\tp = joined\n\t}\n\treturn s.pledgeView(ctx, p)\n}\n\n// List"},
	{"the index of active pledges is used though it has not all", "pledge/inventory/book.go",
		"totals.Indexed++\n\t\treturn tx.Put(key, []byte(\"1\"))",
		"totals.Indexed++\n\t\tif a.Pledge[len(a.Pledge)-1]%2 == 1 {\n\t\t\treturn nil\n\t\t}\n\t\treturn tx.Put(key, []byte(\"1\"))"},

	{"a campaign rests while a failed charge may be made good", "settlement/active.go",
		`len(failures.Groups) > 0 {`, `len(failures.Groups) > 100 {`},
	{"a campaign rests with a pledge that nobody has charged", "settlement/active.go",
		`if c.State(s.Now().Add(-MinIdleAge), s.Zone) != campaign.Ended {`, `if s.mayBegin(c) {
		return true, nil
	}
	if c.State(s.Now().Add(-MinIdleAge), s.Zone) != campaign.Ended {`},

	// What is known of a charge.
	{"the group is read from its copy", "settlement/supporter.go",
		"func (r *run) advance(ctx context.Context, cg chargeGroup) error {\n",
		"func (r *run) advance(ctx context.Context, cg chargeGroup) error {\n" +
			"\tif g, ok, err := kv.Read[state.Group](ctx, r.Store, state.GroupKey(r.campaign.Slug, cg.hash)); err == nil && ok {\n\t\tcg.group = &g\n\t}\n"},
	{"the pledges know of a charge before its group", "settlement/drive.go",
		"return r.recordResult(ctx, g, r.resultOf(g, r.admission.charge(ctx, psp.NewCharge{",
		"return r.early(ctx, g)(r.admission.charge(ctx, psp.NewCharge{"},
	{"a fact of an earlier attempt is taken for this one's", "settlement/state/charge.go",
		`if cmd.Generation == g.Generation {`, `if cmd.Generation <= g.Generation {`},
	{"a campaign is complete with an open charge", "settlement/state/job.go",
		`if len(open) > 0 {`, `if len(open) > 100 {`},
	{"a campaign is complete with active pledges", "settlement/lifecycle.go",
		`if err != nil || snap.Totals.Statuses[pledge.Active] > 0 {`, `if err != nil || snap.Totals.Statuses[pledge.Active] > 100 {`},
	{"only the first pledge hears of the charge", "settlement/book.go",
		"for i, o := range g.Orders {\n\t\terr := s.mark", "for i, o := range g.Orders[:min(1, len(g.Orders))] {\n\t\terr := s.mark"},
	{"a group is closed before its mail is queued", "settlement/book.go",
		"if err := r.mailOutcome(ctx, outcome, pledges); err != nil {\n\t\treturn g, err\n\t}\n\treturn r.close(ctx, g, pledges[0].Email)",
		"closed, err := r.close(ctx, g, pledges[0].Email)\n\tif err != nil {\n\t\treturn g, err\n\t}\n\treturn closed, r.mailOutcome(ctx, outcome, pledges)"},
	{"every payment bears the whole fee for each pledge", "settlement/state/shares.go",
		`f.Fee, f.Net, f.Source = fees[i], o.Amount-fees[i], "actual"`, `f.Fee, f.Net, f.Source = max(fees[i], g.Fee), o.Amount-max(fees[i], g.Fee), "actual"`},
	{"a pledge that went back to between its claim and its failure hears of none", "settlement/book.go",
		`(c == nil || c.Group == g.Hash && c.Generation <= g.Generation)`, `c == nil`},

	{"a pledge that is claimed for an attempt which was never made is not given up", "pledge/order/settle.go",
		`if p.Dropped() || !failedLast(p, cmd.Generation) {`, `if p.Dropped() || p.Settlement != nil || !failedLast(p, cmd.Generation) {`},

	{"late figures are never asked for", "hosts/compose/books.go",
		`s.Settlement.FillFinancials(ctx, c.Slug, feeLookupLimit)`, `s.Settlement.FillFinancials(ctx, c.Slug, 0*feeLookupLimit)`},
	{"reconciliation does not see a payment that nobody knows", "settlement/reconcile/look.go",
		"if !ours || p.Status != psp.Succeeded {", "if !ours || p.Status != psp.Succeeded || p.ChargeID != \"\" {"},

	// Recovery.
	{"the next attempt has the last one's number", "settlement/plan.go",
		`p.generation = max(p.generation, begun(pl))`, `p.generation = max(1, g.NextGeneration()-1)`},
	{"another attempt begins while the last may be approved", "settlement/recover.go",
		`p, err := r.Processor.CancelPayment(ctx, g.PaymentIntentID, "cancel:"+g.Key)`,
		"p, err := r.Processor.Payment(ctx, g.PaymentIntentID)\n\tif p.Status != psp.Succeeded {\n\t\tp.Status = psp.Canceled\n\t}"},
	{"a payment that was approved meanwhile is taken for canceled", "settlement/recover.go",
		"told, err := r.recordResult(ctx, g, r.lookupResult(g, p))", "p.Status = psp.Canceled\n\ttold, err := r.recordResult(ctx, g, r.lookupResult(g, p))"},
	{"who was told just now is given up", "settlement/recover.go",
		`return s.Now().Sub(cg.group.UpdatedAt) > storeDelay, nil`, `return s.Now().Sub(cg.group.UpdatedAt) >= 0*storeDelay, nil`},
	{"nobody looks after failed charges", "settlement/due.go",
		"if err := s.noteRecoveries(ctx, c); err != nil {", "if err := s.Store.Apply(ctx, nil); err != nil {"},
	{"only the first failures are looked after", "settlement/recover.go",
		`if page.Next == "" {`, `if len(page.Next) >= 0 {`},
	{"pledges are given up at once", "settlement/state/recovery.go",
		`Until: g.FirstFailure().Add(time.Duration(policy.GraceDays) * day)}`, `Until: g.FirstFailure().Add(time.Duration(policy.GraceDays) * time.Minute)}`},
	{"a refused card is tried again at once", "settlement/plan.go",
		`retry = ok && !now.Before(at) && p.card != nil`, `retry = ok && p.card != nil && !at.IsZero()`},
	{"a given up pledge hears nothing", "settlement/book.go",
		`mark, outcome = r.markDropped, wasDropped`, `mark, outcome = r.markDropped, hasFailed`},

	// Checkout and stock.
	{"one more than there are", "pledge/inventory/class.go",
		`w.Limit != 0 && units > left {`, `w.Limit != 0 && units > left+1 {`},
	{"what is held can be had again", "pledge/inventory/class.go",
		`left := w.Limit - stock.Committed - stock.Held;`, `left := w.Limit - stock.Committed;`},
	{"who has given no card holds all there is", "pledge/inventory/share.go",
		`if held+units > most {`, `if held+units > 100*most {`},
	{"held units are given back without asking the processor", "checkout/abandon.go",
		`if o.SessionID != "" {`, `if o.SessionID == "never" {`},
	{"a processor that does not answer has ended the session", "checkout/abandon.go",
		"if err != nil {\n\t\treturn psp.Session{}, err\n\t}\n\tif sess.Status == psp.Open {", "if err != nil {\n\t\treturn psp.Session{Status: psp.Expired}, nil\n\t}\n\tif sess.Status == psp.Open {"},
	{"nobody looks after holds", "checkout/sweep.go",
		"for _, h := range holds {\n\t\tt.Seen++", "for _, h := range holds[:0] {\n\t\tt.Seen++"},
	{"held units are given back before they are booked", "checkout/confirm.go",
		"alone, err := s.bookPledge(ctx, p, made, holdID(stem, i))",
		"if err := s.Inventory.Release(ctx, p.CampaignSlug, holdID(stem, i)); err != nil {\n\t\t\treturn err\n\t\t}\n" +
			"\t\talone, err := s.bookPledge(ctx, p, made, \"\")"},
	{"a webhook is done before it is applied", "checkout/webhook.go",
		"_, err = s.confirm(ctx, sess, \"\", last...)", "if err := s.Store.Apply(ctx, last); err != nil {\n\t\treturn err\n\t}\n\t_, err = s.confirm(ctx, sess, \"\")"},
	{"a trouble that may pass ends a webhook", "checkout/webhook.go",
		"out.recorded = err == nil\n\t\treturn out, err", "out.recorded = err == nil\n\t\tif transient(err) {\n\t\t\terr = nil\n\t\t}\n\t\treturn out, err"},
	{"a pledge is made without its confirmation", "checkout/confirm.go",
		`mails = append(mails, mail...)`, `mails = append(mails, mail[:0]...)`},
	{"every confirmation is another mail", "notify/mailtext/compose.go",
		`"confirmation:"+p.OrderID`, `"confirmation:"+p.OrderID+now.String()`},
	{"a mail without an answer is taken for sent", "notify/attempt.go",
		`return a.retry(ctx, Receipt{Reason: "no answer: " + err.Error()})`, `return a.finish(ctx, Sent, Receipt{})`},

	// News and what is heard of mails.
	{"every attempt at news has a key of its own", "notify/broadcast/state.go",
		`key := "b_" + b.ID + "_u_" + u.Name`, `key := "b_" + b.ID + "_u_" + u.Name + "-" + strconv.Itoa(u.Attempts)`},
	{"who wants no news is asked for at the launch alone", "notify/broadcast/step.go",
		`skip, err := s.suppressed(ctx, d)`, `skip, err := map[int]string{}, error(nil)`},
	{"who wants no news gets it where an answer is missing", "notify/broadcast/leaveout.go",
		"	if len(skip) == 0 {", "	if len(skip) == 0 || !u.UnknownSince.IsZero() {"},
	{"who was left out is said to have no news, whatever the provider has", "notify/broadcast/leaveout.go",
		"	case s == Accepted:\n\t\treturn Accepted, \"\"\n", ""},
	{"what is left of a request goes out under another key", "notify/broadcast/step.go",
		" && len(u.LeftOut) == 0", ""},
	{"news is sent again when its key is forgotten", "notify/broadcast/attempt.go",
		`retryMargin = time.Hour`, `retryMargin = -30 * time.Hour`},
	{"a provider that knows no key is taken for one that does", "notify/broadcast/step.go",
		"return r.Remembers()\n\t}\n\treturn 0\n", "return r.Remembers()\n\t}\n\treturn 24 * time.Hour\n"},
	{"mails in doubt get keys of their own when some are heard of", "notify/broadcast/attempt.go",
		`len(waiting) == len(u.Items) || len(waiting) > 0 && !u.UnknownSince.IsZero()`, `len(waiting) == len(u.Items)`},
	{"an event is applied as often as it is told", "notify/feedback/feedback.go",
		"if repeated {", "if repeated && e.ID == \"\" {"},
	{"what is reported before it can be seen is nobody's", "notify/feedback/feedback.go",
		`now.Sub(e.At) < Young {`, `now.Sub(e.At) < 0 {`},

	// Sums.
	{"a changed pledge is counted twice", "pledge/inventory/book.go",
		`t.Counted += next.Counted - last.Counted`, `t.Counted += next.Counted`},
	{"a cancelled pledge keeps its units", "pledge/inventory/book.go",
		"by[k] -= n\n", "by[k] -= n\n\t\tif len(next) == 0 {\n\t\t\tby[k] = 0\n\t\t}\n"},
	{"the tip is rounded down", "pledge/line.go",
		`t.TipAmount = money.Percent(int64(tipPercent)).Of(t.Subtotal)`, `t.TipAmount = t.Subtotal * money.Cents(tipPercent) / 100`},
	{"half a cent of a tip is rounded to even", "pledge/line.go",
		`t.TipAmount = money.Percent(int64(tipPercent)).Of(t.Subtotal)`, `t.TipAmount = halfToEven(int64(t.Subtotal) * int64(tipPercent))`},
	{"an older record is left over a newer one", "pledge/projection/sweep.go",
		`return known < revision, err`, `return known > revision, err`},
}

// change is one text that is replaced by another.
type change struct{ file, old, new string }

// besides are the other changes of some mutants.
var besides = map[string][]change{
	"the pledges know of a charge before its group": {{"settlement/drive.go",
		"NotAfter:        g.FirstSubmittedAt.Add(psp.SafeAge),\n\t})))", "NotAfter:        g.FirstSubmittedAt.Add(psp.SafeAge),\n\t}))"}},
	"another attempt begins while the last may be approved": {{"settlement/recover.go",
		"\t\"github.com/pledgeworks/pledgeworks/notify\"\n", "\t\"github.com/pledgeworks/pledgeworks/checkout/psp\"\n\t\"github.com/pledgeworks/pledgeworks/notify\"\n"}},
	"a payment that was approved meanwhile is taken for canceled": {{"settlement/recover.go",
		"\t\"github.com/pledgeworks/pledgeworks/notify\"\n", "\t\"github.com/pledgeworks/pledgeworks/checkout/psp\"\n\t\"github.com/pledgeworks/pledgeworks/notify\"\n"}},
	"a request that the processor refused as invalid stays submitted": {{"settlement/state/result.go",
		"case psp.Unknown, psp.Pending:\n", "case psp.Unknown, psp.Pending, psp.Refused:\n"}},
}

// doubly are the mutants that no history can feel, because something else keeps the same
// promise: a test of their package has to notice them.
var doubly = map[string]struct{ pkg, test string }{
	// A change that was cut off is ended before the sweep, and one that was held up until its
	// reservation was taken for dead is refused.
	"the sweep before the first charge stops at its first clean page": {"./settlement", "TestSweep_UnbookedChanges"},
	// Checkouts are ended before the first charge, so that no pledge comes during a settlement.
	"every claimed pledge is marked as charged": {"./settlement", "TestClaim_WithoutTheLease"},
	// A lease ends before a key is old, and after it nothing is sent.
	"the last look at a key's age is gone": {"./checkout/psp/stripe", "TestContract"},
	// The amount received differs too, unless a part of a larger payment was captured.
	"a payment of more than was asked for will do": {"./settlement/state", "TestApply"},
	// No history is known to find these three.
	"customer, mode and group of an answer are not compared": {"./settlement", "TestCharge_AnswerAboutAnotherCharge"},
	"a recorded amount is ignored":                           {"./settlement", "TestRestore_HoldsWhatSupportersNoLongerAgreeTo"},
	"a refunded payment is taken for one that moved money":   {"./settlement", "TestClose_RefundedPayment"},
}

// added is what some mutants need beside their change.
var added = map[string]string{
	"every claimed pledge is marked as charged": `
func (s *Service) everyClaimed(ctx context.Context, g state.Group) ([]string, error) {
	ids, err := (&run{admission: &admission{Service: s}}).claimedPledges(ctx, g)
	for _, id := range ids {
		if !slices.Contains(g.OrderIDs(), id) && err == nil {
			_, err = s.Orders.Charge(ctx, id, g.Hash, g.Generation, order.Charged{PaymentIntentID: g.PaymentIntentID, At: g.OutcomeAt()})
		}
	}
	return ids, err
}
`,
	"closing and deleting cards do not compare the clock": `
func (a *admission) checkProcessorToCharge(ctx context.Context) error {
	if a.purpose != purposeCharge {
		return nil
	}
	return a.checkProcessor(ctx)
}
`,
	"half a cent of a tip is rounded to even": `
func halfToEven(hundredths int64) money.Cents {
	cents, rest := hundredths/100, hundredths%100
	if rest > 50 || rest == 50 && cents%2 == 1 {
		cents++
	}
	return money.Cents(cents)
}
`,
	"the pledges know of a charge before its group": `
func (r *run) early(ctx context.Context, g state.Group) func(psp.Outcome) (state.Group, error) {
	return func(o psp.Outcome) (state.Group, error) {
		if o.Status == psp.Succeeded {
			g.PaymentIntentID = o.Payment.ID
			if _, err := r.markCharged(ctx, g); err != nil {
				return g, err
			}
		}
		return r.recordResult(ctx, g, r.resultOf(g, o))
	}
}
`,
}
