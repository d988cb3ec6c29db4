package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// act is an operator's request that can be repeated.
type act func() httpapi.Response

// mutation sets up an edge with the options and returns an operator's request that changes
// something.
type mutation func(t *testing.T, o memory.Options) (*edge, act)

// mutations returns the mutations of all routes by the name of their audited action.
func mutations() map[string]mutation {
	all := map[string]mutation{}
	for _, of := range []map[string]mutation{moneyMutations, refundMutations, supporterMutations, newsMutations,
		peopleMutations, contentMutations, mediaMutations} {
		maps.Copy(all, of)
	}
	return all
}

// recordedAs has the audited actions of mutations that differ from their route's because of their content.
var recordedAs = map[string]string{"refund.run_changed": "refund.run_confirmed"}

// power simulates a power failure before a given side effect. Later side effects fail, too.
type power struct {
	left  int // effects before the failure
	off   bool
	begun bool
}

const never = -1

func (p *power) effect() error {
	if !p.off && p.left == 0 {
		p.off = true
	}
	if p.off {
		return fault.Wrap(errCut, fault.Unavailable, "The power failed")
	}
	if p.left > 0 {
		p.left--
	}
	return nil
}

func (p *power) store(op memkv.Op) error {
	reads := op.Kind == memkv.OpGet || op.Kind == memkv.OpList || op.Kind == memkv.OpQuery
	switch {
	case p.off:
		return errCut
	case op.After && op.Command.Kind == "audit-begin":
		p.begun = true
		return nil
	case op.After || reads:
		return nil
	}
	return p.effect()
}

// A crash before any of its side effects leaves an operator's action either completely done or not
// done at all, as seen in all reads and mails after the hourly work has made repairs. If it is
// done, it is in the audit log. Repeating the request has the same result as without the crash.
func TestCrash_EveryMutation(t *testing.T) {
	cases := mutations()
	for _, r := range newEdge(t, memory.Options{}).API.Routes() {
		if r.Action == "" {
			continue
		}
		m := cases[r.Action]
		delete(cases, r.Action)
		t.Run(r.Action, func(t *testing.T) {
			t.Parallel()
			if m == nil {
				t.Fatalf("%s is not tested", r.Pattern)
			}
			action := r.Action
			if other, ok := recordedAs[action]; ok {
				action = other
			}
			m.failAtEachEffect(t, action)
		})
	}
	for action := range cases {
		t.Errorf("no route has the action %s", action)
	}
}

func (m mutation) failAtEachEffect(t *testing.T, action string) {
	hide := mask{}
	nothing, all := m.play(t, hide, 0, never), m.play(t, hide, 1, never)
	recorded := func(o outcome) []audit.Event { // newest first, without the setup's events
		return only(o.events, action)[:len(only(o.events, action))-len(only(nothing.events, action))]
	}
	if got := recorded(all); len(got) != 1 || got[0].Status != audit.Done {
		t.Fatalf("events without a crash: %+v", got)
	}
	again := !slices.Contains(notIdempotent, action)
	if diff := diffStates(all.lines, m.play(t, hide, 2, never).lines); again && diff != "" {
		t.Errorf("request sent twice (-once +twice):\n%s", diff)
	}
	moot := slices.Equal(nothing.lines, all.lines) // scheduled work has the same result
	cut, step := 0, 1
	if testing.Short() {
		step = 3
	}
	for ; ; cut += step {
		left := m.play(t, hide, 1, cut)
		if !left.cut {
			break
		}
		happened := !slices.Equal(nothing.lines, left.lines)
		if diff := diffStates(all.lines, left.lines); happened && diff != "" {
			t.Errorf("cut at %d: partly done (-all +got):\n%s\n(-nothing +got):\n%s", cut, diff,
				cmp.Diff(nothing.lines, left.lines))
		}
		got := recorded(left)
		done := len(got) == 1 && got[0].Status == audit.Done
		if left.begun != (len(got) == 1) || happened && !left.begun || !happened && done && !moot {
			t.Errorf("cut at %d: begun = %v, happened = %v, events: %+v", cut, left.begun, happened, got)
		}
		if diff := diffStates(all.lines, m.play(t, hide, 2, cut).lines); again && diff != "" {
			t.Errorf("cut at %d and repeated (-all +got):\n%s", cut, diff)
		}
	}
	if cut < 3 {
		t.Errorf("only %d effects", cut)
	}
	t.Logf("cut at each of %d effects; scheduled work has the same result: %v", cut, moot)
}

// notIdempotent lists actions whose result differs each time: lost recovery codes are generated again,
// and the user is notified again.
var notIdempotent = []string{"passkey.codes"}

// outcome is the final state.
type outcome struct {
	lines  []string // visible state
	events []audit.Event
	sent   int
	begun  bool // the audit log contained the action when the power failed
	cut    bool
}

// play sets up an edge and sends the request the given number of times. The power fails before one
// effect of the first request, and the service restarts with the stored data. Then the scheduled
// work of several hours runs.
func (m mutation) play(t *testing.T, hide mask, times, cut int) (o outcome) {
	t.Helper()
	p := &power{left: never}
	e, do := m(t, memory.Options{Fail: p.store, Outside: p.effect})
	for range times {
		p.left, p.begun = cut, false
		r := do()
		if !p.off && cut == never && (r.Status != 200 && o.sent == 0 || r.Status >= 500) {
			t.Fatalf("status %d: %s", r.Status, r.Body)
		}
		if p.off {
			o.cut, o.begun = true, p.begun
			e.restart()
		}
		p.left, p.off, cut = never, false, never
		o.sent++
	}
	e.runScheduledWork()
	o.lines, o.events = e.visible(hide), e.recorded()
	return o
}

func (e *edge) restart() {
	e.t.Helper()
	draw := e.Services.DrawPage
	if err := e.Restart(); err != nil {
		e.t.Fatal(err)
	}
	e.Services.DrawPage = draw
}

// runScheduledWork advances the clock and runs the scheduled work until an unfinished action counts
// as interrupted.
func (e *edge) runScheduledWork() {
	e.t.Helper()
	ctx := e.t.Context()
	for _, d := range []time.Duration{0, time.Hour, 6 * time.Hour} {
		e.Advance(d)
		e.Deliver(ctx)
		_, hour := e.Services.Cron(ctx)
		settled, minute := e.Settle(ctx), e.Services.Minute(ctx)
		if err := errors.Join(hour, settled, minute); err != nil && !strings.Contains(err.Error(), " held") {
			e.t.Error(err)
		}
	}
}

func (e *edge) recorded() (all []audit.Event) {
	e.t.Helper()
	v, err := e.Services.Audit.Verify(e.t.Context(), audit.Head{})
	if err != nil || v.Broken != "" {
		e.t.Errorf("audit chain is broken: %s %v", v.Broken, err)
	}
	for ev, err := range e.Services.Audit.All(e.t.Context(), audit.Filter{}) {
		if err != nil {
			e.t.Fatal(err)
		}
		all = append(all, ev)
	}
	return all
}

func only(all []audit.Event, action string) []audit.Event {
	return slices.DeleteFunc(slices.Clone(all), func(e audit.Event) bool { return e.Action != action })
}

// excludedReads matches reads about the service itself or without a campaign, and tables that are
// also read as CSV.
var excludedReads = regexp.MustCompile(`^/(healthz|readyz|openapi|admin/(audit|health|observability|cron|plan-usage|content/schema))|xlsx$`)

// visible returns the responses of all reads with full permissions, all mails, and the processor's
// books.
func (e *edge) visible(hide mask) (lines []string) {
	e.t.Helper()
	secrets := map[httpapi.Credential][]string{
		httpapi.AdminSecret: e.admin(), httpapi.SettlementSecret: e.settler(), httpapi.BroadcastSecret: e.admin(),
		httpapi.OperatorKey: key("ada"),
	}
	for i, r := range e.API.Routes() {
		if r.Method != "GET" || excludedReads.MatchString(r.Pattern) || r.Secret == 0 && !r.Public {
			continue
		}
		for _, slug := range []string{game, film} {
			path := strings.Replace(r.Pattern, ":slug", slug, 1)
			if body := e.seen(1<<20+i, path, "surface=blast&lang=en&campaignSlug="+slug, secrets[r.Secret]); body != "" {
				lines = append(lines, hide.volatile(path+" "+body))
			}
		}
	}
	mails, err := e.Mails(context.Background())
	if err != nil {
		e.t.Fatal(err)
	}
	var told []string
	for _, m := range mails {
		told = append(told, hide.volatile(fmt.Sprintf("mail %s to %s: %s", m.Kind, m.To, m.Subject)))
	}
	slices.Sort(told)
	lines = append(lines, told...)
	for _, b := range e.Sim.Entries() {
		lines = append(lines, hide.volatile("charge "+string(asBody(e.t, b))))
	}
	lines = append(lines, e.hidden()...)
	for i, id := range e.orders() {
		lines = append(lines, e.timelineOf(hide, 2<<20+i, id)...)
	}
	return lines
}

// timelineOf returns the timeline of an order, with its events sorted.
func (e *edge) timelineOf(hide mask, from int, of listed) (lines []string) {
	e.t.Helper()
	var known supporters.Timeline
	if err := json.Unmarshal([]byte(e.seen(from, "/admin/supporters/timeline",
		"campaignSlug="+of.slug+"&orderId="+of.id, e.admin())), &known); err != nil {
		e.t.Fatal(err)
	}
	for _, event := range known.Events {
		lines = append(lines, hide.volatile(string(asBody(e.t, event))))
	}
	slices.Sort(lines)
	known.Events = nil
	return append(lines, hide.volatile(string(asBody(e.t, known))))
}

// seen returns the response of a read from a new client, or "" if it is rejected.
func (e *edge) seen(from int, path, query string, secret []string) string {
	e.t.Helper()
	r := e.API.Serve(e.t.Context(), httpapi.Request{Method: "GET", Path: path, RawQuery: query,
		ClientIP: client(from), Header: func(name string) string {
			if len(secret) > 0 && secret[0] == name {
				return secret[1]
			}
			return ""
		}})
	if err := r.Gather(); err != nil {
		e.t.Fatal(err)
	}
	if r.Status != 200 {
		return ""
	}
	return string(r.Body)
}

// hidden describes state that no read returns: the numbers of passkeys and codes, suppressions, and
// the public videos.
func (e *edge) hidden() []string {
	e.t.Helper()
	lines := []string{"a@example.com is suppressed by " + e.stopped(game, "a@example.com")}
	if films, are := e.Services.Films.(fakeStore); are {
		for _, key := range slices.Sorted(maps.Keys(films.files)) {
			if !strings.HasPrefix(key, media.Incoming) {
				lines = append(lines, fmt.Sprintf("%s has %d bytes", key, len(films.files[key])))
			}
		}
	}
	for _, entries := range e.DB.Snapshot().Objects {
		for _, entry := range entries {
			if who, is := strings.CutPrefix(entry.Key, "access/factors/"); is {
				var has struct{ Passkeys, Codes []any }
				if err := json.Unmarshal(entry.Value, &has); err != nil {
					e.t.Fatal(err)
				}
				lines = append(lines, fmt.Sprintf("%s has %d passkeys and %d codes", who, len(has.Passkeys), len(has.Codes)))
			}
		}
	}
	return lines
}

type listed struct{ slug, id string }

// orders returns the orders of both campaigns.
func (e *edge) orders() (all []listed) {
	e.t.Helper()
	for _, slug := range []string{game, film} {
		ids, err := e.Services.Checkout.Inventory.Listed(e.t.Context(), slug, 0, 100)
		if err != nil {
			e.t.Fatal(err)
		}
		for _, id := range ids {
			all = append(all, listed{slug, id})
		}
	}
	return all
}

// volatileValues matches values that depend on the time or the number of attempts:
//
//   - random values, the number of updates of the public totals, and the hashes of the ledger's
//     entries, which contain times,
//   - times of day, because interrupted work continues later the same day,
//   - the progress of background settlement, which scheduled work also advances,
//   - a hold because the processor did not answer, which the answer to another charge releases.
var volatileValues = regexp.MustCompile(`"(id|csrf|settlementLockOwner)":"[\w-]{20,}"|"(before|hash)":"[0-9a-f]{64}"|"version":\d+|"updatedAt":"[^"]*"|"mayStart":(true|false)|\b(pi|ch|re|txn)_\w+|T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)|\d{4}-\d\d-\d\d \d\d:\d\d|,?"(job|settlement)":(null|\{[^}]*\})|` +
	`"held":(null|\{"since":"[^"]*","failed":0,"of":0,"codes":\{\},"unanswered":[^}]*\})`)

// mask removes volatile values. It remembers its results, because most lines are the same in every
// run of a mutation, and the expression takes longer than the read.
type mask map[string]string

func (m mask) volatile(line string) string {
	masked, known := m[line]
	if !known {
		masked = volatileValues.ReplaceAllString(line, "")
		m[line] = masked
	}
	return masked
}

// diffStates returns the differences between two states, "" if there are none.
func diffStates(want, got []string) string {
	if slices.Equal(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// An interrupted action is not resumed if its operator has lost the permission.
func TestCrash_ResumeAfterPermissionLoss(t *testing.T) {
	for name, tt := range map[string]struct {
		then  []access.Permission
		notes int
	}{
		"permitted":       {[]access.Permission{access.Supporters}, 1},
		"permission lost": {[]access.Permission{access.Fulfilment}, 0},
	} {
		p := &power{left: never}
		e := newEdge(t, memory.Options{Fail: p.store})
		s, _ := e.pledge("a@example.com", gameCart(1), cardOK)
		u := access.User{Email: "helper@example.com", Role: access.CampaignUser, Campaigns: []string{game},
			Permissions: []access.Permission{access.Supporters}}
		saved := e.user(u)
		b := e.browser()
		b.signIn(u.Email)
		p.left = 1 // only the record that the action began
		if r := b.ask("POST", "/admin/supporters/note", httpapi.NoteRequest{CampaignSlug: game, OrderID: s.OrderID,
			Text: "At home on Fridays", ChangeID: "1"}); r.Status < 500 {
			t.Fatalf("%s: %d %s", name, r.Status, r.Body)
		}
		p.left, p.off = never, false
		e.restart()
		saved.Permissions = tt.then
		if _, err := e.Services.Access.Save(t.Context(), "", saved); err != nil {
			t.Fatal(err)
		}
		e.runScheduledWork()
		notes := strings.Count(strings.Join(e.timelineOf(mask{}, 1<<20, listed{game, s.OrderID}), "\n"), "At home on Fridays")
		if got := only(e.recorded(), "supporter.note"); notes != tt.notes || len(got) != 1 ||
			(got[0].Status == audit.Done) != (tt.notes == 1) {
			t.Errorf("%s: %d notes, events: %+v", name, notes, got)
		}
	}
}

// Resuming an interrupted action does not clear a provider's suppression, because the provider may
// have reported the address again. It does clear an operator's suppression.
func TestCrash_ResumeSuppressionClearance(t *testing.T) {
	for why, want := range map[suppression.Reason]struct {
		stopped string
		status  audit.Status
	}{
		suppression.Bounced:  {"bounced", audit.Unknown},
		suppression.Operator: {"", audit.Done},
	} {
		p := &power{left: never}
		e := newEdge(t, memory.Options{Fail: p.store})
		b := e.signedIn("ada@example.org", access.SuperAdmin)
		report := func() {
			t.Helper()
			if err := e.Services.Suppressions.Add(t.Context(), suppression.Scope{},
				e.Services.Suppressions.Address("c@example.com"), why); err != nil {
				t.Fatal(err)
			}
		}
		report()
		p.left = 1 // only the record that the action began
		if r := b.change("/clear", httpapi.SuppressionClearance{Email: "c@example.com", Why: why}); r.Status < 500 {
			t.Fatalf("%s: %d %s", why, r.Status, r.Body)
		}
		p.left, p.off = never, false
		e.restart()
		if why == suppression.Bounced {
			report()
		}
		e.runScheduledWork()
		if got := e.stopped("", "c@example.com"); got != want.stopped {
			t.Errorf("%s: address is suppressed by %q", why, got)
		}
		if got := only(e.recorded(), "suppression.clear"); len(got) != 1 || got[0].Status != want.status {
			t.Errorf("%s: events: %+v", why, got)
		}
	}
}
