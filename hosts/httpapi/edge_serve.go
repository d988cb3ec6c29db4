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

// exchange is a request while its rules are checked and its handler runs.
type exchange struct {
	Request
	endpoint *endpoint
	route    *Route
	param    string // value of the path parameter
	// checked is the session whose permission was checked; checkReach makes it the caller.
	checked *access.Caller
	// caller is the signed-in user, nil for requests with a secret.
	caller *access.Caller
	// operator identifies the caller: the user's address, or the name of an OperatorKey; "" for
	// other secrets.
	operator string
	// act is the ID of the action on a resumable route.
	act string
	// resumed is set if the action was requested earlier and interrupted by a crash.
	resumed bool
}

func (x *exchange) pattern() string {
	if x.endpoint == nil {
		return ""
	}
	return x.endpoint.pattern
}

func (x *exchange) header(name string) string {
	if x.Header == nil {
		return ""
	}
	return x.Header(name)
}

// guard checks one rule. It returns an error to reject the request.
type guard func(a *API, ctx context.Context, x *exchange) error

// guards are the checks of every route, in order. Those before readBody do not need the body, so
// that requests rejected by them use no memory for it.
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

// checkClock rejects all requests except GET and HEAD while the server's clock is wrong.
func (a *API) checkClock(ctx context.Context, x *exchange) error {
	if x.route.Method == "GET" {
		return nil
	}
	return a.services.Clock.Check(ctx)
}

// Serve handles one request. It may be called concurrently.
func (a *API) Serve(ctx context.Context, r Request) Response {
	began := a.now()
	x := &exchange{Request: r}
	resp := a.respond(ctx, x)
	resp.Route = x.pattern()
	a.observe(ctx, x, began, resp.Status)
	resp.Header = a.headers(x, resp)
	if level := x.logLevel(resp.Status); a.log.Enabled(ctx, level) {
		attrs := []slog.Attr{slog.String("request", r.ID), slog.String("method", logMethod(r.Method)),
			slog.String("route", resp.Route),
			slog.Int("status", resp.Status), slog.Duration("duration", a.now().Sub(began))}
		if x.refusedCredential(resp.Status) {
			attrs = append(attrs, slog.String("network", a.services.Access.Fingerprint(Client(r.ClientIP))))
		}
		a.log.LogAttrs(ctx, level, "request", attrs...)
	}
	return resp
}

// refusedCredential reports whether an operator's credential or a sign-in attempt was rejected. The
// log entry then contains the fingerprint of the client's network, as it is recorded in sessions.
func (x *exchange) refusedCredential(status int) bool {
	if x.endpoint == nil || !x.endpoint.guarded || status != 400 && status != 401 && status != 403 && status != 429 {
		return false
	}
	return status != 400 || strings.HasPrefix(x.endpoint.pattern, "/admin/auth/")
}

// respond recovers from panics so that one request cannot crash the server.
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

// observe counts the duration of a POST in memory. It writes the counts after a successful change
// and after every webhook, because rejected webhooks are counted too. Reads, dry runs and other
// rejected requests write nothing.
func (a *API) observe(ctx context.Context, x *exchange, began time.Time, status int) {
	now := a.now()
	if x.route == nil || x.route.Method == "GET" {
		return
	}
	a.meter.countTiming(now, x.route.Pattern, now.Sub(began))
	if x.route.Reads || x.dryRun() || status >= 400 && !x.route.Webhook {
		return
	}
	if err := a.meter.flush(ctx, now, false); err != nil {
		a.log.WarnContext(ctx, "could not write observations", "error", err.Error())
	}
}

// logLevel returns Debug for successful public reads, which would flood the log.
func (x *exchange) logLevel(status int) slog.Level {
	if x.route != nil && x.route.Public && status < 400 {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// logMethod returns the method for the log. Unknown methods are replaced because they are arbitrary
// client input.
func logMethod(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return m
	}
	return "other"
}

func (a *API) answer(ctx context.Context, x *exchange) (Response, error) {
	x.endpoint, x.param = a.tree.find(x.Path)
	if x.endpoint != nil && x.endpoint.testOnly && !a.testMode {
		x.endpoint = nil
	}
	if x.endpoint == nil {
		return Response{}, notFound()
	}
	if x.Method == "OPTIONS" {
		return x.preflight(), nil
	}
	x.route = x.endpoint.route(x.Method)
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

// BodyLimit returns the route's body limit in bytes; 0 if the path or method accepts no body.
func (a *API) BodyLimit(method, path string) int {
	p, _ := a.tree.find(path)
	if p == nil || p.route(method) == nil || method == "GET" || method == "HEAD" {
		return 0
	}
	return p.route(method).cap()
}

// Streams reports whether the route's handler reads the body itself because it may be large.
func (a *API) Streams(method, path string) bool {
	p, _ := a.tree.find(path)
	return p != nil && p.route(method) != nil && p.route(method).Streamed
}

// Public reports whether a route's successful responses are the same for all clients, so that pages
// of any origin may read them.
func (a *API) Public(method, path string) bool {
	p, _ := a.tree.find(path)
	return p != nil && p.route(method) != nil && p.route(method).Public
}

// checkLength rejects a body whose actual or declared length exceeds the route's limit.
func (a *API) checkLength(_ context.Context, x *exchange) error {
	if max(int64(len(x.Body)), x.Length) > int64(x.route.cap()) {
		return fault.New(bodyTooLarge, "Request body too large")
	}
	return nil
}

// checkType checks the Content-Type, except for optional bodies that may be empty.
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
	if kind, _, err := mime.ParseMediaType(x.header("Content-Type")); err != nil ||
		!strings.EqualFold(kind, "application/json") {
		return fault.New(unsupportedType, "Expected application/json")
	}
	return nil
}
