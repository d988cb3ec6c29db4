//go:build !demo

package telemetry_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/telemetry"
)

// export is a request that a collector received.
type export struct {
	path    string
	header  http.Header
	body    []byte
	content collector.ExportTraceServiceRequest
}

// startCollector starts a collector whose first response is an error, so that the export is retried.
func startCollector(t *testing.T) (url string, received <-chan *export) {
	t.Helper()
	all := make(chan *export, 8)
	busy := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy {
			busy = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		e := &export{path: r.URL.Path, header: r.Header}
		var err error
		if e.body, err = io.ReadAll(r.Body); err != nil {
			t.Error(err)
		}
		if err := proto.Unmarshal(e.body, &e.content); err != nil {
			t.Error(err)
		}
		all <- e
	}))
	t.Cleanup(server.Close)
	return server.URL, all
}

// Traces are sent to the endpoint in the standard variables, and include the processor calls.
func TestTraces(t *testing.T) {
	url, received := startCollector(t)
	tel, host, h := watched(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": url + "/", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
		"OTEL_SERVICE_NAME":          "harbor",
		"OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=north%20sea, x-key=k",
	})
	r := httptest.NewRequest("GET", "/stats/film", nil)
	r.Header.Set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	h.ServeHTTP(httptest.NewRecorder(), r)
	if _, err := host.Services.Settlement.Processor.CreateCustomer(t.Context(),
		psp.NewCustomer{Key: "k", Email: "a@example.org"}); err != nil {
		t.Fatal(err)
	}
	if err := tel.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := <-received
	if sent.path != "/v1/traces" || sent.header.Get("Content-Type") != "application/x-protobuf" ||
		sent.header.Get("X-Tenant") != "north sea" || sent.header.Get("X-Key") != "k" {
		t.Errorf("%s with %v", sent.path, sent.header)
	}
	of := sent.content.GetResourceSpans()[0]
	named := ""
	for _, a := range of.GetResource().GetAttributes() {
		if a.GetKey() == "service.name" {
			named = a.GetValue().GetStringValue()
		}
	}
	spans := of.GetScopeSpans()[0].GetSpans()
	if named != "harbor" || len(spans) != 2 {
		t.Fatalf("%q sent %+v", named, spans)
	}
	page, call := spans[0], spans[1]
	if page.GetName() != "GET /stats/:slug" || page.GetKind() != traces.Span_SPAN_KIND_SERVER ||
		hex.EncodeToString(page.GetTraceId()) != "4bf92f3577b34da6a3ce929d0e0e4736" ||
		hex.EncodeToString(page.GetParentSpanId()) != "00f067aa0ba902b7" ||
		page.GetStartTimeUnixNano() > page.GetEndTimeUnixNano() ||
		page.GetStatus().GetCode() != traces.Status_STATUS_CODE_UNSET {
		t.Errorf("%+v", page)
	}
	if call.GetName() != "processor customers.create" || call.GetKind() != traces.Span_SPAN_KIND_CLIENT ||
		len(call.GetParentSpanId()) != 0 {
		t.Errorf("%+v", call)
	}
	if bytes.Contains(sent.body, []byte("example.org")) {
		t.Error("a trace contains an address")
	}
}

// OpenTelemetry's variables are either supported or rejected by name.
func TestTraces_Configuration(t *testing.T) {
	const here = "http://127.0.0.1:1"
	for _, tt := range []struct {
		env  map[string]string
		says string
	}{
		{map[string]string{}, ""},
		{map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "nonsense"}, ""},
		{map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, ""},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": here + "/x", "OTEL_EXPORTER_OTLP_TIMEOUT": "250"}, ""},
		{map[string]string{"OTEL_TRACES_EXPORTER": "pigeon"}, "OTEL_TRACES_EXPORTER"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "127.0.0.1:4318"}, "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "ftp://collector"}, "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": here, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
			"OTEL_EXPORTER_OTLP_PROTOCOL"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": here, "OTEL_EXPORTER_OTLP_TIMEOUT": "10s"},
			"OTEL_EXPORTER_OTLP_TIMEOUT"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": here, "OTEL_EXPORTER_OTLP_HEADERS": "key"},
			"OTEL_EXPORTER_OTLP_HEADERS"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": here, "OTEL_EXPORTER_OTLP_HEADERS": "key=%zz"},
			"OTEL_EXPORTER_OTLP_HEADERS"},
	} {
		t.Run(tt.says, func(t *testing.T) {
			for name, v := range tt.env {
				t.Setenv(name, v)
			}
			tel, err := telemetry.New("")
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v: error = %v, want it to name %q", tt.env, err, tt.says)
			}
			if err != nil {
				return
			}
			if err := tel.Close(t.Context()); err != nil {
				t.Errorf("%v: %v", tt.env, err)
			}
		})
	}
}
