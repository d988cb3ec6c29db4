//go:build !js

package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// describedRoute returns the route from which the dashboard builds its forms.
func describedRoute() Route {
	return Route{
		Method: "GET", Pattern: "/admin/content/schema", Tag: "content", Summary: "Description of the fields of a kind of file for forms: labels, limits and choices",
		Rules: Rules{Secret: AdminSecret, Operator: access.SignedIn},
		Query: []Param{{"of", "campaign, addon or settings", true}, {"lang", "en or es; default en", false}},
		Out:   "ContentDescription", Errors: []int{400},
		handle: func(_ context.Context, x *exchange) (any, error) {
			language := x.query().Get("lang")
			if language == "" {
				language = "en"
			}
			d, ok := schema.Described(x.query().Get("of"), language)
			if !ok {
				return nil, fault.New(fault.Invalid, "Use campaign, addon or settings, and en or es").In("of")
			}
			return d, nil
		},
	}
}
