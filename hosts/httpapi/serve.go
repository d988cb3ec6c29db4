package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"mime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// exchange is one request on its way through the rules.
type exchange struct {
	Request
	place *place
	route *Route
	param string // the value of the path's parameter
	// checked is the session whose permission was checked; checkReach makes it the caller.
	checked *access.Caller
	// caller is who is signed in, nil where a secret is shown.
	caller *access.Caller
	// operator is who asks: the user's address, or the name of an OperatorKey.
	operator string
	// act is the identity of what an operator does by a resumed route.
	act string
	// resumed says that it was asked earlier, and a crash cut it off.
	resumed bool
}

func (x *exchange) pattern() string {
	if x.place == nil {
		return ""
	}
	return x.place.pattern
}

func (x *exchange) header(name string) string {
	if x.Header == nil {
		return ""
	}
	return x.Header(name)
}

// guard lets a request pass, or says why not.
type guard func(a *API, ctx context.Context, x *exchange) error

// guards is the order in which every route's rules are applied. The rules in front of
// readBody need no body, so that a request they refuse costs no memory.
var guards = []guard{
	(*API).checkClock,
	(*API).checkOrigin,
	(*API).checkLength,
	(*API).checkType,
	(*API).checkClientLimits,
	(*API).checkCaller,
	(*API).readBody,
	(*API).checkOptionalType,
	(*API).checkChallenge,
	(*API).checkBodyLimits,
	(*API).checkReach,
}

// checkClock refuses changes while the server's clock is wrong, before anything is begun.
func (a *API) checkClock(ctx context.Context, x *exchange) error {
	if x.route.Method == "GET" {
		return nil
	}
	return a.services.Clock.Check(ctx)
}

// Serve answers one request. It may be called by several goroutines.
func (a *API) Serve(ctx context.Context, r Request) Response {
	began := a.now()
	x := &exchange{Request: r}
	resp := a.respond(ctx, x)
	resp.Route = x.pattern()
	a.observe(ctx, x, began, resp.Status)
	resp.Header = a.headers(x, resp)
	if level := x.level(resp.Status); a.log.Enabled(ctx, level) {
		attrs := []slog.Attr{slog.String("request", r.ID), slog.String("method", method(r.Method)), slog.String("route", resp.Route),
			slog.Int("status", resp.Status), slog.Duration("duration", a.now().Sub(began))}
		if x.refusedCredential(resp.Status) {
			attrs = append(attrs, slog.String("network", a.services.Access.Fingerprint(Client(r.ClientIP))))
		}
		a.log.LogAttrs(ctx, level, "request", attrs...)
	}
	return resp
}

// refusedCredential reports whether an operator's credential, or the attempt to get one, was
// refused. The log then has the fingerprint of the client's network, as sessions have it.
func (x *exchange) refusedCredential(status int) bool {
	if x.place == nil || !x.place.guarded || status != 400 && status != 401 && status != 403 && status != 429 {
		return false
	}
	return status != 400 || strings.HasPrefix(x.place.pattern, "/admin/auth/")
}

// respond answers for a defect of ours too, which must not take the host along.
func (a *API) respond(ctx context.Context, x *exchange) (resp Response) {
	defer func() {
		if v := recover(); v != nil {
			resp = a.fail(ctx, x, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	resp, err := a.answer(ctx, x)
	if err != nil {
		return a.fail(ctx, x, err)
	}
	return resp
}

// observe counts how long a POST took. Changes write the counts now and then; webhooks do too
// when they are refused, since refusals are what is counted of them. Reads, dry runs and other
// refused requests write nothing.
func (a *API) observe(ctx context.Context, x *exchange, began time.Time, status int) {
	now := a.now()
	if x.route == nil || x.route.Method == "GET" {
		return
	}
	a.meter.timing(now, x.route.Pattern, now.Sub(began))
	if x.route.Reads || x.dryRun() || status >= 400 && !x.route.Webhook {
		return
	}
	if err := a.meter.write(ctx, now, false); err != nil {
		a.log.WarnContext(ctx, "what was observed is not written yet", "error", err.Error())
	}
}

// level keeps the public reads, of which there are most, out of the usual log.
func (x *exchange) level(status int) slog.Level {
	if x.route != nil && x.route.Public && status < 400 {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// method is what a log may show of a method: an unknown one is the client's text.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return m
	}
	return "other"
}

func (a *API) answer(ctx context.Context, x *exchange) (Response, error) {
	x.place, x.param = a.tree.find(x.Path)
	if x.place != nil && x.place.testOnly && !a.testMode {
		x.place = nil
	}
	if x.place == nil {
		return Response{}, notFound()
	}
	if x.Method == "OPTIONS" {
		return x.preflight(), nil
	}
	x.route = x.place.methods[x.Method]
	if x.route == nil {
		return Response{}, fault.New(methodNotAllowed, "Method not allowed")
	}
	for _, g := range guards {
		if err := g(a, ctx, x); err != nil {
			return Response{}, err
		}
	}
	v, err := a.perform(ctx, x)
	if err != nil {
		return Response{}, err
	}
	if r, ok := v.(Response); ok {
		return r, nil
	}
	return encode(max(x.route.Status, 200), v)
}

// BodyLimit returns the largest body that the route accepts, in bytes; 0 for a path or
// method that accepts none.
func (a *API) BodyLimit(method, path string) int {
	p, _ := a.tree.find(path)
	if p == nil || p.methods[method] == nil || method == "GET" || method == "HEAD" {
		return 0
	}
	return p.methods[method].cap()
}

// Streams reports whether a route's handler reads its body, which may be large.
func (a *API) Streams(method, path string) bool {
	p, _ := a.tree.find(path)
	return p != nil && p.methods[method] != nil && p.methods[method].Streamed
}

// Public reports whether a route's good answers are the same for everybody.
func (a *API) Public(method, path string) bool {
	p, _ := a.tree.find(path)
	return p != nil && p.methods[method] != nil && p.methods[method].Public
}

// checkLength refuses a body that is held, or declared, as larger than the route's limit.
func (a *API) checkLength(_ context.Context, x *exchange) error {
	if max(int64(len(x.Body)), x.Length) > int64(x.route.cap()) {
		return fault.New(bodyTooLarge, "Request body too large")
	}
	return nil
}

// checkType checks the Content-Type, except of an optional body that may turn out empty.
func (a *API) checkType(_ context.Context, x *exchange) error {
	empty := len(x.Body) == 0 && x.Length <= 0
	if x.route.Method == "GET" || x.route.RawBody || x.route.NoBody && empty {
		return nil
	}
	return x.checkJSON()
}

// checkOptionalType checks the Content-Type of an optional body that is not empty.
func (a *API) checkOptionalType(_ context.Context, x *exchange) error {
	if x.route.RawBody || !x.route.NoBody || len(x.Body) == 0 {
		return nil
	}
	return x.checkJSON()
}

func (x *exchange) checkJSON() error {
	if kind, _, err := mime.ParseMediaType(x.header("Content-Type")); err != nil || !strings.EqualFold(kind, "application/json") {
		return fault.New(unsupportedType, "Expected application/json")
	}
	return nil
}
