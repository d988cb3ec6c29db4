package compose

import (
	"fmt"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax/flat"
)

// choose fills in what the configuration decides and the host has not brought.
func (d *Deps) choose() error {
	if d.Tax == nil {
		if d.Config.Tax.Provider != config.TaxFlat {
			return fmt.Errorf("compose: the tax provider %s is not built in: hand it over as Deps.Tax, or set TAX_PROVIDER to %s",
				d.Config.Tax.Provider, config.TaxFlat)
		}
		d.Tax = flat.Provider{Rate: d.Config.Pricing.SalesTaxRate}
	}
	if d.Shipping == nil {
		d.Shipping = shipping.Flat{
			Rate:          d.Config.Shipping.FallbackFlatRate,
			FreeByDefault: d.Config.Shipping.FreeByDefault,
			OriginCountry: string(d.Config.Shipping.OriginCountry),
		}
	}
	return nil
}
