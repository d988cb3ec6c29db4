// Package embed serves checkout, supporters' links and settlement as an http.Handler for another Go
// program, under the same paths as the complete service:
//
//	mux.Handle("/", embed.Handler(services, embed.Options{Operator: isOperator}))
//
// The embedding server is responsible for TLS, rate limits and CORS. Package hosts/nethttp is a
// server with all of them.
//
// # Errors
//
// Errors are JSON objects with error and code. Faults are mapped to HTTP statuses by package
// status; other errors are logged and answered with 500.
package embed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/pledgeworks/pledgeworks"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/status"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Maximum body sizes in bytes.
const (
	maxBody    = 64 << 10
	maxWebhook = 256 << 10
)

// Options configure the handler. The zero value is safe to use.
type Options struct {
	// Operator reports whether a request may settle campaigns. If it is nil, settlement requests
	// are rejected.
	Operator func(*http.Request) bool
	// Client returns an identifier of the client that sent a request. Each client can reserve only
	// a share of scarce items. The default is the IP address of the connection. Behind a proxy,
	// where all clients would share the proxy's address, Client must be set.
	Client func(*http.Request) string
}

// A handler returns the value to send as JSON, or an error for writeResponse.
type handler func(r *http.Request) (any, error)

// Handler serves POST /checkout-intent/start, /complete and /abandon, POST /webhooks/psp, GET
// /pledge, POST /pledge/modify, /cancel and /payment-method/start, and POST /admin/settle/{slug},
// which accepts the body {"dryRun": true} for a preview.
func Handler(s *pledgeworks.Services, o Options) http.Handler {
	if o.Client == nil {
		o.Client = connectionAddress
	}
	c, log, mux := s.Checkout, s.Checkout.Log, http.NewServeMux()
	for pattern, h := range map[string]handler{
		"POST /checkout-intent/start": withBody(func(ctx context.Context, r *http.Request,
			in checkout.StartRequest) (checkout.Started, error) {
			in.Client = o.Client(r)
			return c.Start(ctx, in)
		}),
		"POST /checkout-intent/complete": withBody(ignoreRequest(c.Complete)),
		"POST /checkout-intent/abandon":  withBody(ignoreRequest(c.Abandon)),
		"POST /webhooks/psp":             webhook(c),
		"GET /pledge": func(r *http.Request) (any, error) {
			return c.View(r.Context(), linkToken(r))
		},
		"POST /pledge/modify":               withBody(ignoreRequest(c.Modify)),
		"POST /pledge/cancel":               withBody(ignoreRequest(c.Cancel)),
		"POST /pledge/payment-method/start": withBody(ignoreRequest(c.StartCard)),
		"POST /admin/settle/{slug}": func(r *http.Request) (any, error) {
			if o.Operator == nil || !o.Operator(r) {
				return nil, fault.New(fault.Unauthorized, "Unauthorized")
			}
			dryRun, err := isDryRun(r)
			if err != nil {
				return nil, err
			}
			return s.Settlement.Settle(r.Context(), r.PathValue("slug"), dryRun)
		},
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			out, err := h(r)
			writeResponse(w, r, log, out, err)
		})
	}
	return mux
}

// linkToken returns the manage link's token from the header or, if it is missing, from the query.
// Proxies log queries, so the header is preferred.
func linkToken(r *http.Request) string {
	if t := r.Header.Get("X-Link-Token"); t != "" {
		return t
	}
	return r.URL.Query().Get("token")
}

func ignoreRequest[In, Out any](fn func(context.Context, In) (Out, error)) func(context.Context,
	*http.Request, In) (Out, error) {
	return func(ctx context.Context, _ *http.Request, in In) (Out, error) { return fn(ctx, in) }
}

// withBody returns a handler that calls fn with the JSON object in the request's body. It requires
// the JSON content type, so that cross-site requests need a CORS preflight.
func withBody[In, Out any](fn func(context.Context, *http.Request, In) (Out, error)) handler {
	return func(r *http.Request) (any, error) {
		if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) != "application/json" {
			return nil, fault.New(fault.Invalid, "Send application/json")
		}
		text, err := readBody(r, maxBody)
		if err != nil {
			return nil, err
		}
		var in In
		if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' ||
			json.Unmarshal(text, &in) != nil {
			return nil, fault.New(fault.Invalid, "Invalid JSON")
		}
		return fn(r.Context(), r, in)
	}
}

// isDryRun reports whether the body of a settlement request asks for a dry run. An empty body means
// false. Query parameters and unknown fields are rejected, because a request with a misspelled
// dryRun would charge the campaign.
func isDryRun(r *http.Request) (bool, error) {
	text, err := readBody(r, maxBody)
	if err != nil {
		return false, err
	}
	if r.URL.RawQuery != "" {
		return false, fault.New(fault.Invalid, "This route has no query parameters")
	}
	if len(text) == 0 {
		return false, nil
	}
	var in struct {
		DryRun bool `json:"dryRun"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&in) != nil || decoder.More() {
		return false, fault.New(fault.Invalid, `Send {"dryRun": true}, or nothing`).In("dryRun")
	}
	return in.DryRun, nil
}

func webhook(c *checkout.Service) handler {
	return func(r *http.Request) (any, error) {
		text, err := readBody(r, maxWebhook)
		if err != nil {
			return nil, err
		}
		return c.Webhook(r.Context(), text, cmp.Or(r.Header.Get("Stripe-Signature"), r.Header.Get("Psp-Signature")))
	}
}

func readBody(r *http.Request, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil || int64(len(text)) > limit {
		return nil, fault.Wrap(err, fault.Invalid, "The body is too large or incomplete")
	}
	return text, nil
}

func connectionAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// writeResponse writes out as JSON, or err as an error response. Errors that are not faults become
// status 500 without their text. All errors with a status of 500 or more are logged.
func writeResponse(w http.ResponseWriter, r *http.Request, log *slog.Logger, out any, err error) {
	code := http.StatusOK
	if err != nil {
		f := fault.Of(err)
		if f == nil || f.Code == fault.Internal || status.Of(f.Code) == 0 {
			f = fault.New(fault.Internal, "Internal error")
		}
		if code = status.Of(f.Code); code >= 500 {
			log.ErrorContext(r.Context(), "request failed", "route", r.Pattern, "error", err.Error())
		}
		out = failure{f.Message, f.Code, f.Field, f.Remaining}
	}
	text, err := json.Marshal(out)
	if err != nil {
		log.ErrorContext(r.Context(), "could not encode response", "route", r.Pattern, "error", err.Error())
		code, text = http.StatusInternalServerError, []byte(`{"error":"Internal error","code":"internal"}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	_, _ = w.Write(text) // fails if the client has disconnected
}

// failure is the JSON body of an error response.
type failure struct {
	Error     string     `json:"error"`
	Code      fault.Code `json:"code"`
	Field     string     `json:"field,omitempty"`
	Remaining *int       `json:"remaining,omitempty"`
}
