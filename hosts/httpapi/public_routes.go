package httpapi

func (a *API) publicRoutes() []Route {
	p := a.services.Projector
	return []Route{
		{
			Method: "GET", Pattern: "/stats/:slug", Tag: "public",
			Summary: "A campaign's totals",
			Rules:   Rules{Public: true, Lifetime: (*API).statsLife},
			Out:     "PublicStats", Errors: []int{404},
			handle: bySlug(p.Stats),
		},
		{
			Method: "GET", Pattern: "/inventory/:slug", Tag: "public",
			Summary: "Remaining stock of a campaign's limited tiers and add-ons",
			Rules:   Rules{Public: true, Lifetime: (*API).stockLife},
			Out:     "Stock", Errors: []int{404},
			handle: bySlug(p.Stock),
		},
		{
			Method: "GET", Pattern: "/live/:slug", Tag: "public",
			Summary: "A campaign's card, totals and stock",
			Rules:   Rules{Public: true, Lifetime: (*API).statsLife},
			Out:     "LiveCampaign", Errors: []int{404},
			handle: bySlug(p.Live),
		},
		{
			Method: "GET", Pattern: "/add-ons/inventory", Tag: "public",
			Summary: "Remaining stock of the platform's add-ons",
			Rules:   Rules{Public: true, Lifetime: (*API).stockLife},
			Out:     "AddOnStock",
			handle:  plain(p.AddOns),
		},
	}
}
