package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// catalogueAge is the time after which the catalogue is read again.
const catalogueAge = time.Minute

// catalogue caches the campaigns and add-ons that are read from the public site.
type catalogue struct {
	bridge Bridge
	base   string // the site's origin
	now    func() time.Time
	log    *slog.Logger

	loaded    *campaign.Catalogue
	campaigns string
	addOns    string
	checked   time.Time
}

// current returns the cached catalogue. It must not be called before refresh has succeeded once.
func (c *catalogue) current() *campaign.Catalogue { return c.loaded }

// refresh reads the catalogue from the site if it is older than catalogueAge. If reading fails and
// there is a previous catalogue, refresh keeps it and returns nil.
func (c *catalogue) refresh(ctx context.Context) error {
	if c.loaded != nil && c.now().Sub(c.checked) < catalogueAge {
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
	res, err := fetcher{c.bridge}.Send(ctx, fetch.Request{Method: "GET", URL: c.base + path})
	if err == nil && res.Status != 200 {
		err = fmt.Errorf("site responded with status %d for %s", res.Status, path)
	}
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The site is not available")
	}
	return string(res.Body), nil
}

// fetcher sends HTTP requests with Cloudflare's fetch. It implements fetch.Sender.
type fetcher struct{ bridge Bridge }

// Send implements fetch.Sender.
func (f fetcher) Send(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	in := struct {
		Method string            `json:"method"`
		URL    string            `json:"url"`
		Header map[string]string `json:"header"`
		Body   string            `json:"body,omitempty"`
	}{r.Method, r.URL, r.Header, r.Body}
	var out struct {
		Status int               `json:"status"`
		Header map[string]string `json:"header"` // names in lower case
		Body   string            `json:"body"`
	}
	if err := f.bridge.Call(ctx, opFetch, in, &out); err != nil {
		return fetch.Response{}, errors.New("workers: fetch failed")
	}
	return fetch.Response{Status: out.Status, Body: []byte(out.Body), Header: func(name string) string { return out.Header[strings.ToLower(name)] }}, nil
}
