//go:build !demo

package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const namespace = "pledgeworks"

// seconds are the bounds of the histograms in seconds, from a cached read to the longest processor
// call.
var seconds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// metrics are the metrics of one server.
type metrics struct {
	registry        *prometheus.Registry
	requests, calls *prometheus.HistogramVec
}

func newMetrics(version string) metrics {
	m := metrics{
		registry: prometheus.NewRegistry(),
		requests: histogram("http_request_duration_seconds", "Duration of HTTP requests.", "method", "route", "status"),
		calls:    histogram("processor_call_duration_seconds", "Duration of calls to the processor.", "operation", "outcome"),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "Constant 1, labeled with the program's version.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.calls, build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name,
		Help: help, Buckets: seconds}, labels)
}

// Handler serves the metrics.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.metrics.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// Serve serves the metrics on an address until ctx is done.
func (t *Telemetry) Serve(ctx context.Context, address string, log *slog.Logger) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", t.Handler())
	s := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // Prometheus repeats an interrupted scrape
	defer stop()
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Error("cannot listen on METRICS_LISTEN, metrics are not served", "address", address, "error", err.Error())
	}
}
