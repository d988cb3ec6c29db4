package settlement

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

var update = flag.Bool("update", false, "update the transcripts' output")

// The transcripts in testdata are commands, "----", and their output. They also document how
// settlement behaves.
//
// Proves SET-01, SET-02, SET-07, SET-08, SET-11, SET-12, SET-13, SET-14, SET-15, SET-16, SET-17,
// SET-18, SET-19, SET-20, SET-21, SET-22, SET-23, SET-30, SET-32, SET-33, PLG-47, PLG-48, PLG-49,
// PLG-50, PLG-51, PLG-52, PLG-53, MON-01, MON-03 and KVR-16.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { replay(t, file) })
	}
}

func replay(t *testing.T, file string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w := newFixture(t)
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(string(src)), "\n\n") {
		commands, _, _ := strings.Cut(block, "----")
		out.WriteString(strings.TrimSpace(commands) + "\n")
		var said []string
		for command := range strings.SplitSeq(strings.TrimSpace(commands), "\n") {
			if fields := strings.Fields(command); len(fields) > 0 && fields[0] != "#" {
				said = append(said, w.run(fields)...)
			}
		}
		if len(said) > 0 {
			out.WriteString("----\n" + strings.Join(said, "\n") + "\n")
		}
		out.WriteString("\n")
	}
	got := strings.TrimSpace(out.String()) + "\n"
	if err := w.sim.Check(); err != nil {
		t.Error(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(src), got); diff != "" {
		t.Errorf("%s differs (-recorded +now):\n%s", file, diff)
	}
}

// run executes one line of a transcript.
func (w *fixture) run(f []string) []string {
	w.t.Helper()
	arg := func(i int, other string) string {
		if i < len(f) {
			return f[i]
		}
		return other
	}
	switch f[0] {
	case "pledge": // pledge NAME SLUG CENTS [CARD]
		w.pledge(f[1], f[2], cents(f[3]), arg(4, sim.CardOK))
	case "crowd": // crowd N SLUG CENTS: adds N supporters
		for i := range number(f[1]) {
			w.pledge(fmt.Sprintf("fan%03d", i), f[2], cents(f[3]), sim.CardOK)
		}
	case "cancel": // cancel NAME [NTH]
		w.cancel(f[1], number(arg(2, "1"))-1)
	case "deadline": // deadline [DURATION]: the clock passes it by the duration, or by the margin
		d, err := time.ParseDuration(arg(1, Margin.String()))
		w.ok(err)
		w.deadline()
		w.now = w.now.Add(d - Margin)
	case "advance":
		d, err := time.ParseDuration(f[1])
		w.ok(err)
		w.sendMails()
		w.now = w.now.Add(d)
	case "fault": // fault KIND [FOR]: affects the next charge
		d, err := time.ParseDuration(arg(2, "0s"))
		w.ok(err)
		w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.FaultKind(f[1]), Op: sim.CreateIntent, For: d}))
	case "deaf": // deaf N: the processor does not answer the next N lookups
		w.conn.lookupsLost = number(f[1])
	case "backup":
		w.backup = w.db.Snapshot()
	case "restore": // restore [settlement | order NAME]: restores the database, the film's settlement or an order from the backup
		switch arg(1, "") {
		case "settlement":
			w.db.RestoreObject(kv.Object{Class: state.ClassName, Name: "film"}, w.backup)
		case "order":
			w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: w.pledgesOf[f[2]][0]}, w.backup)
		default:
			w.db.Restore(w.backup)
		}
		w.svc = w.service()
	case "lock":
		_, err := state.Client{Coordinator: w.db.Coordinator(), Slug: f[1]}.Acquire(w.ctx,
			state.LeaseRequest{Owner: "other run"})
		return []string{refusal("locked", err)}
	case "settle":
		return w.settle(f[1], false)
	case "dry-run":
		return w.settle(f[1], true)
	case "dispatch", "batch", "chain":
		return w.batches(f[0], f[1])
	case "new-card": // new-card NAME CARD [NTH]: with the retry that follows
		w.newCard(f[1], f[2], number(arg(3, "1"))-1)
		return []string{refusal("retried", w.svc.RetryCard(w.ctx, "film", email(f[1])))}
	case "card": // card NAME CARD: saved without a retry
		w.newCard(f[1], f[2], 0)
	case "detach": // detach NAME: deletes the card at the processor
		p, err := w.svc.Orders.Pledge(w.ctx, w.pledgesOf[f[1]][0])
		w.ok(err)
		w.ok(w.sim.Detach(p.PaymentMethodID))
	case "delete": // delete NAME: the customer is deleted at the processor
		p, err := w.svc.Orders.Pledge(w.ctx, w.pledgesOf[f[1]][0])
		w.ok(err)
		w.ok(w.sim.DeleteCustomer(p.CustomerID))
	case "approve": // approve NAME: the supporter confirms the payment at the processor
		return []string{refusal("approved", w.sim.Authenticate(w.group(f[1], "film").PaymentIntentID))}
	case "back": // back NAME: returns to the page
		return []string{refusal("looked", w.approved(f[1]))}
	case "hour": // hour [N]: runs the hourly jobs N times
		for range number(arg(1, "1")) {
			w.sendMails()
			w.now = w.now.Add(time.Hour)
			due, err := w.svc.DueCampaigns(w.ctx)
			w.ok(err)
			for _, slug := range due {
				w.batches("chain", slug)
			}
		}
	case "release":
		h, err := w.svc.Release(w.ctx, f[1])
		w.ok(err)
		if h == nil {
			return []string{"nothing is held"}
		}
		return []string{fmt.Sprintf("released: %d of %d had failed", h.Failed, h.Of)}
	case "wrong-key": // wrong-key N: the processor refuses the key in the next N charges
		for range number(f[1]) {
			w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.Decline, Op: sim.CreateIntent, DeclineCode: "account_closed"}))
		}
	case "due":
		due, err := w.svc.DueCampaigns(w.ctx)
		w.ok(err)
		return []string{"due: " + orNone(due)}
	case "show":
		return w.show(f[1], f[2:])
	case "mails":
		return []string{"mails: " + orNone(w.mails())}
	default:
		w.t.Fatalf("no command %q", f[0])
	}
	return nil
}

func (w *fixture) settle(slug string, dry bool) []string {
	r, err := w.svc.Settle(w.ctx, slug, dry)
	if err != nil {
		return []string{refusal("", err)}
	}
	var out []string
	if p := r.Preview; p != nil {
		out = append(out,
			fmt.Sprintf("would charge %d supporters, %d pledges, %s", p.SupporterCount, p.PledgeCount, p.TotalAmount))
		for _, s := range p.Supporters {
			out = append(out, fmt.Sprintf("  %s %s for %d pledges", s.Email, s.TotalAmount, s.PledgeCount))
		}
		sort.Strings(out[1:])
	}
	if p := r.Result; p != nil {
		out = append(out,
			fmt.Sprintf("charged %d supporters, %d pledges, %s; failed %d, pending %d, needs attention %d, errors %d",
				p.SupportersCharged, p.PledgesCharged, p.TotalCharged, p.SupportersFailed, p.Pending, p.NeedsAttention, len(p.Errors)))
	}
	if r.SkippedNoCustomer > 0 {
		out = append(out, fmt.Sprintf("%d pledges without a card that can be charged", r.SkippedNoCustomer))
	}
	for _, d := range r.Skipped {
		out = append(out, fmt.Sprintf("skipped: %d pledges, %s, %s", len(d.OrderIDs), d.Status, d.Reason))
	}
	return out
}

// batches dispatches a job or its next batch, or the whole chain of batches.
func (w *fixture) batches(how, slug string) []string {
	var out []string
	for i := range 5_000 { // more batches than any job has
		step := w.svc.Dispatch
		if how == "batch" || i > 0 {
			step = func(ctx context.Context, slug string) (Progress, error) {
				return w.svc.Batch(ctx, BatchRequest{CampaignSlug: slug})
			}
		}
		p, err := step(w.ctx, slug)
		if err != nil {
			return append(out, refusal("", err))
		}
		b, j := p.BatchResult, p.Progress
		out = append(out,
			fmt.Sprintf("batch %d: visited %d, charged %d, failed %d, skipped %d, pending %d, needs attention %d; so far %d charged, %s",
				j.BatchesCompleted, p.BatchProcessed, b.Charged, b.Failed, b.Skipped, b.Pending, b.NeedsAttention, j.TotalCharged, p.Status))
		if j.StaleResumeCount > 0 {
			out = append(out, fmt.Sprintf("stale resumptions: %d", j.StaleResumeCount))
		}
		if how != "chain" || p.Status != state.JobRunning {
			return out
		}
	}
	w.t.Fatalf("the job does not end: %s", out[len(out)-1])
	return nil
}

// show lists all records of a campaign, or those of the named supporters.
func (w *fixture) show(slug string, names []string) []string {
	if len(names) == 0 {
		names = w.names
	}
	var out []string
	for _, name := range names {
		if g := w.group(name, slug); g != nil {
			out = append(out, describe(name, g))
		}
		for i, id := range w.pledgesOf[name] {
			p, err := w.svc.Orders.Pledge(w.ctx, id)
			if fault.Is(err, fault.NotFound) {
				out = append(out, fmt.Sprintf("pledge %s %d: lost", name, i+1))
				continue
			}
			w.ok(err)
			if p.CampaignSlug == slug {
				out = append(out, fmt.Sprintf("pledge %s %d: %s, %s%s", name, i+1, p.Amount, p.Status, ahead(p)))
			}
		}
		for _, b := range w.sim.Entries() {
			if strings.HasPrefix(b.Group, "settle:"+slug+":"+state.GroupHash(slug, email(name))+":") {
				out = append(out, fmt.Sprintf("processor %s: %s", name, b.Amount))
			}
		}
	}
	return append(out, fmt.Sprintf("charges sent: %d; marker: %s", len(w.conn.charges), w.marker(slug)))
}

// ahead describes the next step for a pledge whose charge failed.
func ahead(p *pledge.Pledge) string {
	r := p.Recovery
	switch {
	case r == nil:
		return ""
	case r.RetryAt != nil:
		return fmt.Sprintf(", %s until %s, dropped %s", r.Lane, r.RetryAt.Format(time.DateTime),
			r.Until.Format(time.DateTime))
	case r.Lane == pledge.Dropped:
		return ", dropped on " + r.Until.Format(time.DateTime)
	}
	return fmt.Sprintf(", %s until %s", r.Lane, r.Until.Format(time.DateTime))
}

func describe(name string, g *state.Group) string {
	s := fmt.Sprintf("group %s: attempt %d %s", name, g.Generation, g.Status)
	if g.Reason != "" {
		s += " (" + g.Reason + ")"
	}
	s += fmt.Sprintf(", %d pledges, %s, sent %d times, processor status %q", len(g.Orders),
		g.Amount, g.Attempts, g.ProcessorStatus)
	if g.Booked {
		s += ", booked"
	}
	return s
}

func (w *fixture) marker(slug string) string {
	at, ok := w.completedAt(slug)
	if !ok {
		return "none"
	}
	return at.Format(time.RFC3339)
}

func refusal(fine string, err error) string {
	if err != nil {
		return "refused: " + err.Error()
	}
	return fine
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func cents(s string) money.Cents { return money.Cents(number(s)) }

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}
