package site

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// catalogueEntry is a campaign in the public catalogue: the public part of its file and derived
// values.
type catalogueEntry struct {
	*campaign.Campaign
	URL      string    `json:"url"`
	State    string    `json:"state"`
	StartsAt time.Time `json:"startsAt"`
	EndsAt   time.Time `json:"endsAt"`         // first instant after the deadline
	Lang     string    `json:"lang,omitempty"` // of the texts, such as "en"
}

// addCatalogues adds the campaigns and the platform's add-ons as JSON. Values that change every
// minute, such as totals and stock, are not included; the service returns them at /live/{slug}.
func (e *edition) addCatalogues() error {
	campaigns := make([]catalogueEntry, 0, len(e.campaigns))
	for _, c := range e.campaigns {
		campaigns = append(campaigns,
			catalogueEntry{c, e.base() + "/campaigns/" + c.Slug + "/", string(c.State(e.now, e.zone)),
				c.StartsAt(e.zone).UTC(), c.EndsAt(e.zone).UTC(), e.textLanguage(c)})
	}
	addOns := e.addOns
	if addOns == nil {
		addOns = []campaign.AddOn{}
	}
	return errors.Join(
		e.putJSON("api/campaigns.json",
			map[string]any{"currency": money.USD, "timezone": e.zone.String(), "campaigns": campaigns}),
		e.putJSON("api/add-ons.json",
			map[string]any{"currency": money.USD, "lowStockThreshold": e.lowStock, "products": addOns}),
	)
}

func (e *edition) putJSON(p string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return e.tree.put(p, File{Body: text})
}
