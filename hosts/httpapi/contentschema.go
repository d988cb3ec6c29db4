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

func descriptionSchemas() node {
	choice := answer(node{"value": text(), "label": text()})
	fields := node{
		"path":  about(text(), "Where it stands, as edits name it; below an entry of a list relative to the entry"),
		"kind":  about(text(), "text, markdown, money, integer, decimal, percent, rate, datetime, month, boolean, choice, choices, integers, emails, email, sender, url, media, color, country, countries, timezone, objects or blocks"),
		"label": text(), "help": text(),
		"required": boolean(), "requiredWhenPublic": about(boolean(), "Campaigns that everybody sees need it"),
		"requiredTogether": about(boolean(), "Needed where another field stands whose path begins alike, as in shipping.weight_oz"),
		"minLength":        integer(), "maxLength": about(integer(), "In characters, or in entries of a list"),
		"min": about(node{"type": "number"}, "Of money in cents; the file has dollars"), "max": node{"type": "number"},
		"step": about(integer(), "What a number goes up by; of money in cents"), "pattern": about(text(), "A regular expression"), "choices": list(choice),
		"default": node{"description": "What holds where nothing is written; of money in cents"}, "unit": text(),
		"promise":   about(boolean(), "Supporters who have pledged rely on it: it takes a reason to change it then"),
		"onlyTypes": about(list(text()), "The values of the entry's type that have it; left out for all"),
		"identity":  about(text(), "The field of an entry that its ID follows from"),
		"fields":    list(ref("ContentField")), "new": node{"description": "How an entry of the list begins"},
	}
	section := answer(node{
		"key": text(), "label": text(),
		"fields": about(list(ref("ContentField")), "None where the section is of something else than the file"),
	})
	return node{
		"ContentField":       answer(fields, without(fields, []string{"path", "kind", "label"})...),
		"ContentDescription": answer(node{"of": text(), "sections": list(section)}),
	}
}
