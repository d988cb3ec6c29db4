package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// webhook passes on the unmodified body, because the signature is verified before the body is
// parsed. The response does not state why a signature is invalid.
func (a *API) webhook(ctx context.Context, x *exchange) (any, error) {
	result, err := a.services.Checkout.Webhook(ctx, x.Body, x.header(a.opts.SignatureHeader))
	a.meter.countWebhook(a.now(), result, err)
	if fault.Is(err, fault.Unauthorized) {
		return nil, fault.Wrap(err, fault.Unauthorized, "Invalid signature")
	}
	return result, err
}
