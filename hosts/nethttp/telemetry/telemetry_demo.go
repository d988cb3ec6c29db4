//go:build demo

// Package telemetry lets monitors watch a server. In a program that is built with the tag
// demo it measures nothing, and refuses to be asked for more.
package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
)

// Lookup reads the environment.
type Lookup func(string) (string, bool)

// Telemetry measures nothing.
type Telemetry struct{}

var errDemo = errors.New("this program was built with -tags demo, which has no traces: build it without the tag")

// New fails where the environment asks for traces.
func New(_ string, lookup Lookup) (*Telemetry, error) {
	if endpoint, _ := lookup("OTEL_EXPORTER_OTLP_ENDPOINT"); endpoint != "" {
		return nil, errDemo
	}
	return &Telemetry{}, nil
}

// Watch looks at nothing.
func (*Telemetry) Watch(func(context.Context) (compose.Vitals, error), *slog.Logger) {}

// Call notes nothing.
func (*Telemetry) Call(context.Context, evidence.Request) {}

// Begin begins nothing.
func (*Telemetry) Begin(ctx context.Context, _ *http.Request) (context.Context, func(route string, status int)) {
	return ctx, func(string, int) {}
}

// Serve says that there are no metrics.
func (*Telemetry) Serve(_ context.Context, address string, log *slog.Logger) {
	log.Error("METRICS_LISTEN asks for metrics, which a program that was built with -tags demo has not", "address", address)
}

// Close ends nothing.
func (*Telemetry) Close(context.Context) error { return nil }
