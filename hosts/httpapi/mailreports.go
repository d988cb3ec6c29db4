package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// mailReports hands the body on as it came: it is verified before anything of it is
// parsed. Why a signature does not hold is not for its sender.
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
