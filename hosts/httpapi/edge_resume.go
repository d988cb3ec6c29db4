package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
)

// resumableRequest contains the data needed to resume a request after a crash.
type resumableRequest struct {
	Pattern  string          `json:"pattern"`
	Param    string          `json:"param,omitempty"`
	Operator string          `json:"operator,omitempty"`
	SignedIn bool            `json:"signedIn,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`
}

// resumableRequest encodes the request for the audit log. It rejects a body that is not a JSON
// object, as the handler would. It omits the body on NoBody routes.
func (x *exchange) resumableRequest() (json.RawMessage, error) {
	n := resumableRequest{Pattern: x.route.Pattern, Param: x.param, Operator: x.operator, SignedIn: x.caller != nil}
	if len(x.Body) > 0 && !x.route.NoBody {
		if err := decodeJSON(x.Body, &n.Body); err != nil {
			return nil, err
		}
	}
	return json.Marshal(n)
}

// resume completes operator actions that a crash interrupted, by sending their requests to the
// handlers again. It skips an action if its operator no longer exists or has lost the permission, or
// if this release does not have its route.
func (a *API) resume(ctx context.Context) error {
	all, err := a.services.Audit.Interrupted(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range all {
		if err := a.resumeOne(ctx, c); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Act.Action, err))
		}
	}
	return errors.Join(errs...)
}

func (a *API) resumeOne(ctx context.Context, c audit.Interrupted) error {
	var n resumableRequest
	if err := json.Unmarshal(c.Request, &n); err != nil {
		return err
	}
	p, _ := a.tree.find(n.Pattern)
	if p == nil || p.route("POST") == nil {
		return nil // recorded by a different release
	}
	x := &exchange{Request: Request{Method: "POST", Path: n.Pattern, Body: n.Body}, endpoint: p,
		route: p.route("POST"), param: n.Param, operator: n.Operator, act: c.ID, resumed: true}
	if n.SignedIn {
		u, ok, err := a.services.Access.User(ctx, n.Operator)
		if err != nil || !ok {
			return err
		}
		if x.checkPermission(u) != nil || a.checkUserCampaign(ctx, x, u) != nil {
			return nil //nolint:nilerr // the operator may no longer do this
		}
		x.caller = &access.Caller{User: u}
	}
	act, _ := a.describeAct(x)
	return a.services.Audit.Resume(ctx, c, act, func() error {
		_, err := x.route.handle(ctx, x)
		return err
	})
}
