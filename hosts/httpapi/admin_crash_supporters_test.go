package httpapi_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/fulfilment"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
)

var supporterMutations = map[string]mutation{
	"fulfilment.mark": func(t *testing.T, o memory.Options) (*edge, act) {
		e, ids, _, _ := newEdgeWithParcels(t, 1, o)
		marks := []fulfilment.Mark{{OrderID: ids[0], Status: pledge.Sent, Carrier: "ups", Tracking: "1Z"}}
		return e, e.super().does("/admin/fulfilment/mark",
			httpapi.MarkRequest{CampaignSlug: game, ChangeID: "1", Marks: marks, Notify: true})
	},
	"fulfilment.import": func(t *testing.T, o memory.Options) (*edge, act) {
		e, ids, _, _ := newEdgeWithParcels(t, 1, o)
		return e, e.super().does("/admin/fulfilment/import", httpapi.ImportRequest{CampaignSlug: game, ChangeID: "1",
			CSV: "order,tracking,carrier\n" + ids[0] + ",1Z,UPS\n", Notify: true})
	},
	"supporter.note": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		s, _ := e.pledge("a@example.com", gameCart(1), cardOK)
		return e, e.super().does("/admin/supporters/note",
			httpapi.NoteRequest{CampaignSlug: game, OrderID: s.OrderID, Text: "At home on Fridays", ChangeID: "1"})
	},
	"supporter.address": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		s, _ := e.pledge("a@example.com", gameCart(1), cardOK)
		to := home
		to.Line1 = "2 Other Street"
		return e, e.super().does("/admin/supporters/address", checkout.Readdressing{CampaignSlug: game,
			OrderID: s.OrderID, ShippingAddress: &to, Reason: "Moved house", ChangeID: "3"})
	},
	"parcels.release": func(t *testing.T, o memory.Options) (*edge, act) {
		e, order, _ := disputedEdge(t, o)
		return e, e.super().does("/admin/disputes/"+game+"/parcels", httpapi.HoldRequest{OrderID: order,
			Choice: pledge.ReleaseParcels, Reason: "The supporter withdrew the dispute", ChangeID: "1"})
	},
	"warning.leave": func(t *testing.T, o memory.Options) (*edge, act) {
		e, _, warningID := suspectedEdge(t, o)
		super := e.super()
		e.cron() // the mail about the warning does not depend on the crash
		return e, super.does("/admin/disputes/"+game+"/warning",
			httpapi.WarningRequest{WarningID: warningID, Reason: "A known supporter"})
	},
	"dispute.evidence": func(t *testing.T, o memory.Options) (*edge, act) {
		e, _, disputeID := disputedEdge(t, o)
		return e, e.super().does("/admin/disputes/"+game+"/evidence", httpapi.EvidenceRequest{DisputeID: disputeID})
	},
	"supporter.links": func(t *testing.T, o memory.Options) (*edge, act) {
		e := newEdge(t, o)
		s, _ := e.pledge("a@example.com", gameCart(1), cardOK)
		return e, e.super().does("/admin/supporters/links", httpapi.LinksAgainRequest{CampaignSlug: game, OrderID: s.OrderID})
	},
}
