package campaign

import (
	"encoding/json"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// FromSite creates a catalogue from a public site's api/campaigns.json and
// api/add-ons.json. It contains only public campaigns and no report addresses. It fails
// with code Invalid if a document cannot be decoded.
func FromSite(campaigns, addOns []byte) (*Catalogue, error) {
	var listed struct {
		Campaigns []*Campaign `json:"campaigns"`
	}
	if err := json.Unmarshal(campaigns, &listed); err != nil || listed.Campaigns == nil {
		return nil, fault.Wrap(err, fault.Invalid, "The site's campaigns cannot be read").In("campaigns")
	}
	products := PlatformAddOns{Enabled: true}
	if err := json.Unmarshal(addOns, &products); err != nil || products.Products == nil {
		return nil, fault.Wrap(err, fault.Invalid, "The site's add-ons cannot be read").In("products")
	}
	for _, c := range listed.Campaigns {
		if c == nil || c.Slug == "" {
			return nil, fault.New(fault.Invalid, "A campaign of the site has no slug").In("campaigns")
		}
	}
	return NewCatalogue(listed.Campaigns, products)
}
