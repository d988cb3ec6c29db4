//go:build !demo

package telemetry_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/telemetry"
)

// request is a collector's view of an export.
type request struct {
	ResourceSpans []struct {
		Resource struct {
			Attributes []struct {
				Key   string
				Value struct{ StringValue, IntValue string }
			}
		}
		ScopeSpans []struct {
			Scope struct{ Name string }
			Spans []struct {
				TraceID, SpanID, ParentSpanID      string
				Name                               string
				Kind                               int
				StartTimeUnixNano, EndTimeUnixNano string
				Attributes                         []struct{ Key string }
				Status                             struct{ Code int }
			}
		}
	}
}

// Traces are sent to the endpoint in the standard variables, and contain the processor calls.
func TestTraces(t *testing.T) {
	got := make(chan *http.Request, 8)
	bodies := make(chan request, 8)
	busy := true
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy { // the export is retried
			busy = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var in request
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		got <- r
		bodies <- in
	}))
	defer collector.Close()
	tel, host, h := watched(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL + "/", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_SERVICE_NAME": "harbor",
		"OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=north%20sea, x-key=k",
	})
	r := httptest.NewRequest("GET", "/stats/film", nil)
	r.Header.Set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	h.ServeHTTP(httptest.NewRecorder(), r)
	if _, err := host.Services.Settlement.Processor.CreateCustomer(t.Context(), psp.NewCustomer{Key: "k", Email: "a@example.org"}); err != nil {
		t.Fatal(err)
	}
	if err := tel.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent, in := <-got, <-bodies
	if sent.URL.Path != "/v1/traces" || sent.Header.Get("Content-Type") != "application/json" || sent.Header.Get("X-Tenant") != "north sea" || sent.Header.Get("X-Key") != "k" {
		t.Errorf("%s with %v", sent.URL, sent.Header)
	}
	named := ""
	for _, a := range in.ResourceSpans[0].Resource.Attributes {
		if a.Key == "service.name" {
			named = a.Value.StringValue
		}
	}
	spans := in.ResourceSpans[0].ScopeSpans[0].Spans
	if named != "harbor" || len(spans) != 2 {
		t.Fatalf("%q sent %+v", named, spans)
	}
	page, call := spans[0], spans[1]
	if page.Name != "GET /stats/:slug" || page.Kind != 2 || page.TraceID != "4bf92f3577b34da6a3ce929d0e0e4736" || page.ParentSpanID != "00f067aa0ba902b7" ||
		len(page.SpanID) != 16 || page.StartTimeUnixNano > page.EndTimeUnixNano || page.Status.Code != 0 {
		t.Errorf("%+v", page)
	}
	if call.Name != "processor customers.create" || call.Kind != 3 || call.ParentSpanID != "" {
		t.Errorf("%+v", call)
	}
	if b, err := json.Marshal(in); err != nil || strings.Contains(string(b), "example.org") {
		t.Errorf("an address was sent, %v", err)
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
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": here, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": here, "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE": "ca.pem"}, "OTEL_EXPORTER_OTLP_CERTIFICATE"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": here, "OTEL_EXPORTER_OTLP_TIMEOUT": "10s"}, "OTEL_EXPORTER_OTLP_TIMEOUT"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": here, "OTEL_EXPORTER_OTLP_HEADERS": "key"}, "OTEL_EXPORTER_OTLP_HEADERS"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": here, "OTEL_EXPORTER_OTLP_HEADERS": "key=%zz"}, "OTEL_EXPORTER_OTLP_HEADERS"},
	} {
		tel, err := telemetry.New("", lookup(tt.env))
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v: %v, want it to name %q", tt.env, err, tt.says)
		}
		if err == nil && tel.Close(t.Context()) != nil {
			t.Errorf("%v: %v", tt.env, err)
		}
	}
}
