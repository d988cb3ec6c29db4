package httpapi

import "github.com/pledgeworks/pledgeworks/admin/access"

func (a *API) adminRoutes() []Route {
	s, c := a.services.Settlement, a.services.Checkout
	return []Route{
		{
			Method: "POST", Pattern: "/stats/:slug/check", Tag: "operations",
			Summary: "Compare a campaign's projections with its objects",
			Rules:   Rules{NoBody: true, Reads: true, Secret: AdminSecret, Operator: access.Platform},
			Out:     "CheckedCampaign", Errors: []int{404},
			handle: bySlug(a.checkCampaign),
		},
		{
			Method: "GET", Pattern: "/admin/settlement/:slug", Tag: "settlement",
			Personal: []Whose{Operators},
			Summary:  "Status of a campaign's settlement: progress, pending work and holds",
			Rules:    Rules{Secret: SettlementSecret, Operator: access.Platform},
			Out:      "Standing", Errors: []int{404},
			handle: bySlug(s.Status),
		},
		{
			Method: "GET", Pattern: "/admin/settlement/:slug/failures", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Declined charges that can still be recovered, in pages",
			Rules:    Rules{Secret: SettlementSecret, Operator: access.Platform},
			Query:    []Param{{"cursor", "The next value of the previous page", false}},
			Out:      "Failures", Errors: []int{400, 404},
			handle: a.failures,
		},
		{
			Method: "POST", Pattern: "/admin/settlement/:slug/remind", Tag: "settlement",
			Summary: "Email supporters with a failed charge once more, once for each failed attempt: the supporter of an order, or those of a page, or count them in a dry run",
			Rules:   Rules{Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.remind", Resumed: true, DryRun: true},
			In:      "RemindRequest", Out: "Reminded", Errors: []int{404, 409},
			handle: a.remind,
		},
		{
			Method: "POST", Pattern: "/admin/settle-dispatch/:slug", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Start settling a campaign in batches",
			Rules:    Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.dispatch"},
			Out:      "Progress", Errors: []int{404, 409},
			handle: a.dispatch,
		},
		{
			Method: "POST", Pattern: "/admin/settle-batch", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Settle a campaign's next batch",
			Rules:    Rules{Secret: SettlementSecret, Operator: access.Platform, Fresh: true},
			In:       "BatchRequest", Out: "Progress", Errors: []int{404, 409},
			handle: decoded(s.Batch),
		},
		{
			Method: "POST", Pattern: "/admin/settle/:slug", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Settle a small campaign at once, or preview it in a dry run",
			Rules:    Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.run", DryRun: true},
			In:       "SettleRequest", Out: "SettleReport", Errors: []int{404, 409},
			handle: a.settle,
		},
		{
			Method: "POST", Pattern: "/admin/settle-pause/:slug", Tag: "settlement",
			Summary: "Pause the charges of one campaign until its settlement is released",
			Rules:   Rules{Secret: SettlementSecret, Operator: access.Platform, Action: "settlement.pause"},
			In:      "PauseRequest", Out: "Paused", Errors: []int{404, 409},
			handle: a.pause,
		},
		{
			Method: "POST", Pattern: "/admin/settle-release/:slug", Tag: "settlement",
			Summary: "Release a settlement that was held because too many charges failed, or that an operator paused",
			Rules:   Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.release"},
			Out:     "Released", Errors: []int{404},
			handle: bySlug(a.release),
		},
		{
			Method: "POST", Pattern: "/admin/settle-accept", Tag: "settlement",
			Summary: "Accept a campaign file that breaks promises to supporters, and release the settlement that it holds",
			Rules:   Rules{Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.accept"},
			In:      "AcceptRequest", Out: "Accepted", Errors: []int{404},
			handle: decoded(a.acceptTerms),
		},
		{
			Method: "POST", Pattern: "/admin/settle-stop", Tag: "settlement",
			Summary: "Stop all charges, including manual settlements and retries with new cards",
			Rules:   Rules{Secret: SettlementSecret, Operator: access.Platform, Action: "settlement.stop"},
			In:      "StopRequest", Out: "Stopped",
			handle: decoded(a.stopCharging),
		},
		{
			Method: "POST", Pattern: "/admin/settle-resume", Tag: "settlement",
			Summary: "Resume charging after a stop",
			Rules:   Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.resume"},
			In:      "ResumeRequest", Out: "Stopped", Errors: []int{409, 503},
			handle: a.resumeCharging,
		},
		{
			Method: "POST", Pattern: "/admin/recover-checkout", Tag: "operations",
			Summary: "Complete a checkout whose webhook was missed",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Action: "checkout.recover"},
			In:      "RecoverRequest", Out: "Completed", Errors: []int{404, 409, 410},
			handle: decoded(c.Recover),
		},
		{
			Method: "POST", Pattern: "/admin/projections/check", Tag: "operations",
			Summary: "Compare every campaign's projections with its objects",
			Rules:   Rules{NoBody: true, Reads: true, Secret: AdminSecret, Operator: access.Platform},
			Out:     "CheckedAll",
			handle:  plain(a.checkAll),
		},
		{
			Method: "POST", Pattern: "/admin/projections/rebuild", Tag: "operations",
			Summary: "Rebuild the projections of one campaign or all from the objects, and restore pledges missing from a campaign's object",
			Rules:   Rules{NoBody: true, Secret: AdminSecret, Operator: access.Platform, Action: "projections.rebuild"},
			In:      "RebuildRequest", Out: "RebuiltAll", Errors: []int{404},
			handle: a.rebuild,
		},
		{
			Method: "GET", Pattern: "/admin/cron/status", Tag: "operations",
			Summary: "Time of the last hourly run",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
			Out:     "CronStatus",
			handle:  plain(a.cronStatus),
		},
	}
}
