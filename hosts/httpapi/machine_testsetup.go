package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// TestSetupRequest is the request body of POST /test/setup.
type TestSetupRequest struct {
	Email        string `json:"email"`
	CampaignSlug string `json:"campaignSlug"`
}

// TestSetup is the created pledge with its manage token.
type TestSetup struct {
	Success bool   `json:"success"`
	OrderID string `json:"orderId"`
	Token   string `json:"token"`
}

// testSetup runs a complete checkout: start, save a card, complete.
func (a *API) testSetup(ctx context.Context, in TestSetupRequest) (TestSetup, error) {
	if a.opts.SaveCard == nil {
		return TestSetup{}, fault.New(fault.Unavailable, "Only the simulated processor can save cards for tests")
	}
	email, err := pledge.ParseEmail(in.Email)
	if err != nil {
		return TestSetup{}, err
	}
	cart, err := a.smallCart(in.CampaignSlug)
	if err != nil {
		return TestSetup{}, err
	}
	c := a.services.Checkout
	started, err := c.Start(ctx, checkout.StartRequest{Cart: cart, Email: email})
	if err != nil {
		return TestSetup{}, err
	}
	if err := a.opts.SaveCard(ctx, started.SessionID); err != nil {
		return TestSetup{}, err
	}
	if _, err := c.Complete(ctx,
		checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}); err != nil {
		return TestSetup{}, err
	}
	manage, err := c.Links.Signer.Sign(token.Claims{
		Scope: token.Manage, OrderID: started.OrderID, Email: email, CampaignSlug: in.CampaignSlug,
		Expires: a.now().Add(token.ManageLife),
	})
	return TestSetup{Success: true, OrderID: started.OrderID, Token: manage}, err
}

// smallCart returns the smallest cart that the campaign allows.
func (a *API) smallCart(slug string) (checkout.Cart, error) {
	c, err := a.services.Campaigns().Campaign(slug)
	if err != nil {
		return checkout.Cart{}, err
	}
	cart := checkout.Cart{CampaignSlug: slug}
	if c.Custom.Enabled {
		dollars := int64(max(c.Custom.Min/100, 1))
		cart.Items = []checkout.Item{{ID: slug + "__custom-support", Amount: &dollars}}
		return cart, nil
	}
	for _, t := range c.Tiers {
		if t.Limit == 0 && t.RequiresThreshold == 0 && t.Category != campaign.Physical {
			cart.Items = []checkout.Item{{ID: slug + "__" + t.ID}}
			return cart, nil
		}
	}
	return checkout.Cart{}, fault.New(fault.Conflict, "The campaign has no unrestricted tier").In("campaignSlug")
}
