package httpapi

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// WebhookSummary is the response of /admin/observability/webhooks.
type WebhookSummary struct {
	Days       int `json:"days"`
	Received   int `json:"received"`
	Applied    int `json:"applied"`
	Skipped    int `json:"skipped"`
	Duplicates int `json:"duplicates"`
	Postponed  int `json:"postponed"` // expected to be delivered again
	// SignatureFailures and Invalid are not in Types and Recent, because their senders are unknown.
	SignatureFailures int              `json:"signatureFailures"`
	Invalid           int              `json:"invalid"`
	ModeMismatches    int              `json:"modeMismatches"` // events of the other mode with a valid signature
	Types             map[string]int   `json:"types"`
	Recent            []WebhookOutcome `json:"recent"` // newest first, at most 50
}

func (a *API) webhookSummary(ctx context.Context, x *exchange) (any, error) {
	days, err := daysOf(x)
	if err != nil {
		return nil, err
	}
	o, err := a.meter.read(ctx, a.now(), days)
	if err != nil {
		return nil, err
	}
	s := WebhookSummary{Days: days, Applied: o.Webhooks[webhookApplied], Skipped: o.Webhooks[webhookSkipped],
		Duplicates: o.Webhooks[webhookDuplicate], Postponed: o.Webhooks[webhookPostponed],
		SignatureFailures: o.Webhooks[webhookSignature],
		Invalid:           o.Webhooks[webhookInvalid], ModeMismatches: o.Webhooks[webhookMismatch], Types: o.Types,
		Recent: o.Recent}
	for _, n := range o.Webhooks {
		s.Received += n
	}
	if s.Recent == nil {
		s.Recent = []WebhookOutcome{}
	}
	return s, nil
}

// RouteTiming contains the response times of one route's POST requests, in milliseconds.
// Percentiles are the upper bounds of their duration classes.
type RouteTiming struct {
	Route   string `json:"route"`
	Count   int    `json:"count"`
	P50     int64  `json:"p50"`
	P95     int64  `json:"p95"`
	P99     int64  `json:"p99"`
	Longest int64  `json:"longest"`
}

// SlowDay contains the timings of one route on one day in UTC.
type SlowDay struct {
	Date string `json:"date"`
	RouteTiming
}

// PerformanceSummary is the response of /admin/observability/performance.
type PerformanceSummary struct {
	Days   int           `json:"days"`
	Routes []RouteTiming `json:"routes"`
	// Slowest lists the 20 timings of one route on one day that have the highest p95.
	Slowest []SlowDay `json:"slowest"`
}

// maxSlowest is the maximum length of PerformanceSummary.Slowest.
const maxSlowest = 20

func (a *API) performanceSummary(ctx context.Context, x *exchange) (any, error) {
	days, err := daysOf(x)
	if err != nil {
		return nil, err
	}
	each, err := a.meter.byDay(ctx, a.now(), days)
	if err != nil {
		return nil, err
	}
	all, slowest := newObserved(), []SlowDay{}
	for i, o := range each {
		date := a.now().UTC().AddDate(0, 0, -i).Format(time.DateOnly)
		for _, t := range o.timings() {
			slowest = append(slowest, SlowDay{date, t})
		}
		all.add(o)
	}
	slices.SortStableFunc(slowest, func(a, b SlowDay) int {
		return cmp.Or(cmp.Compare(b.P95, a.P95), cmp.Compare(b.Longest, a.Longest))
	})
	return PerformanceSummary{Days: days, Routes: all.timings(), Slowest: slowest[:min(len(slowest), maxSlowest)]}, nil
}

// timings returns the timings of each route, sorted by name.
func (o *observed) timings() []RouteTiming {
	all := []RouteTiming{}
	for _, route := range slices.Sorted(maps.Keys(o.Timings)) {
		classes, longest := o.Timings[route], o.Longest[route].Milliseconds()
		t := RouteTiming{Route: route, Longest: longest}
		for _, n := range classes {
			t.Count += n
		}
		t.P50, t.P95, t.P99 = percentile(classes, t.Count, 50, longest), percentile(classes, t.Count, 95, longest),
			percentile(classes, t.Count, 99, longest)
		all = append(all, t)
	}
	return all
}

// percentile returns the upper bound of the duration class that contains the percentile, or longest
// if that is the last class, which has no bound.
func percentile(classes []int, count, percent int, longest int64) int64 {
	seen := 0
	for i, n := range classes {
		if seen += n; seen*100 >= count*percent && i < len(bounds) {
			return bounds[i]
		}
	}
	return longest
}

func daysOf(x *exchange) (int, error) {
	text := x.query().Get("days")
	if text == "" {
		return defaultDays, nil
	}
	days, err := strconv.Atoi(text)
	if err != nil || days < 1 || days > maxDays {
		return 0, fault.New(fault.Invalid, "The days must be a whole number from 1 to %d", maxDays).In("days")
	}
	return days, nil
}

func (a *API) observabilityRoutes() []Route {
	days := []Param{{"days", "Number of days, 1 to 35; default 7", false}}
	return []Route{
		{
			Method: "GET", Pattern: "/admin/observability/webhooks", Tag: "operations",
			Summary: "Outcomes of the processor's webhooks",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
			Query:   days, Out: "WebhookSummary", Errors: []int{400},
			handle: a.webhookSummary,
		},
		{
			Method: "GET", Pattern: "/admin/observability/performance", Tag: "operations",
			Summary: "Response times of changes",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
			Query:   days, Out: "PerformanceSummary", Errors: []int{400},
			handle: a.performanceSummary,
		},
	}
}
