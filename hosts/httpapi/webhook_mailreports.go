package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// mailReports passes on the unmodified body, because the signature is verified before the body is
// parsed. The response does not state why a signature is invalid.
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
