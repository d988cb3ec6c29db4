package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// Answers are the answers to a campaign's decisions so far, in the order of the file.
type Answers struct {
	Decisions []DecisionAnswers `json:"decisions"`
}

// DecisionAnswers counts the answers to one decision.
type DecisionAnswers struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Total is how many supporters have answered, and Options how many chose each answer.
	Total   int            `json:"total"`
	Options map[string]int `json:"options"`
}

func (a *API) answersRoute() Route {
	return Route{
		Method: "GET", Pattern: "/admin/campaigns/answers/:slug", Tag: "content",
		Summary: "Answers to a campaign's decisions so far, open ones included",
		Rules:   Rules{Secret: AdminSecret, Operator: access.Content},
		Out:     "Answers", Errors: []int{404},
		handle: a.answers,
	}
}

// answers reads the tallies of all decisions from the campaign's object in one request.
func (a *API) answers(ctx context.Context, x *exchange) (any, error) {
	c, err := a.services.Campaigns().Campaign(x.param)
	if err != nil {
		return nil, err
	}
	tallies, err := vote.Client{Coordinator: a.services.Coordinator}.Tallies(ctx, c.Slug)
	if err != nil {
		return nil, err
	}
	out := Answers{Decisions: []DecisionAnswers{}}
	for _, d := range c.Decisions {
		counts := map[string]int{}
		for _, o := range d.Options {
			counts[o.Label] = tallies[d.ID].Options[o.Label]
		}
		out.Decisions = append(out.Decisions, DecisionAnswers{d.ID, d.Title, tallies[d.ID].Total, counts})
	}
	return out, nil
}
