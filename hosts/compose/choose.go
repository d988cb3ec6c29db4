package compose

import (
	"errors"
	"fmt"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax/flat"
	"github.com/pledgeworks/pledgeworks/tax/local"
	"github.com/pledgeworks/pledgeworks/tax/nmgrt"
	"github.com/pledgeworks/pledgeworks/tax/offline"
)

// choose sets the providers that the host did not supply, according to the configuration.
func (d *Deps) choose() error {
	if d.Tax == nil {
		if err := d.chooseTax(); err != nil {
			return err
		}
	}
	if d.Shipping == nil {
		return d.chooseShipping()
	}
	return nil
}

// chooseShipping sets the shipping rules of the configuration. It fails if a carrier is enabled
// but missing, or if a campaign uses an unknown preset.
func (d *Deps) chooseShipping() error {
	c := d.Config.Shipping
	if d.Config.Carrier.Enabled && d.Carrier == nil {
		return errors.New("compose: CARRIER_ENABLED needs Deps.Carrier")
	}
	d.Shipping = shipping.Rules{
		FlatRate: c.FallbackFlatRate, FreeByDefault: c.FreeByDefault, OriginCountry: string(c.OriginCountry),
		Excluded: c.Excluded.List(), DefaultOption: c.DefaultOption, Carrier: d.Carrier,
	}
	return d.Campaigns().Validate(shipping.PresetNames())
}

func (d *Deps) chooseTax() error {
	c := d.Config
	if c.Tax.Provider == config.TaxFlat {
		d.Tax = flat.Provider{Rate: c.Pricing.SalesTaxRate}
		return nil
	}
	places := c.Tax.Collect.List()
	if len(places) == 0 {
		places = []string{offline.Origin(string(c.Tax.OriginCountry), c.Shipping.OriginZIP, c.Tax.UseRegionalOrigin)}
	}
	rules, err := offline.New(places)
	if err != nil {
		return fmt.Errorf("compose: TAX_COLLECT: %w", err)
	}
	switch c.Tax.Provider {
	case config.TaxRules:
		d.Tax = rules
	case config.TaxNMGRT:
		d.Tax = &nmgrt.Provider{Outside: rules, Lookup: d.TaxLookup, Base: c.Tax.NMGRTBaseRate}
	default:
		if d.TaxLookup == nil {
			return fmt.Errorf("compose: the tax provider %s needs Deps.TaxLookup", c.Tax.Provider)
		}
		d.Tax = &local.Provider{Lookup: d.TaxLookup, Outside: rules, Collects: rules.Collects}
	}
	return nil
}
