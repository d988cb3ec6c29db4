package simulation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// edit is a change of the campaign files that may break promises. It is reverted,
// or accepted by an operator.
type edit struct {
	happens bool
	lower   bool          // lowers the goals; otherwise deadlines are a day earlier
	at      time.Duration // relative to the deadline
	back    time.Duration // until it is reverted
	// claiming delays the edit further, until a pledge is claimed for another attempt. Both
	// servers then crash.
	claiming bool
	revision
}

// revision is an edit of one campaign's file, or of all.
type revision struct {
	kind revisionKind // 0 for the older kinds of edits
	slug string       // "" for all campaigns
	days int          // days by which the deadline moves
	// keeps makes the edit permanent: an operator accepts it.
	keeps bool
}

type revisionKind int

const (
	laterDeadline revisionKind = 1 + iota
	earlierDeadline
	higherGoal
	lowerGoal
	missingFile
	renamedFile
)

func (s *scenario) drawEdit() edit {
	e := edit{happens: s.oneIn(6), lower: s.oneIn(2), at: time.Duration(s.Int64N(int64(2 * time.Hour))),
		back: time.Duration(1+s.IntN(20)) * time.Hour}
	switch late := s.oneIn(2); {
	case late: // around the retries of charges
		e.lower, e.at = false, e.at+time.Duration(2+s.IntN(26))*time.Hour
	case !e.lower: // before the original deadline
		e.at -= 20 * time.Hour
	}
	return e
}

// editDuringClaim returns an edit that blocks a claimed pledge's charge until its
// grace period is over.
func (s *scenario) editDuringClaim() edit {
	return edit{happens: true, claiming: true, at: 2 * time.Hour, back: time.Duration(26+s.IntN(4)) * time.Hour}
}

// drawRevision draws an edit of the newer kinds. Most happen around the deadline.
func (s *scenario) drawRevision() edit {
	e := edit{happens: true, at: time.Duration(s.Int64N(int64(40*time.Hour))) - 20*time.Hour,
		back: time.Duration(1+s.IntN(24)) * time.Hour}
	e.revision = revision{
		kind: pick(s, laterDeadline, laterDeadline, earlierDeadline, higherGoal, lowerGoal, missingFile, renamedFile),
		slug: pick(s, "", "film", "game"), days: 1 + s.IntN(20), keeps: s.oneIn(3),
	}
	if s.long() && s.oneIn(2) {
		e.at, e.back = e.at+time.Duration(s.IntN(10*24))*time.Hour, time.Duration(1+s.IntN(20*24))*time.Hour
	}
	switch e.kind {
	case earlierDeadline:
		e.days = 1 + e.days%3
	case missingFile, renamedFile:
		e.keeps = false
	case laterDeadline, higherGoal, lowerGoal:
	}
	if e.keeps && !s.long() { // so that settlement completes in time
		e.days, e.at = 1, min(e.at, 4*time.Hour)
	}
	return e
}

func (e edit) affects(slug string) bool { return e.slug == "" || e.slug == slug }

// apply applies the edit to a campaign's file. ok is false if the edit removes the file.
func (e edit) apply(text string) (edited string, ok bool) {
	const day = "2026-10-31"
	moved := func(days int) string {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			panic(err)
		}
		return strings.Replace(text, "goal_deadline: "+day, "goal_deadline: "+at.AddDate(0, 0, days).Format(time.DateOnly), 1)
	}
	switch {
	case e.kind == laterDeadline:
		return moved(e.days), true
	case e.kind == earlierDeadline:
		return moved(-e.days), true
	case e.kind == higherGoal && strings.Contains(text, "goal_amount: 900000"):
		return text, true // the maximum goal
	case e.kind == higherGoal:
		return strings.Replace(text, "goal_amount: ", "goal_amount: 1", 1), true
	case e.kind == missingFile:
		return "", false
	case e.kind == renamedFile:
		return strings.Replace(text, "\nslug: ", "\nslug: the-", 1), true
	case e.kind == lowerGoal, e.lower:
		return strings.Replace(text, "goal_amount: ", "goal_amount: 1 # ", 1), true
	default:
		return moved(-1), true
	}
}

func (w *history) editFiles() {
	e := w.scenario.edit
	if e.claiming {
		w.unfinished = "game"
		w.waitFor(&w.claiming)
		if !w.strikes(w.now, 1000) {
			return
		}
		for _, s := range w.servers {
			w.crash(s)
		}
	}
	files := w.scenario.contents()
	for _, slug := range slugs {
		name := "campaigns/" + slug + ".md"
		text, ok := e.apply(string(files[name].Data))
		switch {
		case !e.affects(slug):
		case !ok:
			delete(files, name)
		case e.kind == renamedFile:
			delete(files, name)
			files["campaigns/the-"+slug+".md"] = &fstest.MapFile{Data: []byte(text)}
		default:
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	edited, err := campaignfile.Load(files)
	if err != nil {
		panic(err)
	}
	if e.kind != 0 && !w.strikes(w.now, 1000) {
		return
	}
	w.note("fault: %s", w.recordFault("the campaigns' files are edited"))
	w.publish(edited)
	w.pause(e.back)
	if e.keeps {
		w.note("the edit stays")
		w.catalogue = edited
	} else {
		w.note("the campaigns' files are as they were")
		w.publish(w.catalogue)
	}
	if e.kind != 0 {
		w.acceptTerms()
	}
}

// acceptTerms simulates an operator who accepts the terms in the current files, although some
// pledges were promised different ones.
func (w *history) acceptTerms() {
	for w.now.Before(w.rest.Add(-operatorCutoff)) {
		w.pause(w.slow(time.Duration(10+w.rng.IntN(200)) * time.Minute))
		for _, slug := range slugs {
			w.asSettler("/admin/settle-accept",
				map[string]any{"campaignSlug": slug, "reason": "Corrected, or agreed with all supporters."})
		}
	}
}

// asSettler makes a request with the settlement secret and reports whether it succeeded.
func (w *history) asSettler(path string, body any) bool {
	address := fmt.Sprintf("10.0.%d.%d", w.requests/250%250, w.requests%250)
	return w.call(address, "POST", path, body, nil, 1, "Authorization",
		"Bearer "+w.config.Secrets.AdminSettlement.Reveal())
}

// publication is a catalogue that servers use for a period.
type publication struct {
	catalogue   *campaign.Catalogue
	since, till time.Time // till is zero for the current one
}

// publish replaces the catalogue that servers read.
func (w *history) publish(c *campaign.Catalogue) {
	if n := len(w.publications); n > 0 {
		w.publications[n-1].till = w.now
	}
	w.published = c
	w.publications = append(w.publications, publication{catalogue: c, since: w.now})
}

// maxStall exceeds the longest stall of a process in most histories.
const maxStall = 3 * time.Hour

// maxSleep exceeds the longest stall in histories with the biases sleeps, overtaken and edge.
const maxSleep = 41 * time.Hour

// recentFiles returns the recently published versions of a campaign's file.
func (w *history) recentFiles(slug string) (all []*campaign.Campaign) {
	for _, p := range w.recentPublications(w.now) {
		if c, err := p.catalogue.Campaign(slug); err == nil {
			all = append(all, c)
		}
	}
	return all
}

// recentPublications returns the catalogues that a process may have used at a
// time or later, even if it stalled.
func (w *history) recentPublications(now time.Time) (all []publication) {
	still := maxStall
	if w.scenario.sleeps || w.scenario.overtaken || w.scenario.edge {
		still = maxSleep
	}
	for _, p := range w.publications {
		if p.till.IsZero() || !p.till.Before(now.Add(-still)) {
			all = append(all, p)
		}
	}
	return all
}

func (w *history) endsAt(c *campaign.Campaign) time.Time {
	return c.EndsAt(w.config.Site.Timezone.Location())
}

// latestEnd returns a campaign's latest deadline in the publications of a time or later. If
// the file is missing in one of them, changes are not limited, and it returns the end of the
// history.
func (w *history) latestEnd(slug string, now time.Time) (last time.Time) {
	for _, p := range w.recentPublications(now) {
		c, err := p.catalogue.Campaign(slug)
		if err != nil {
			return w.end
		}
		if at := w.endsAt(c); at.After(last) {
			last = at
		}
	}
	return last
}

// recordAcceptedTerms records the terms that an operator accepted.
func (a *checker) recordAcceptedTerms(op memkv.Op) {
	var cmd struct{ Promise inventory.Promise }
	if op.Reply.Refused == nil && json.Unmarshal(op.Command.Body, &cmd) == nil {
		a.accepted[op.Object.Name] = append(a.accepted[op.Object.Name], cmd.Promise)
	}
}

// meetsTerms reports whether a pledge may be charged now: the deadline of its promise, or of terms
// that an operator accepted, is over, and counted reaches their goal.
func (a *checker) meetsTerms(p *pledge.Pledge, counted money.Cents) bool {
	keeps := func(t inventory.Promise) bool { return !a.w.now.Before(t.EndsAt) && counted >= t.Goal }
	return keeps(inventory.Promise{EndsAt: p.Promise.EndsAt, Goal: p.Promise.Goal}) ||
		slices.ContainsFunc(a.accepted[p.CampaignSlug], keeps)
}

// isOver reports whether a pledge's deadline has passed, or one that an operator accepted. Unlike
// meetsTerms, it does not depend on the pledges: a restore may lose some after charging has begun.
func (a *checker) isOver(p *pledge.Pledge) bool {
	return !a.w.now.Before(p.Promise.EndsAt) || slices.ContainsFunc(a.accepted[p.CampaignSlug],
		func(t inventory.Promise) bool { return !a.w.now.Before(t.EndsAt) })
}

// checkPromise checks S3: no run starts charging a campaign's supporters while
// its file is missing or has a deadline other than the promised one, even if
// others were charged before. A run that started earlier, or read the file just
// before, continues.
func (a *checker) checkPromise(g state.Group) {
	now := a.w.publications[len(a.w.publications)-1]
	began := a.termFrom[g.CampaignSlug]
	if !began.After(now.since.Add(maxStall)) {
		return
	}
	c, err := now.catalogue.Campaign(g.CampaignSlug)
	if err != nil {
		a.reportViolation("S3", "%s is charged by a run that began at %s, and its file is missing since %s",
			g.Key, began, now.since)
		return
	}
	ends := a.w.endsAt(c)
	accepted := slices.ContainsFunc(a.accepted[g.CampaignSlug],
		func(t inventory.Promise) bool { return t.EndsAt.Equal(ends) && t.Goal == c.Goal })
	for _, o := range g.Orders {
		p := a.pledge(o.ID)
		if p != nil && !p.Promise.EndsAt.Equal(ends) && !accepted {
			a.reportViolation("S3", "%s is charged by a run that began at %s, and the deadline was moved at %s",
				g.Key, began, now.since)
		}
	}
}
