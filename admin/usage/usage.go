// Package usage reports how much of its Cloudflare plan an account has used: requests to Workers
// and Durable Objects, and Workers KV. It uses a token with read permission only, and stores
// nothing.
//
// It queries the GraphQL Analytics API
// (https://developers.cloudflare.com/analytics/graphql-api/). The figures are for the whole
// account, and can be sampled and some minutes old.
package usage

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Endpoint is the address of Cloudflare's GraphQL API.
const Endpoint = "https://api.cloudflare.com/client/v4/graphql"

// Service queries the usage of one account. Fetch and Now are required.
type Service struct {
	Fetch    fetch.Sender
	Now      func() time.Time
	Token    string // permission to read analytics
	Account  string // account ID
	Plan     Plan
	Endpoint string // "" means Endpoint
}

// Severity describes how close the usage is to a limit.
type Severity string

// The severities.
const (
	OK       Severity = "ok"
	Warning  Severity = "warning"  // at least four fifths of a limit, or more than a paid plan includes
	Critical Severity = "critical" // a free plan's limit is reached, and further requests fail
)

// Usage is the usage that counts toward one limit.
type Usage struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Used     int64    `json:"used"` // in the period, or stored bytes
	Limit    int64    `json:"limit"`
	Unit     string   `json:"unit"`   // requests, keys or bytes
	Period   string   `json:"period"` // day or month, in UTC; "" for stored bytes
	Severity Severity `json:"severity"`
	Link     string   `json:"link"` // Cloudflare's documentation of the limit
}

// Report is the usage of an account's plan.
type Report struct {
	Provider string `json:"provider"`
	Plan     string `json:"plan"` // name of the plan
	// Missing lists required settings that are not set. If there are any, Cloudflare is not
	// queried.
	Missing  []string `json:"missing"`
	From     string   `json:"from,omitempty"` // first day, in UTC
	To       string   `json:"to,omitempty"`
	Severity Severity `json:"severity"` // the most severe
	Usage    []Usage  `json:"usage"`
	Link     string   `json:"link"` // the account's dashboard
}

const dashboard = "https://dash.cloudflare.com/?to=/:account/workers-and-pages"

const usageQuery = `query PlanUsage($account: string!, $from: Date!, $to: Date!, $stored: Date!) { viewer { accounts(filter: {accountTag: $account}) {
 workersInvocationsAdaptive(limit: 10000, filter: {date_geq: $from, date_leq: $to}) { sum { requests } }
 durableObjectsInvocationsAdaptiveGroups(limit: 10000, filter: {date_geq: $from, date_leq: $to}) { sum { requests } }
 kvOperationsAdaptiveGroups(limit: 10000, filter: {date_geq: $from, date_leq: $to}) { sum { requests } dimensions { actionType } }
 kvStorageAdaptiveGroups(limit: 10000, filter: {date_geq: $stored, date_leq: $to}) { max { byteCount } dimensions { namespaceId date } }
} } }`

// group is a row of any of the query's results.
type group struct {
	Sum struct {
		Requests int64 `json:"requests"`
	} `json:"sum"`
	Max struct {
		Bytes int64 `json:"byteCount"`
	} `json:"max"`
	Dimensions struct {
		Action    string `json:"actionType"`
		Namespace string `json:"namespaceId"`
		Date      string `json:"date"`
	} `json:"dimensions"`
}

type account struct {
	Workers *[]group `json:"workersInvocationsAdaptive"`
	Objects *[]group `json:"durableObjectsInvocationsAdaptiveGroups"`
	Keys    *[]group `json:"kvOperationsAdaptiveGroups"`
	Stored  *[]group `json:"kvStorageAdaptiveGroups"`
}

// Report queries Cloudflare. If settings are missing it sends no request and returns their
// names. It fails with code Unavailable if Cloudflare does not respond as expected.
func (s Service) Report(ctx context.Context) (Report, error) {
	r := Report{Provider: "Cloudflare", Plan: s.Plan.name(), Missing: s.missingSettings(),
		Severity: OK, Usage: []Usage{}, Link: dashboard}
	if len(r.Missing) > 0 {
		return r, nil
	}
	now := s.Now().UTC()
	from := now
	if s.Plan == Paid {
		from = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	r.From, r.To = from.Format(time.DateOnly), now.Format(time.DateOnly)
	a, err := s.query(ctx, map[string]string{"account": s.Account, "from": r.From, "to": r.To,
		"stored": now.AddDate(0, 0, -2).Format(time.DateOnly)})
	if err != nil {
		return r, err
	}
	for _, l := range s.Plan.limits() {
		u := Usage{ID: l.id, Name: l.name, Used: a.used(l.id), Limit: l.limit, Unit: l.unit, Period: l.period, Link: l.source}
		u.Severity = s.Plan.severity(u.Used, u.Limit)
		if slices.Index(severities, u.Severity) > slices.Index(severities, r.Severity) {
			r.Severity = u.Severity
		}
		r.Usage = append(r.Usage, u)
	}
	return r, nil
}

var severities = []Severity{OK, Warning, Critical}

func (s Service) missingSettings() []string {
	missing := []string{}
	if s.Token == "" {
		missing = append(missing, "EDGE_USAGE_API_TOKEN or EDGE_ANALYTICS_API_TOKEN")
	}
	if s.Account == "" {
		missing = append(missing, "EDGE_ACCOUNT_ID")
	}
	return missing
}

// query sends the query. Errors contain no part of Cloudflare's response, which may quote the
// query and the account.
func (s Service) query(ctx context.Context, variables map[string]string) (account, error) {
	body, err := json.Marshal(map[string]any{"query": usageQuery, "variables": variables})
	if err != nil {
		return account{}, err
	}
	res, err := s.Fetch.Send(ctx, fetch.Request{
		Method: "POST", URL: cmp.Or(s.Endpoint, Endpoint), Body: string(body),
		Header: map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + s.Token},
	})
	switch {
	case err != nil:
		return account{}, fault.Wrap(err, fault.Unavailable, "Cloudflare cannot be reached")
	case res.Status == 401 || res.Status == 403:
		return account{}, fault.New(fault.Unavailable,
			"Cloudflare rejects the token: it needs the permission Account Analytics, Read")
	case res.Status == 429:
		return account{}, fault.New(fault.Unavailable, "Too many requests to Cloudflare: try again in five minutes")
	case res.Status != 200:
		return account{}, fault.New(fault.Unavailable, "Cloudflare responded with status %d", res.Status)
	}
	return parseResponse(res.Body)
}

func parseResponse(body []byte) (account, error) {
	var answer struct {
		Data struct {
			Viewer struct {
				Accounts []account `json:"accounts"`
			} `json:"viewer"`
		} `json:"data"`
		Errors []json.RawMessage `json:"errors"`
	}
	switch err := json.Unmarshal(body, &answer); {
	case err != nil:
		return account{}, fault.Wrap(err, fault.Unavailable, "Cloudflare's response could not be decoded")
	case len(answer.Errors) > 0:
		return account{}, fault.New(fault.Unavailable,
			"Cloudflare rejected the query: check that the token may read the analytics of EDGE_ACCOUNT_ID")
	case len(answer.Data.Viewer.Accounts) != 1:
		return account{}, fault.New(fault.Unavailable, "The token has no access to the account of EDGE_ACCOUNT_ID")
	}
	a := answer.Data.Viewer.Accounts[0]
	if a.Workers == nil || a.Objects == nil || a.Keys == nil || a.Stored == nil {
		return account{}, fault.New(fault.Unavailable, "Cloudflare's response is incomplete")
	}
	return a, nil
}

// used returns the usage that counts toward the limit with the given ID.
func (a account) used(id string) (n int64) {
	switch id {
	case workersRequests:
		return sumRequests(*a.Workers, "")
	case objectsRequests:
		return sumRequests(*a.Objects, "")
	case keysStored:
		return sumStored(*a.Stored)
	}
	return sumRequests(*a.Keys, actions[id])
}

func sumRequests(all []group, action string) (n int64) {
	for _, g := range all {
		if g.Dimensions.Action == action {
			n += g.Sum.Requests
		}
	}
	return n
}

// sumStored adds up the stored bytes of each namespace on its last known day.
func sumStored(all []group) (n int64) {
	last := map[string]group{}
	for _, g := range all {
		was, known := last[g.Dimensions.Namespace]
		if known {
			n -= was.Max.Bytes
		}
		if known && was.Dimensions.Date > g.Dimensions.Date {
			g = was
		}
		last[g.Dimensions.Namespace] = g
		n += g.Max.Bytes
	}
	return n
}
