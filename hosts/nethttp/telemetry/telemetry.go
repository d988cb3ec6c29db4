//go:build !demo

// Package telemetry lets monitors watch a server: Prometheus metrics with labels that
// have few values, and OpenTelemetry traces by its standard environment variables.
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

// seconds are the bounds of the histograms: from a read out of memory to the longest
// call of a processor.
var seconds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// Telemetry measures one server. It is safe for concurrent use.
type Telemetry struct {
	metrics *metrics.Set
	version string

	provider *trace.TracerProvider // nil without traces
	tracer   api.Tracer
}

// tracing are the variables of which any asks for traces.
var tracing = []string{"OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"}

// New returns a server's telemetry. It traces where the environment asks for that, and
// fails where it asks for what there is not. Close it.
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

// Close sends what waits.
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
		gauges{w}.tell("build_info", "1, with the program's version.", 1, "version", t.version)
		metrics.WriteProcessMetrics(w)
	})
}

// observe notes how long something took, by its labels.
func (t *Telemetry) observe(name string, took time.Duration, labels ...string) {
	t.metrics.GetOrCreatePrometheusHistogramExt(named(name, labels), seconds).Update(took.Seconds())
}

// Serve offers the metrics on an address until ctx is done.
func (t *Telemetry) Serve(ctx context.Context, address string, log *slog.Logger) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", t.Handler())
	s := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // a scrape that is cut off is made again
	defer stop()
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Error("METRICS_LISTEN asks for an address that it does not get: metrics are not served", "address", address, "error", err.Error())
	}
}

// Begin begins a request: it is what nethttp.Options.Begin wants.
func (t *Telemetry) Begin(ctx context.Context, r *http.Request) (context.Context, func(route string, status int)) {
	began := time.Now()
	var span api.Span
	if t.tracer != nil {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
		ctx, span = t.tracer.Start(ctx, method(r.Method), api.WithSpanKind(api.SpanKindServer))
	}
	return ctx, func(route string, status int) {
		t.observe("http_request_duration_seconds", time.Since(began), "method", method(r.Method), "route", known(route), "status", strconv.Itoa(status))
		if span == nil {
			return
		}
		span.SetName(method(r.Method) + " " + known(route))
		span.SetAttributes(attribute.String("http.request.method", method(r.Method)), attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// method keeps what a client may make up out of the labels.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return m
	}
	return "other"
}

func known(route string) string {
	if route == "" {
		return "none"
	}
	return route
}

// Call notes a call of the processor: it is what evidence.Recorder.Observe wants.
func (t *Telemetry) Call(ctx context.Context, q evidence.Request) {
	took := time.Duration(q.TookMS) * time.Millisecond
	t.observe("processor_call_duration_seconds", took, "operation", string(q.Operation), "outcome", q.Outcome)
	if t.tracer == nil {
		return
	}
	end := time.Now() // the service's clock may be another's
	_, span := t.tracer.Start(ctx, "processor "+string(q.Operation), api.WithSpanKind(api.SpanKindClient), api.WithTimestamp(end.Add(-took)),
		api.WithAttributes(attribute.String("outcome", q.Outcome), attribute.Int("http.response.status_code", q.HTTPStatus), attribute.String("request_id", q.RequestID)))
	span.End(api.WithTimestamp(end))
}
