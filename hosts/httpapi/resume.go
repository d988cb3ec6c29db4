//go:build !js

package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
)

// noted is what it takes to go on with a request that a crash cuts off.
type noted struct {
	Pattern  string          `json:"pattern"`
	Param    string          `json:"param,omitempty"`
	Operator string          `json:"operator,omitempty"`
	SignedIn bool            `json:"signedIn,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`
}

// noted refuses what is no JSON object, which the handler would refuse too. Routes that take no
// body read none.
func (x *exchange) noted() (json.RawMessage, error) {
	n := noted{Pattern: x.route.Pattern, Param: x.param, Operator: x.operator, SignedIn: x.caller != nil}
	if len(x.Body) > 0 && !x.route.NoBody {
		if err := decodeJSON(x.Body, &n.Body); err != nil {
			return nil, err
		}
	}
	return json.Marshal(n)
}

// resume goes on with what operators began and a crash cut off, as far as its routes say that
// it may be sent again. Where who did it is gone, or may not do it any more, it stays as it is.
func (a *API) resume(ctx context.Context) error {
	all, err := a.services.Audit.CutOff(ctx)
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

func (a *API) resumeOne(ctx context.Context, c audit.CutOff) error {
	var n noted
	if err := json.Unmarshal(c.Request, &n); err != nil {
		return err
	}
	p, _ := a.tree.find(n.Pattern)
	if p == nil || p.methods["POST"] == nil {
		return nil // of another release
	}
	x := &exchange{Request: Request{Method: "POST", Path: n.Pattern, Body: n.Body}, place: p, route: p.methods["POST"], param: n.Param, operator: n.Operator, act: c.ID, resumed: true}
	if n.SignedIn {
		u, ok, err := a.services.Access.User(ctx, n.Operator)
		if err != nil || !ok {
			return err
		}
		if x.checkPermission(u) != nil || a.checkUserCampaign(ctx, x, u) != nil {
			return nil
		}
		x.caller = &access.Caller{User: u}
	}
	act, _ := a.act(x)
	return a.services.Audit.Resume(ctx, c, act, func() error {
		_, err := x.route.handle(ctx, x)
		return err
	})
}
