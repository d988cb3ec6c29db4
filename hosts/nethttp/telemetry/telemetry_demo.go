//go:build demo

// Package telemetry exports metrics and traces. In a program built with -tags demo it does nothing,
// and rejects configured traces.
package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// Telemetry does nothing.
type Telemetry struct{}

var errDemo = errors.New("this program was built with -tags demo, which has no traces: build it without the tag")

// New returns a Telemetry. It fails if OTEL_EXPORTER_OTLP_ENDPOINT is set.
func New(string) (*Telemetry, error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" {
		return nil, errDemo
	}
	return &Telemetry{}, nil
}

// Watch does nothing.
func (*Telemetry) Watch(func(context.Context) (compose.Vitals, error), *slog.Logger) {}

// Call does nothing.
func (*Telemetry) RecordCall(context.Context, evidence.Request) {}

// Begin does nothing.
func (*Telemetry) Begin(ctx context.Context, _ *http.Request) (context.Context, func(route string, status int)) {
	return ctx, func(string, int) {}
}

// Serve logs that metrics are not available.
func (*Telemetry) Serve(_ context.Context, address string, log *slog.Logger) {
	log.Error("METRICS_LISTEN is not supported in a program built with -tags demo", "address", address)
}

// Close does nothing.
func (*Telemetry) Close(context.Context) error { return nil }
