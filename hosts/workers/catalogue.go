package workers

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// catalogueAge is how long the catalogue is used before it is read again.
const catalogueAge = time.Minute

// catalogue caches the campaigns and add-ons that are read from the public site.
type catalogue struct {
	site     fetcher
	base     string // the site's origin
	deployed bool   // the site is part of the deployment, so it does not change
	now      func() time.Time
	log      *slog.Logger

	loaded    *campaign.Catalogue
	campaigns string
	addOns    string
	checked   time.Time
}

// refresh reads the catalogue from the site if it may have changed and is older than catalogueAge. If
// reading fails and there is a previous catalogue, refresh keeps it and returns nil.
func (c *catalogue) refresh(ctx context.Context) error {
	if c.loaded != nil && (c.deployed || c.now().Sub(c.checked) < catalogueAge) {
		return nil
	}
	err := c.read(ctx)
	if err == nil || c.loaded != nil {
		c.checked = c.now()
	}
	if err != nil && c.loaded != nil {
		c.log.WarnContext(ctx, "could not load the catalogue, keeping the previous one", "error", err.Error())
		return nil
	}
	return err
}

func (c *catalogue) read(ctx context.Context) error {
	campaigns, err := c.fetch(ctx, "/api/campaigns.json")
	if err != nil {
		return err
	}
	addOns, err := c.fetch(ctx, "/api/add-ons.json")
	if err != nil {
		return err
	}
	if c.loaded != nil && campaigns == c.campaigns && addOns == c.addOns {
		return nil
	}
	loaded, err := campaign.FromSite([]byte(campaigns), []byte(addOns))
	if err != nil {
		return err
	}
	c.loaded, c.campaigns, c.addOns = loaded, campaigns, addOns
	return nil
}

func (c *catalogue) fetch(ctx context.Context, path string) (string, error) {
	res, err := c.site.Send(ctx, fetch.Request{Method: "GET", URL: c.base + path})
	if err == nil && res.Status != 200 {
		err = fmt.Errorf("site responded with status %d for %s", res.Status, path)
	}
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The site is not available")
	}
	return string(res.Body), nil
}
