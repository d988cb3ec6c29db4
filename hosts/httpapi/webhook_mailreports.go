package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// mailReports passes on the unmodified body, which is verified before it is parsed. The sender does
// not learn why a signature is invalid.
func (a *API) mailReports(ctx context.Context, x *exchange) (any, error) {
	if a.services.Reports == nil {
		return nil, notFound()
	}
	events, err := a.services.Reports.Events(ctx, x.header, x.Body)
	if fault.Is(err, fault.Unauthorized) {
		return nil, fault.Wrap(err, fault.Unauthorized, "Invalid signature")
	}
	if err != nil {
		return nil, err
	}
	return a.services.Feedback.Apply(ctx, events)
}
