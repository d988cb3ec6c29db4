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

// Lookup reads the environment.
type Lookup func(string) (string, bool)

// unsupported are variables of OpenTelemetry that would change how traces are sent, and
// do not here: better none than others than were asked for.
var unsupported = []string{"CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"}

// otlp sends traces by OTLP over HTTP, as JSON, which every collector takes where it
// takes protocol buffers. It implements trace.SpanExporter.
type otlp struct {
	address string
	header  http.Header
	client  *retryablehttp.Client
}

const defaultTimeout = 10 * time.Second

// newOTLP reads OpenTelemetry's standard variables. It fails for an exporter, a protocol
// and a security of the connection that there is not, and for an address that is none.
func newOTLP(lookup Lookup) (*otlp, error) {
	if kind := value(lookup, "OTEL_TRACES_EXPORTER"); kind != "" && kind != "otlp" {
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: write otlp or none", kind)
	}
	if protocol := exporting(lookup, "PROTOCOL"); protocol != "" && protocol != "http/json" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q: traces are sent over HTTP, so write http/json and the collector's port for it (4318)", protocol)
	}
	for _, name := range unsupported {
		if exporting(lookup, name) != "" {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_%s is set, which is not supported: add the authority to those that the machine trusts", name)
		}
	}
	o := &otlp{header: http.Header{}, client: retryablehttp.NewClient()}
	o.client.Logger, o.client.RetryMax, o.client.HTTPClient.Timeout = nil, 3, defaultTimeout
	if ms := exporting(lookup, "TIMEOUT"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q: write milliseconds", ms)
		}
		o.client.HTTPClient.Timeout = time.Duration(n) * time.Millisecond
	}
	o.address = cmp.Or(value(lookup, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
		strings.TrimSuffix(cmp.Or(value(lookup, "OTEL_EXPORTER_OTLP_ENDPOINT"), "http://localhost:4318"), "/")+"/v1/traces")
	if u, err := url.Parse(o.address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is not an address: write one such as http://localhost:4318")
	}
	return o, o.readHeaders(exporting(lookup, "HEADERS"))
}

func value(lookup Lookup, name string) string {
	v, _ := lookup(name)
	return strings.TrimSpace(v)
}

// exporting reads a variable of the exporter: the one for traces, or the one for all.
func exporting(lookup Lookup, name string) string {
	return cmp.Or(value(lookup, "OTEL_EXPORTER_OTLP_TRACES_"+name), value(lookup, "OTEL_EXPORTER_OTLP_"+name))
}

// readHeaders reads "api-key=secret,tenant=a%20b".
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

// ExportSpans sends what has ended.
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

// Shutdown implements trace.SpanExporter: nothing is kept.
func (o *otlp) Shutdown(context.Context) error { return nil }
