// Package vote stores supporters' answers to the decisions of a campaign.
//
// The answers and the tallies are in the campaign's object. A supporter has one answer per
// decision, regardless of the number of pledges, and can change it. The caller checks whether the
// decision is open and whether the supporter may vote.
package vote

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// Key returns the key of one supporter's answer, in the votes namespace. It does not expire.
func Key(slug, decision, email string) string { return "vote:" + slug + ":" + decision + ":" + email }

// ResultsKey returns the key of a decision's Tally, in the votes namespace. It does not
// expire.
func ResultsKey(slug, decision string) string { return "results:" + slug + ":" + decision }

// Vote is one supporter's answer to a decision.
type Vote struct {
	Decision string    `json:"decision"`
	Option   string    `json:"option"`
	At       time.Time `json:"at" kv:"id"`
}

// Tally counts the answers to one decision, by option.
type Tally struct {
	Version int64          `json:"version"` // counts the changes
	Options map[string]int `json:"results"`
	Total   int            `json:"totalVotes"`
}

// Result is a decision as shown to one supporter.
type Result struct {
	Choice string `json:"userChoice"` // "" before the first answer
	Tally  Tally  `json:"tally"`
}

// Client sends votes to campaign objects.
type Client struct{ Coordinator kv.Coordinator }

// Cast records a supporter's answer and replaces an earlier one. The nonce, at most 50
// bytes, identifies the request among the supporter's requests.
func (c Client) Cast(ctx context.Context, slug, email, decision, option, nonce string) (Result, error) {
	cmd := cast{Voter: pledge.EmailHash(email), Decision: decision, Option: option}
	id := fmt.Sprintf("vote:%s:%s:%s", cmd.Voter, decision, nonce)
	return kv.Send[Result](ctx, c.Coordinator, objectOf(slug), id, cmd)
}

// Results returns a supporter's answers to the decisions, with the tallies.
func (c Client) Results(ctx context.Context, slug, email string, decisions []string) (map[string]Result, error) {
	return kv.Ask[map[string]Result](ctx, c.Coordinator, objectOf(slug),
		standings{Voter: pledge.EmailHash(email), Decisions: decisions})
}

// Tallies returns the tally of every decision that has votes, by the decision's ID.
func (c Client) Tallies(ctx context.Context, slug string) (map[string]Tally, error) {
	return kv.Ask[map[string]Tally](ctx, c.Coordinator, objectOf(slug), tallies{})
}

func objectOf(slug string) kv.Object { return kv.Object{Class: inventory.ClassName, Name: slug} }

type cast struct {
	Voter    string `json:"voter"`
	Decision string `json:"decision"`
	Option   string `json:"option"`
}

func (cast) Kind() string { return "vote" }

// standings queries a supporter's answers, and the tallies of their decisions.
type standings struct {
	Voter     string   `json:"voter"`
	Decisions []string `json:"decisions"`
}

func (standings) Kind() string { return "standings" }

type tallies struct{}

func (tallies) Kind() string { return "tallies" }

const tallyPrefix = "tally/"

func voteKey(decision, voter string) string { return "vote/" + decision + "/" + voter }

// Register adds the vote commands to the class of campaign objects.
func Register(c *kv.Class) {
	kv.On(c, runCast)
	kv.OnQuery(c, runStandings)
	kv.OnQuery(c, runTallies)
}

func runCast(tx kv.Tx, now time.Time, cmd cast) (Result, error) {
	last, voted, err := kv.Load[Vote](tx, voteKey(cmd.Decision, cmd.Voter))
	if err != nil {
		return Result{}, err
	}
	tally, _, err := kv.Load[Tally](tx, tallyPrefix+cmd.Decision)
	if err != nil {
		return Result{}, err
	}
	if voted && last.Option == cmd.Option {
		return Result{Choice: cmd.Option, Tally: tally}, nil
	}
	tally.replace(last.Option, cmd.Option, voted)
	if err := kv.PutValue(tx, tallyPrefix+cmd.Decision, tally); err != nil {
		return Result{}, err
	}
	v := Vote{Decision: cmd.Decision, Option: cmd.Option, At: now}
	return Result{Choice: cmd.Option, Tally: tally}, kv.PutValue(tx, voteKey(cmd.Decision, cmd.Voter), v)
}

func (t *Tally) replace(last, next string, voted bool) {
	t.Version++
	if t.Options == nil {
		t.Options = map[string]int{}
	}
	if voted {
		t.Options[last]--
	} else {
		t.Total++
	}
	t.Options[next]++
}

func runStandings(tx kv.Tx, _ time.Time, q standings) (map[string]Result, error) {
	out := map[string]Result{}
	for _, d := range q.Decisions {
		v, _, err := kv.Load[Vote](tx, voteKey(d, q.Voter))
		if err != nil {
			return nil, err
		}
		tally, _, err := kv.Load[Tally](tx, tallyPrefix+d)
		if err != nil {
			return nil, err
		}
		out[d] = Result{Choice: v.Option, Tally: tally}
	}
	return out, nil
}

// runTallies returns all tallies at once: their number is limited by the campaign's list of
// decisions.
func runTallies(tx kv.Tx, _ time.Time, _ tallies) (map[string]Tally, error) {
	entries, err := tx.List(tallyPrefix, "", 1000)
	if err != nil {
		return nil, err
	}
	out := make(map[string]Tally, len(entries))
	for _, e := range entries {
		t, err := kv.Decode[Tally](e.Key, e.Value)
		if err != nil {
			return nil, err
		}
		out[strings.TrimPrefix(e.Key, tallyPrefix)] = t
	}
	return out, nil
}
