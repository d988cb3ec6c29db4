//go:build !demo

// Package telemetry exports a server's Prometheus metrics, with low-cardinality labels, and
// OpenTelemetry traces, configured by the standard environment variables.
//
// Create a Telemetry with New. Its Begin and RecordCall methods are hooks for nethttp.Options and
// evidence.Recorder, Watch adds the service's vitals, and Serve serves /metrics.
package telemetry

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
)

// Telemetry collects the metrics and traces of one server. It is safe for concurrent use.
type Telemetry struct {
	metrics metrics

	provider *trace.TracerProvider // nil without traces
	tracer   api.Tracer
}

// tracing lists the variables that enable traces.
var tracing = []string{"OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"}

// New returns a server's Telemetry, with traces if the environment enables them. It fails if they
// contain an unsupported value. The caller must close it.
func New(version string) (*Telemetry, error) {
	t := &Telemetry{metrics: newMetrics(version)}
	if value("OTEL_TRACES_EXPORTER") == "none" ||
		!slices.ContainsFunc(tracing, func(name string) bool { return value(name) != "" }) {
		return t, nil
	}
	exporter, err := newExporter(context.Background()) // HTTP needs no connection in advance
	if err != nil {
		return nil, err
	}
	t.provider = trace.NewTracerProvider(trace.WithBatcher(exporter))
	t.tracer = t.provider.Tracer("github.com/pledgeworks/pledgeworks")
	return t, nil
}

// Close sends buffered spans.
func (t *Telemetry) Close(ctx context.Context) error {
	if t.provider == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Begin starts recording a request. It is for nethttp.Options.Begin.
func (t *Telemetry) Begin(ctx context.Context, r *http.Request) (context.Context, func(route string, status int)) {
	began := time.Now()
	var span api.Span
	if t.tracer != nil {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
		ctx, span = t.tracer.Start(ctx, method(r.Method), api.WithSpanKind(api.SpanKindServer))
	}
	return ctx, func(route string, status int) {
		t.metrics.requests.WithLabelValues(method(r.Method), routeLabel(route),
			strconv.Itoa(status)).Observe(time.Since(began).Seconds())
		if span == nil {
			return
		}
		span.SetName(method(r.Method) + " " + routeLabel(route))
		span.SetAttributes(attribute.String("http.request.method", method(r.Method)), attribute.String("http.route", route),
			attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// method returns an HTTP method as a label: "other" for unknown ones, because labels must not
// contain client input.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return m
	}
	return "other"
}

func routeLabel(route string) string {
	if route == "" {
		return "none"
	}
	return route
}

// RecordCall records a processor call. It is for evidence.Recorder.Observe.
func (t *Telemetry) RecordCall(ctx context.Context, q evidence.Request) {
	took := time.Duration(q.TookMS) * time.Millisecond
	t.metrics.calls.WithLabelValues(string(q.Operation), q.Outcome).Observe(took.Seconds())
	if t.tracer == nil {
		return
	}
	end := time.Now() // not the service's clock, which may differ
	_, span := t.tracer.Start(ctx, "processor "+string(q.Operation), api.WithSpanKind(api.SpanKindClient),
		api.WithTimestamp(end.Add(-took)),
		api.WithAttributes(attribute.String("outcome", q.Outcome), attribute.Int("http.response.status_code", q.HTTPStatus),
			attribute.String("request_id", q.RequestID)))
	span.End(api.WithTimestamp(end))
}
