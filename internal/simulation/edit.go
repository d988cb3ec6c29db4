package simulation

import (
	"strings"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// edit is a change of the campaigns' files that breaks what was promised, until it is
// taken back.
type edit struct {
	happens bool
	lower   bool          // the goals, else the deadlines come a day earlier
	at      time.Duration // from the deadline
	back    time.Duration // how long it stays
	// claiming has it happen, after that time, when a pledge is claimed for another attempt,
	// over which the servers die.
	claiming bool
}

func (s *scenario) drawEdit() edit {
	e := edit{happens: s.oneIn(6), lower: s.oneIn(2), at: time.Duration(s.Int64N(int64(2 * time.Hour))), back: time.Duration(1+s.IntN(20)) * time.Hour}
	switch late := s.oneIn(2); {
	case late: // when charges are tried again
		e.lower, e.at = false, e.at+time.Duration(2+s.IntN(26))*time.Hour
	case !e.lower: // to have ended before the time
		e.at -= 20 * time.Hour
	}
	return e
}

// overClaim is an edit that holds what a pledge was claimed for until its grace is over.
func (s *scenario) overClaim() edit {
	return edit{happens: true, claiming: true, at: 2 * time.Hour, back: time.Duration(26+s.IntN(4)) * time.Hour}
}

func (w *world) edits() {
	if w.scenario.edit.claiming {
		w.unfinished = "game"
		w.awaits(&w.claiming)
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
		text := string(files[name].Data)
		if w.scenario.edit.lower {
			text = strings.Replace(text, "goal_amount: ", "goal_amount: 1 # ", 1)
		} else {
			text = strings.Replace(text, "goal_deadline: 2026-10-31", "goal_deadline: 2026-10-30", 1)
		}
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	edited, err := campaignfile.Load(files)
	if err != nil {
		panic(err)
	}
	w.note("fault: %s", w.befall("the campaigns' files are edited"))
	w.published, w.edited = edited, w.now
	w.pause(w.scenario.edit.back)
	w.note("the campaigns' files are as they were")
	w.published, w.edited = w.catalogue, time.Time{}
}

// longestStall is more than any process stands still that does not sleep.
const longestStall = 3 * time.Hour

// asPromised: S3, while a campaign's file has another deadline than its supporters were
// promised, nobody begins to charge them, whether or not others were charged before. Who has
// begun, or has looked at the file just before, goes on.
func (a *watch) asPromised(g settlement.Group) {
	if a.w.edited.IsZero() || a.w.scenario.edit.lower {
		return
	}
	if began := a.termFrom[g.CampaignSlug]; began.After(a.w.edited.Add(longestStall)) {
		a.violated("S3", "%s is charged by a run that began at %s, and the deadline was moved at %s", g.Key, began, a.w.edited)
	}
}
