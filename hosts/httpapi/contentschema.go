//go:build !js

package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// describedRoute is what forms are made from.
func describedRoute() Route {
	return Route{
		Method: "GET", Pattern: "/admin/content/schema", Tag: "content", Summary: "What the fields of a kind of file are: labels, limits, choices, in the order of forms",
		Rules: Rules{Secret: AdminSecret, Operator: access.SignedIn},
		Query: []Param{{"of", "campaign, addon or settings", true}, {"lang", "en or es; English where it is left out", false}},
		Out:   "ContentDescription", Errors: []int{400},
		handle: func(_ context.Context, x *exchange) (any, error) {
			language := x.query().Get("lang")
			if language == "" {
				language = "en"
			}
			d, ok := schema.Described(x.query().Get("of"), language)
			if !ok {
				return nil, fault.New(fault.Invalid, "Ask for campaign, addon or settings, in en or es").In("of")
			}
			return d, nil
		},
	}
}
