//go:build !demo

package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
)

// retries configures the retries of an export while the collector is unavailable.
var retries = otlptracehttp.RetryConfig{Enabled: true, InitialInterval: time.Second,
	MaxInterval: 10 * time.Second, MaxElapsedTime: time.Minute}

// newExporter returns OpenTelemetry's exporter, which reads the standard variables. It rejects
// values that the exporter would ignore, because traces would then be sent differently than
// configured.
func newExporter(ctx context.Context) (*otlptrace.Exporter, error) {
	if kind := value("OTEL_TRACES_EXPORTER"); kind != "" && kind != "otlp" {
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: use otlp or none", kind)
	}
	if protocol := exporting("PROTOCOL"); protocol != "" && protocol != "http/json" && protocol != "http/protobuf" {
		return nil, fmt.Errorf(
			"OTEL_EXPORTER_OTLP_PROTOCOL is %q: only HTTP is supported, so use http/protobuf and the collector's HTTP port (4318)",
			protocol)
	}
	options := []otlptracehttp.Option{otlptracehttp.WithRetry(retries)}
	if endpoint := exporting("ENDPOINT"); endpoint == "" {
		options = append(options, otlptracehttp.WithInsecure()) // http://localhost:4318, as OpenTelemetry specifies
	} else if u, err := url.Parse(endpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is not a URL such as http://localhost:4318")
	}
	if ms := exporting("TIMEOUT"); ms != "" {
		if n, err := strconv.Atoi(ms); err != nil || n < 1 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q: use a number of milliseconds", ms)
		}
	}
	if err := checkHeaders(exporting("HEADERS")); err != nil {
		return nil, err
	}
	return otlptracehttp.New(ctx, options...)
}

func value(name string) string { return strings.TrimSpace(os.Getenv(name)) }

// exporting returns the value of an exporter variable: the one for traces if it is set, otherwise
// the general one.
func exporting(name string) string {
	return cmp.Or(value("OTEL_EXPORTER_OTLP_TRACES_"+name), value("OTEL_EXPORTER_OTLP_"+name))
}

// checkHeaders validates a list such as "api-key=secret,tenant=a%20b".
func checkHeaders(list string) error {
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, text, ok := strings.Cut(pair, "=")
		if _, err := url.PathUnescape(text); !ok || err != nil || strings.TrimSpace(key) == "" {
			return errors.New("OTEL_EXPORTER_OTLP_HEADERS is not a list of key=value")
		}
	}
	return nil
}
