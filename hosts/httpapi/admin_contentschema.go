package httpapi

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/schema"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// describedRoute returns the route from which the dashboard builds its forms.
func (a *API) describedRoute() Route {
	return Route{
		Method: "GET", Pattern: "/admin/content/schema", Tag: "content",
		Summary: "Description of the fields of a kind of file for forms: labels, controls, limits, locks and the defaults in force",
		Rules:   Rules{Secret: AdminSecret, Operator: access.SignedIn},
		Query:   []Param{{"of", "campaign, addon or settings", true}, {"lang", "en or es; default en", false}},
		Out:     "ContentDescription", Errors: []int{400},
		handle: func(_ context.Context, x *exchange) (any, error) {
			language := x.query().Get("lang")
			if language == "" {
				language = "en"
			}
			d, ok := schema.DescribedWith(x.query().Get("of"), language, a.settingValue)
			if !ok {
				return nil, fault.New(fault.Invalid, "Use campaign, addon or settings, and en or es").In("of")
			}
			return d, nil
		},
	}
}

// settingValue returns a site setting's current value, as text.
func (a *API) settingValue(key string) string {
	all := config.Settings()
	i := slices.IndexFunc(all, func(s config.Setting) bool { return s.SiteKey == key && !s.Secret })
	if i < 0 {
		return ""
	}
	return a.services.Config.Redacted()[i].Value
}
