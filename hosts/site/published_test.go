package site_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// campaign.FromSite reads the catalogue from the site's JSON files without losing anything that
// pledges depend on.
func TestSite_Catalogue(t *testing.T) {
	files := os.DirFS("../../examples/site")
	want, err := campaignfile.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	tree := build(t, files, time.Date(2026, time.November, 21, 1, 0, 0, 0, time.UTC))
	campaigns, addOns := []byte(text(t, tree, "api/campaigns.json")), []byte(text(t, tree, "api/add-ons.json"))
	got, err := campaign.FromSite(campaigns, addOns)
	if err != nil {
		t.Fatal(err)
	}
	var public []*campaign.Campaign
	for _, c := range want.Campaigns() {
		if c.Public() {
			public = append(public, c)
		}
	}
	private := cmpopts.IgnoreFields(campaign.Campaign{}, "ReportEmails", "ReportExcluded",
		"PreviewEnabled", "File", "Lines", "Warnings", "References")
	if d := cmp.Diff(public, got.Campaigns(), private, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("campaigns (-content +site)\n%s", d)
	}
	if d := cmp.Diff(want.AddOns(), got.AddOns(), cmpopts.EquateEmpty()); d != "" || got.LowStock() != want.LowStock() {
		t.Errorf("add-ons (-content +site)\n%s", d)
	}
	for name, in := range map[string][2]string{
		"HTML page":       {"<html>", string(addOns)},
		"empty object":    {"{}", string(addOns)},
		"missing slug":    {`{"campaigns":[{}]}`, string(addOns)},
		"missing add-ons": {string(campaigns), "{}"},
	} {
		if _, err := campaign.FromSite([]byte(in[0]), []byte(in[1])); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
