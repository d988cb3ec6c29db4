package campaign_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func dated(t testing.TB, start, deadline string, more ...string) *campaign.Campaign {
	t.Helper()
	return parse(t, "---\ntitle: A\ngoal_amount: 100\nstart_date: "+start+"\ngoal_deadline: "+deadline+"\n"+strings.Join(
		more, "")+"---\n")
}

func TestState_ChangesAtExactSecond(t *testing.T) {
	zone := denver(t)
	for _, tt := range []struct {
		name, start, deadline string
		opens, closes         string // the first instant of live and of ended
	}{
		{"dates in winter", "2026-11-20", "2026-12-18", "2026-11-20T00:00:00-07:00", "2026-12-19T00:00:00-07:00"},
		{"across the end of daylight saving time", "2026-10-31", "2026-11-01", "2026-10-31T00:00:00-06:00",
			"2026-11-02T00:00:00-07:00"},
		{"across the start of daylight saving time", "2026-03-08", "2026-03-08", "2026-03-08T00:00:00-07:00",
			"2026-03-09T00:00:00-06:00"},
		{"date-times", "2026-11-20 09:30", "2026-11-20T18:00:00", "2026-11-20T09:30:00-07:00", "2026-11-20T18:00:01-07:00"},
		{"start that occurs twice", "2026-11-01 01:30", "2026-11-02", "2026-11-01T01:30:00-06:00",
			"2026-11-03T00:00:00-07:00"},
		{"deadline that occurs twice", "2026-10-01", "2026-11-01 01:30", "2026-10-01T00:00:00-06:00",
			"2026-11-01T01:30:01-07:00"},
		{"skipped start", "2026-03-08 02:30", "2026-03-09", "2026-03-08T03:30:00-06:00", "2026-03-10T00:00:00-06:00"},
		{"with offsets", "2026-11-20T00:00:00Z", "2026-11-21T00:00:00+01:00", "2026-11-19T17:00:00-07:00",
			"2026-11-20T16:00:01-07:00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := dated(t, tt.start, tt.deadline)
			opens, closes := at(t, tt.opens), at(t, tt.closes)
			if !c.StartsAt(zone).Equal(opens) || !c.EndsAt(zone).Equal(closes) {
				t.Fatalf("from %s to %s", c.StartsAt(zone), c.EndsAt(zone))
			}
			for instant, want := range map[time.Time]campaign.State{
				opens.Add(-time.Nanosecond): campaign.Upcoming, opens: campaign.Live,
				closes.Add(-time.Nanosecond): campaign.Live, closes: campaign.Ended,
			} {
				if got := c.State(instant, zone); got != want {
					t.Errorf("state at %s: %s, want %s", instant, got, want)
				}
			}
		})
	}
}

func TestState_ClockChanges(t *testing.T) {
	for _, tt := range []struct{ zone, start, deadline, opens, closes string }{
		// The clock moves from midnight to one, so the day begins at one.
		{"America/Santiago", "2026-09-06", "2026-09-05", "2026-09-06T01:00:00-03:00", "2026-09-06T01:00:00-03:00"},
		// It moves from midnight back to eleven, so the last hour occurs twice.
		{"America/Santiago", "2026-04-04", "2026-04-04", "2026-04-04T00:00:00-03:00", "2026-04-05T00:00:00-04:00"},
		// East of Greenwich, it moves from three back to two.
		{"Europe/Berlin", "2026-10-25 02:30", "2026-10-25 02:30", "2026-10-25T02:30:00+02:00", "2026-10-25T02:30:01+01:00"},
		// It moves from one back to midnight, so the day begins twice.
		{"America/Havana", "2026-11-01", "2026-10-31", "2026-11-01T00:00:00-04:00", "2026-11-01T00:00:00-04:00"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := moment(t, tt.start).Starts(zone); !got.Equal(at(t, tt.opens)) {
			t.Errorf("%s %s starts at %s, want %s", tt.zone, tt.start, got, tt.opens)
		}
		if got := moment(t, tt.deadline).Ends(zone); !got.Equal(at(t, tt.closes)) {
			t.Errorf("%s %s ends at %s, want %s", tt.zone, tt.deadline, got, tt.closes)
		}
	}
}

func moment(t testing.TB, s string) campaign.Moment {
	t.Helper()
	m, err := campaign.ParseMoment(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLabel_Accepts(t *testing.T) {
	zone := denver(t)
	c := dated(t, "2026-11-20", "2026-11-21")
	live, over := at(t, "2026-11-20T12:00:00-07:00"), at(t, "2026-11-22T12:00:00-07:00")
	if c.Funded(9999) || !c.Funded(10000) {
		t.Error("not funded exactly at the goal")
	}
	for _, tt := range []struct {
		now     time.Time
		pledged int64
		want    string
	}{
		{live.AddDate(0, 0, -1), 0, "upcoming"}, {live, 99, "live"}, {live, 100, "funded"}, {over, 100, "ended"},
	} {
		if got := c.Label(tt.now, zone, money.Dollars(tt.pledged)); got != tt.want {
			t.Errorf("label at %s with $%d: %s, want %s", tt.now, tt.pledged, got, tt.want)
		}
	}
	if !c.Accepts(live, zone) || c.Accepts(over, zone) {
		t.Error("Accepts differs from live")
	}
	charged := dated(t, "2026-11-02", "2026-12-18", "charged: true\n")
	if charged.Accepts(at(t, "2026-11-20T12:00:00-07:00"), zone) {
		t.Error("charged campaign accepts pledges")
	}
	for _, dates := range []string{"", "start_date: 2026-11-20\n", "goal_deadline: 2026-11-21\n"} {
		draft := parse(t, "---\ntitle: A\npreview_only: true\n"+dates+"---\n")
		if draft.State(over, zone) != campaign.Upcoming || draft.Funded(100) {
			t.Errorf("campaign without goal and with only %q: state %s, or funded", dates, draft.State(over, zone))
		}
	}
}

// Proves VOT-03.
func TestDecision_StatusFollowsDeadline(t *testing.T) {
	c := dated(t, "2026-11-02", "2026-12-18",
		"decisions: [{title: A, deadline: 2026-11-21, status: closed, options: [B, C]}, {title: D, options: [E, F]}]\n")
	zone := denver(t)
	for instant, want := range map[string]campaign.DecisionStatus{
		"2026-11-21T23:59:59-07:00": campaign.Open, "2026-11-22T00:00:00-07:00": campaign.Closed,
	} {
		if got := c.Decisions[0].Status(at(t, instant), zone); got != want {
			t.Errorf("status at %s: %s, want %s", instant, got, want)
		}
	}
	if c.Decisions[1].Status(at(t, "2030-01-01T00:00:00Z"), zone) != campaign.Open {
		t.Error("decision without a deadline is closed")
	}
	d := c.Decisions[0]
	if !d.Allows("B") || d.Allows("b") || d.Allows("") || d.Allows("E") {
		t.Error("Allows differs from the published options")
	}
}

// Proves VOT-01, VOT-04.
func TestDecision_TypesAndEligibility(t *testing.T) {
	read := func(keys string) (campaign.Decision, error) {
		c, err := campaignfile.Parse("a.md",
			[]byte("---\ntitle: A\npreview_only: true\ndecisions: [{title: A, options: [B, C]"+keys+"}]\n---\n"))
		if err != nil {
			return campaign.Decision{}, err
		}
		return c.Decisions[0], nil
	}
	for _, tt := range []struct {
		keys     string
		kind     campaign.DecisionType
		eligible campaign.Eligibility
	}{
		{"", campaign.Vote, campaign.Supporters},
		{", type: vote, eligible: supporters", campaign.Vote, campaign.Supporters},
		{", type: poll, eligible: charged", campaign.Poll, campaign.Charged},
	} {
		if d, err := read(tt.keys); err != nil || d.Type != tt.kind || d.Eligible != tt.eligible {
			t.Errorf("%q is %+v, %v", tt.keys, d, err)
		}
	}
	for _, bad := range []string{", type: survey", ", eligible: everybody"} {
		if d, err := read(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %+v, %v; want an error", bad, d, err)
		}
	}
}

func TestMomentText(t *testing.T) {
	for _, bad := range []string{"", "2026-02-30", "2026-13-01", "26-01-01", "1969-12-31",
		"2026-11-01 25:00", "2026-11-01T10:00:00.5", "tomorrow", "2026/11/01"} {
		if _, err := campaign.ParseMoment(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v; want an error", bad, err)
		}
	}
	moment(t, "1970-01-01")
	type pair struct{ A, B campaign.Moment }
	in := pair{A: moment(t, "2026-11-01 09:00")}
	b, err := json.Marshal(in)
	if err != nil || !strings.Contains(string(b), `"A":"2026-11-01 09:00","B":""`) {
		t.Fatalf("%s, %v", b, err)
	}
	var out pair
	if err := json.Unmarshal(b, &out); err != nil || !out.A.Equal(in.A) || !out.B.IsZero() {
		t.Errorf("%+v, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"A":"soon"}`), &out); !fault.Is(err, fault.Invalid) {
		t.Errorf("error is %v", err)
	}
}

func parse(t testing.TB, src string) *campaign.Campaign {
	t.Helper()
	c, err := campaignfile.Parse("campaigns/a.md", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func denver(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/Denver")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func at(t testing.TB, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
