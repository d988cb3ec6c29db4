package pledge_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func newDisputed(choice pledge.HoldChoice, disputes ...pledge.Dispute) *pledge.Pledge {
	return &pledge.Pledge{Charged: true, FulfillmentType: "physical", HoldChoice: choice, Disputes: disputes,
		Lines: []pledge.Line{{Kind: pledge.TierLine}}}
}

func TestHeld(t *testing.T) {
	open := pledge.Dispute{ID: "a", Status: pledge.DisputeOpen, HoldsParcels: true}
	lost := pledge.Dispute{ID: "b", Status: pledge.DisputeLost, HoldsParcels: true}
	won := pledge.Dispute{ID: "c", Status: pledge.DisputeWon, HoldsParcels: true}
	closed := pledge.Dispute{ID: "d", Status: pledge.DisputeClosed, HoldsParcels: true}
	shipped := pledge.Dispute{ID: "e", Status: pledge.DisputeOpen} // the campaign ships disputed pledges
	for name, tt := range map[string]struct {
		p        *pledge.Pledge
		held     pledge.HoldReason
		disputed pledge.DisputeStatus
	}{
		"no dispute":             {newDisputed(""), "", ""},
		"open":                   {newDisputed("", open), pledge.HeldByDispute, pledge.DisputeOpen},
		"lost":                   {newDisputed("", lost), pledge.HeldByLoss, pledge.DisputeLost},
		"won":                    {newDisputed("", won), "", ""},
		"closed":                 {newDisputed("", closed), "", ""},
		"lost, then open":        {newDisputed("", lost, open), pledge.HeldByDispute, pledge.DisputeOpen},
		"open, then lost":        {newDisputed("", open, lost), pledge.HeldByDispute, pledge.DisputeOpen},
		"campaign ships":         {newDisputed("", shipped), "", pledge.DisputeOpen},
		"held by an operator":    {newDisputed(pledge.HoldParcels, shipped), pledge.HeldByDispute, pledge.DisputeOpen},
		"released":               {newDisputed(pledge.ReleaseParcels, open, lost), "", pledge.DisputeOpen},
		"held, but won":          {newDisputed(pledge.HoldParcels, won), "", ""},
		"lost, campaign ships":   {newDisputed("", pledge.Dispute{Status: pledge.DisputeLost}), "", pledge.DisputeLost},
		"released, then decided": {newDisputed(pledge.ReleaseParcels, lost), "", pledge.DisputeLost},
	} {
		if held := tt.p.Held(); held != tt.held || tt.p.Disputed() != tt.disputed || tt.p.ToShip() != (tt.held == "") {
			t.Errorf("%s: held %q, disputed %q, to ship %t", name, held, tt.p.Disputed(), tt.p.ToShip())
		}
	}
}

// A held parcel is not packed. It can be marked sent if a carrier has it, and moved back.
func TestMarked_Held(t *testing.T) {
	now := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	held := pledge.Dispute{ID: "a", Status: pledge.DisputeOpen, HoldsParcels: true}
	for name, tt := range map[string]struct {
		was    pledge.ParcelStatus
		mark   pledge.Mark
		choice pledge.HoldChoice
		code   fault.Code
	}{
		"packed":                         {pledge.ToPack, pledge.Mark{Status: pledge.Packed}, "", fault.Conflict},
		"sent":                           {pledge.Packed, pledge.Mark{Status: pledge.Sent}, "", fault.Conflict},
		"sent with a tracking number":    {pledge.Packed, pledge.Mark{Status: pledge.Sent, Tracking: "1Z"}, "", ""},
		"correction of a sent parcel":    {pledge.Sent, pledge.Mark{Status: pledge.Sent, SentOn: "2026-11-30"}, "", ""},
		"moved back":                     {pledge.Packed, pledge.Mark{Status: pledge.ToPack}, "", ""},
		"packed after a release":         {pledge.ToPack, pledge.Mark{Status: pledge.Packed}, pledge.ReleaseParcels, ""},
		"packed, and it is packed again": {pledge.Packed, pledge.Mark{Status: pledge.Packed}, "", ""},
	} {
		p := newDisputed(tt.choice, held)
		p.SetParcel(pledge.Parcel{Fulfiller: pledge.ByCampaign, Status: tt.was})
		tt.mark.Fulfiller = pledge.ByCampaign
		if _, _, err := p.Marked(tt.mark, now); fault.CodeOf(err) != tt.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestChooseHold(t *testing.T) {
	open := pledge.Dispute{ID: "a", Status: pledge.DisputeOpen, HoldsParcels: true}
	sent := newDisputed("", open)
	sent.SetParcel(pledge.Parcel{Fulfiller: pledge.ByCampaign, Status: pledge.Sent})
	for name, tt := range map[string]struct {
		p       *pledge.Pledge
		choice  pledge.HoldChoice
		changed bool
		code    fault.Code
	}{
		"release":                  {newDisputed("", open), pledge.ReleaseParcels, true, ""},
		"release twice":            {newDisputed(pledge.ReleaseParcels, open), pledge.ReleaseParcels, false, ""},
		"hold again":               {newDisputed(pledge.ReleaseParcels, open), pledge.HoldParcels, true, ""},
		"hold a held one":          {newDisputed("", open), pledge.HoldParcels, false, ""},
		"hold although others are": {newDisputed("", pledge.Dispute{Status: pledge.DisputeOpen}), pledge.HoldParcels, true, ""},
		"not disputed":             {newDisputed(""), pledge.HoldParcels, false, fault.Conflict},
		"sent":                     {sent, pledge.ReleaseParcels, false, fault.Conflict},
		"unknown":                  {newDisputed("", open), "ship", false, fault.Invalid},
	} {
		if changed, err := tt.p.ChooseHold(tt.choice); changed != tt.changed || fault.CodeOf(err) != tt.code {
			t.Errorf("%s: changed %t, %v", name, changed, err)
		}
	}
}

// An observation is added once. An older one changes nothing, and another dispute ends a release.
func TestSetDispute(t *testing.T) {
	at := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	p := newDisputed("")
	dispute := func(id string, s pledge.DisputeStatus, hour int, holds bool) pledge.Dispute {
		return pledge.Dispute{ID: id, Status: s, At: at.Add(time.Duration(hour) * time.Hour), HoldsParcels: holds}
	}
	for _, tt := range []struct {
		name               string
		d                  pledge.Dispute
		changed, newStatus bool
	}{
		{"opened", dispute("a", pledge.DisputeOpen, 1, true), true, true},
		{"repeated", dispute("a", pledge.DisputeOpen, 2, true), false, false},
		{"campaign ships", dispute("a", pledge.DisputeOpen, 2, false), true, false},
		{"lost", dispute("a", pledge.DisputeLost, 3, true), true, true},
		{"older", dispute("a", pledge.DisputeOpen, 2, true), false, false},
		{"won on appeal", dispute("a", pledge.DisputeWon, 4, true), true, true},
	} {
		if changed, newStatus := p.SetDispute(tt.d); changed != tt.changed || newStatus != tt.newStatus {
			t.Errorf("%s: changed %t, new status %t", tt.name, changed, newStatus)
		}
	}
	p.HoldChoice = pledge.ReleaseParcels
	p.SetDispute(dispute("b", pledge.DisputeOpen, 5, true))
	if p.Held() != pledge.HeldByDispute {
		t.Error("a release of the parcels outlived another dispute")
	}
	want := []pledge.Dispute{dispute("a", pledge.DisputeWon, 4, true), dispute("b", pledge.DisputeOpen, 5, true)}
	if diff := cmp.Diff(want, p.Disputes); diff != "" {
		t.Errorf("disputes (-want +got):\n%s", diff)
	}
}
