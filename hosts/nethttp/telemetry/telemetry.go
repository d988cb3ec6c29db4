//go:build !demo

// Package telemetry exports a server's Prometheus metrics, with low-cardinality labels, and
// OpenTelemetry traces, configured by the standard environment variables.
//
// Create a Telemetry with New. Its Begin and Call methods are hooks for nethttp.Options and
// evidence.Recorder, Watch adds the service's vitals, and Serve serves /metrics.
package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
)

// seconds are the bounds of the histograms, from a cached read to the longest processor call.
var seconds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// Telemetry collects the metrics and traces of one server. It is safe for concurrent use.
type Telemetry struct {
	metrics *metrics.Set
	version string

	provider *trace.TracerProvider // nil without traces
	tracer   api.Tracer
}

// tracing lists the variables that enable traces.
var tracing = []string{"OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"}

// New returns a server's Telemetry, with traces if the environment enables them. It fails if they
// request something unsupported. The caller must close it.
func New(version string, lookup Lookup) (*Telemetry, error) {
	t := &Telemetry{metrics: metrics.NewSet(), version: version}
	metrics.ExposeMetadata(true)
	if value(lookup, "OTEL_TRACES_EXPORTER") == "none" {
		return t, nil
	}
	for _, name := range tracing {
		if value(lookup, name) != "" {
			return t, t.trace(lookup)
		}
	}
	return t, nil
}

func (t *Telemetry) trace(lookup Lookup) error {
	exporter, err := newOTLP(lookup)
	if err != nil {
		return err
	}
	t.provider = trace.NewTracerProvider(trace.WithBatcher(exporter))
	t.tracer = t.provider.Tracer("github.com/pledgeworks/pledgeworks")
	return nil
}

// Close sends buffered spans.
func (t *Telemetry) Close(ctx context.Context) error {
	if t.provider == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Handler serves the metrics.
func (t *Telemetry) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		t.metrics.WritePrometheus(w)
		gauges{w}.gauge("build_info", "Constant 1, labeled with the program's version.", 1, "version", t.version)
		metrics.WriteProcessMetrics(w)
	})
}

// observe records a duration with labels.
func (t *Telemetry) observe(name string, took time.Duration, labels ...string) {
	t.metrics.GetOrCreatePrometheusHistogramExt(named(name, labels), seconds).Update(took.Seconds())
}

// Serve serves the metrics on an address until ctx is done.
func (t *Telemetry) Serve(ctx context.Context, address string, log *slog.Logger) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", t.Handler())
	s := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // an interrupted scrape is repeated
	defer stop()
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Error("cannot listen on METRICS_LISTEN, metrics are not served", "address", address, "error", err.Error())
	}
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
		t.observe("http_request_duration_seconds", time.Since(began), "method", method(r.Method), "route", routeLabel(route), "status", strconv.Itoa(status))
		if span == nil {
			return
		}
		span.SetName(method(r.Method) + " " + routeLabel(route))
		span.SetAttributes(attribute.String("http.request.method", method(r.Method)), attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// method replaces unknown methods, because labels must not contain client input.
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

// Call records a processor call. It is for evidence.Recorder.Observe.
func (t *Telemetry) Call(ctx context.Context, q evidence.Request) {
	took := time.Duration(q.TookMS) * time.Millisecond
	t.observe("processor_call_duration_seconds", took, "operation", string(q.Operation), "outcome", q.Outcome)
	if t.tracer == nil {
		return
	}
	end := time.Now() // the service's clock may differ
	_, span := t.tracer.Start(ctx, "processor "+string(q.Operation), api.WithSpanKind(api.SpanKindClient), api.WithTimestamp(end.Add(-took)),
		api.WithAttributes(attribute.String("outcome", q.Outcome), attribute.Int("http.response.status_code", q.HTTPStatus), attribute.String("request_id", q.RequestID)))
	span.End(api.WithTimestamp(end))
}
