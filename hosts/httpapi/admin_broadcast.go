package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (a *API) broadcastRoutes() []Route {
	s := a.services
	news := func(pattern, action, summary string) Route {
		return Route{
			Method: "POST", Pattern: pattern, Tag: "mails", Summary: summary,
			Rules: Rules{Secret: BroadcastSecret, Operator: access.Mails, Fresh: true, Action: action, Resumed: true,
				DryRun: true}, In: "NewsRequest", Out: "Broadcasting", Errors: []int{404, 409, 503},
		}
	}
	announcement := news("/admin/broadcast/announcement", "broadcast.announcement",
		"Send an announcement to a campaign's supporters, or count them in a dry run")
	announcement.handle = decoded(s.Announce)
	marketing := news("/admin/marketing/announcement", "marketing.announcement",
		"Send an announcement from the dashboard's marketing page")
	marketing.handle = announcement.handle
	blast := news("/admin/broadcast/blast", "broadcast.blast",
		"Send a message from a campaign's operator, with the hash of its dry run")
	blast.handle = decoded(s.Blast)
	return []Route{
		announcement, marketing, blast,
		{
			Method: "POST", Pattern: "/admin/broadcast/diary", Tag: "mails",
			Summary: "Send a diary entry to a campaign's supporters, once",
			Rules: Rules{Secret: BroadcastSecret, Operator: access.Mails, Fresh: true, Action: "broadcast.diary",
				Resumed: true, DryRun: true}, In: "DiaryRequest", Out: "Broadcasting", Errors: []int{404, 409, 503},
			handle: decoded(s.SendDiary),
		},
		{
			Method: "POST", Pattern: "/admin/milestone-check/:slug", Tag: "mails",
			Summary: "Notify supporters of the highest milestone that their campaign has reached, once",
			Rules: Rules{NoBody: true, Secret: BroadcastSecret, Operator: access.Mails, Fresh: true,
				Action: "broadcast.milestone", Resumed: true}, Out: "Broadcasting", Errors: []int{404, 409, 503},
			handle: bySlug(s.SendMilestone),
		},
		{
			Method: "POST", Pattern: "/admin/broadcast/turn", Tag: "mails",
			Summary: "Pause, resume or stop a broadcast",
			Rules: Rules{Secret: BroadcastSecret, Operator: access.Mails, campaign: a.campaignOfTurn,
				Action: "broadcast.turn"}, In: "TurnRequest", Out: "BroadcastView", Errors: []int{404, 409, 503},
			handle: decoded(s.TurnBroadcast),
		},
		{
			Method: "GET", Pattern: "/admin/broadcast", Tag: "mails",
			Summary: "Status of a broadcast, with the number of recipients by state",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails, campaign: a.campaignOfBroadcast},
			Query:   []Param{{"id", "ID of the broadcast", true}}, Out: "BroadcastView", Errors: []int{400, 404},
			handle: a.broadcastStatus,
		},
	}
}

// campaignOfBroadcast returns the campaign of the broadcast that the query names.
func (a *API) campaignOfBroadcast(ctx context.Context, x *exchange) (string, error) {
	return a.campaignOfID(ctx, x.query().Get("id"))
}

// campaignOfTurn returns the campaign of the broadcast that the request body names.
func (a *API) campaignOfTurn(ctx context.Context, x *exchange) (string, error) {
	var in compose.TurnRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return "", err
	}
	return a.campaignOfID(ctx, in.ID)
}

func (a *API) campaignOfID(ctx context.Context, id string) (string, error) {
	b, err := a.services.Broadcasts.Get(ctx, id)
	return b.Message.Campaign, err
}

func (a *API) broadcastStatus(ctx context.Context, x *exchange) (any, error) {
	id := x.query().Get("id")
	if id == "" {
		return nil, fault.New(fault.Invalid, "Missing id").In("id")
	}
	return a.services.BroadcastStatus(ctx, id)
}
