//go:build !demo

package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"go.opentelemetry.io/otel/sdk/trace"
)

// Lookup reads an environment variable.
type Lookup func(string) (string, bool)

// unsupported lists OpenTelemetry variables that are rejected, because ignoring them would send
// traces in another way than configured.
var unsupported = []string{"CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"}

// otlp exports traces with OTLP/HTTP in JSON. It implements trace.SpanExporter.
type otlp struct {
	address string
	header  http.Header
	client  *retryablehttp.Client
}

const defaultTimeout = 10 * time.Second

// newOTLP reads OpenTelemetry's standard variables. It fails for an unknown exporter, an
// unsupported protocol or security option, and for an invalid address.
func newOTLP(lookup Lookup) (*otlp, error) {
	if kind := value(lookup, "OTEL_TRACES_EXPORTER"); kind != "" && kind != "otlp" {
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: use otlp or none", kind)
	}
	if protocol := exporterURL(lookup, "PROTOCOL"); protocol != "" && protocol != "http/json" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q: only HTTP is supported, so use http/json and the collector's HTTP port (4318)", protocol)
	}
	for _, name := range unsupported {
		if exporterURL(lookup, name) != "" {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_%s is not supported: add the certificate authority to the system's trust store", name)
		}
	}
	o := &otlp{header: http.Header{}, client: retryablehttp.NewClient()}
	o.client.Logger, o.client.RetryMax, o.client.HTTPClient.Timeout = nil, 3, defaultTimeout
	if ms := exporterURL(lookup, "TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q: use a number of milliseconds", ms)
		}
		o.client.HTTPClient.Timeout = time.Duration(n) * time.Millisecond
	}
	o.address = cmp.Or(value(lookup, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
		strings.TrimSuffix(cmp.Or(value(lookup, "OTEL_EXPORTER_OTLP_ENDPOINT"), "http://localhost:4318"), "/")+"/v1/traces")
	if u, err := url.Parse(o.address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is not a URL such as http://localhost:4318")
	}
	return o, o.readHeaders(exporterURL(lookup, "HEADERS"))
}

func value(lookup Lookup, name string) string {
	v, _ := lookup(name)
	return strings.TrimSpace(v)
}

// exporterURL returns an exporter variable: the one for traces, else the general one.
func exporterURL(lookup Lookup, name string) string {
	return cmp.Or(value(lookup, "OTEL_EXPORTER_OTLP_TRACES_"+name), value(lookup, "OTEL_EXPORTER_OTLP_"+name))
}

// readHeaders parses "api-key=secret,tenant=a%20b".
func (o *otlp) readHeaders(list string) error {
	o.header.Set("Content-Type", "application/json")
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, text, ok := strings.Cut(pair, "=")
		text, err := url.PathUnescape(strings.TrimSpace(text))
		if key = strings.TrimSpace(key); !ok || err != nil || key == "" {
			return errors.New("OTEL_EXPORTER_OTLP_HEADERS is not a list of key=value")
		}
		o.header.Set(key, text)
	}
	return nil
}

// ExportSpans sends finished spans.
func (o *otlp) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	body, err := json.Marshal(messageOf(spans))
	if err != nil {
		return err
	}
	r, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, o.address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = o.header.Clone()
	res, err := o.client.Do(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	if res.StatusCode/100 != 2 {
		err = errors.Join(err, fmt.Errorf("the collector answered %s", res.Status))
	}
	return errors.Join(err, res.Body.Close())
}

// Shutdown implements trace.SpanExporter. Nothing is buffered.
func (o *otlp) Shutdown(context.Context) error { return nil }
