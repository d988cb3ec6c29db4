package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// catalogueAge is how old the catalogue may be.
const catalogueAge = time.Minute

// catalogue is what is for sale, read from the public site.
type catalogue struct {
	bridge Bridge
	base   string // the site's origin
	now    func() time.Time
	log    *slog.Logger

	is        *campaign.Catalogue
	campaigns string
	addOns    string
	checked   time.Time
}

// current is the catalogue as it was last read. Nobody asks before refresh has
// succeeded once.
func (c *catalogue) current() *campaign.Catalogue { return c.is }

// refresh reads the site again when that is due. A site that does not answer, or
// publishes what cannot be read, leaves the catalogue as it was, where there is one.
func (c *catalogue) refresh(ctx context.Context) error {
	if c.is != nil && c.now().Sub(c.checked) < catalogueAge {
		return nil
	}
	err := c.read(ctx)
	if err == nil || c.is != nil {
		c.checked = c.now()
	}
	if err != nil && c.is != nil {
		c.log.WarnContext(ctx, "the site's catalogue is not read: the one from before holds", "error", err.Error())
		return nil
	}
	return err
}

func (c *catalogue) read(ctx context.Context) error {
	campaigns, err := c.file(ctx, "/api/campaigns.json")
	if err != nil {
		return err
	}
	addOns, err := c.file(ctx, "/api/add-ons.json")
	if err != nil {
		return err
	}
	if c.is != nil && campaigns == c.campaigns && addOns == c.addOns {
		return nil
	}
	is, err := campaign.FromSite([]byte(campaigns), []byte(addOns))
	if err != nil {
		return err
	}
	c.is, c.campaigns, c.addOns = is, campaigns, addOns
	return nil
}

func (c *catalogue) file(ctx context.Context, path string) (string, error) {
	res, err := fetcher{c.bridge}.Send(ctx, fetch.Request{Method: "GET", URL: c.base + path})
	if err == nil && res.Status != 200 {
		err = fmt.Errorf("the site answered %d for %s", res.Status, path)
	}
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The site does not answer")
	}
	return string(res.Body), nil
}

// fetcher sends requests by the platform's fetch. It implements fetch.Sender.
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
