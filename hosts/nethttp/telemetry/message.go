//go:build !demo

package telemetry

import (
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
)

// message is an OTLP 1 ExportTraceServiceRequest in JSON: IDs are hexadecimal, 64-bit numbers are
// strings.
type message struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource struct {
		Attributes []keyValue `json:"attributes"`
	} `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope struct {
		Name string `json:"name"`
	} `json:"scope"`
	Spans []span `json:"spans"`
}

type span struct {
	TraceID    string     `json:"traceId"`
	SpanID     string     `json:"spanId"`
	ParentID   string     `json:"parentSpanId,omitempty"`
	Name       string     `json:"name"`
	Kind       int        `json:"kind"`
	Start      string     `json:"startTimeUnixNano"`
	End        string     `json:"endTimeUnixNano"`
	Attributes []keyValue `json:"attributes"`
	Status     struct {
		Message string `json:"message,omitempty"`
		Code    int    `json:"code"`
	} `json:"status"`
}

type keyValue struct {
	Key   string            `json:"key"`
	Value map[string]string `json:"value"`
}

// statuses maps the library's status codes to OTLP's.
var statuses = map[codes.Code]int{codes.Unset: 0, codes.Ok: 1, codes.Error: 2}

// messageOf returns the message for spans of one provider, which share resource and scope.
func messageOf(spans []trace.ReadOnlySpan) message {
	if len(spans) == 0 {
		return message{}
	}
	var rs resourceSpans
	var ss scopeSpans
	rs.Resource.Attributes = pairs(spans[0].Resource().Attributes())
	ss.Scope.Name = spans[0].InstrumentationScope().Name
	for _, s := range spans {
		ss.Spans = append(ss.Spans, spanOf(s))
	}
	rs.ScopeSpans = []scopeSpans{ss}
	return message{[]resourceSpans{rs}}
}

func spanOf(s trace.ReadOnlySpan) span {
	out := span{
		TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(), Name: s.Name(), Kind: int(s.SpanKind()),
		Start: strconv.FormatInt(s.StartTime().UnixNano(), 10), End: strconv.FormatInt(s.EndTime().UnixNano(), 10), Attributes: pairs(s.Attributes()),
	}
	if s.Parent().HasSpanID() {
		out.ParentID = s.Parent().SpanID().String()
	}
	out.Status.Message, out.Status.Code = s.Status().Description, statuses[s.Status().Code]
	return out
}

func pairs(attributes []attribute.KeyValue) []keyValue {
	out := make([]keyValue, 0, len(attributes))
	for _, a := range attributes {
		kind := "stringValue"
		if a.Value.Type() == attribute.INT64 {
			kind = "intValue"
		}
		out = append(out, keyValue{string(a.Key), map[string]string{kind: a.Value.String()}})
	}
	return out
}
