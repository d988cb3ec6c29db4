//go:build !demo

package telemetry

import (
	"fmt"
	"io"
	"strings"
)

// gauges writes metrics in Prometheus format. Write errors are ignored, because an interrupted
// scrape is repeated.
type gauges struct{ io.Writer }

// gauge writes a gauge with one value.
func (g gauges) gauge(name, help string, value float64, labels ...string) {
	g.head(name, help)
	g.one(name, value, labels...)
}

func (g gauges) head(name, help string) {
	_, _ = fmt.Fprintf(g, "# HELP %[1]s %s\n# TYPE %[1]s gauge\n", named(name, nil), help)
}

func (g gauges) one(name string, value float64, labels ...string) {
	_, _ = fmt.Fprintf(g, "%s %v\n", named(name, labels), value)
}

// named formats a metric name with labels, which come in pairs.
func named(name string, labels []string) string {
	var pairs []string
	for i := 0; i < len(labels); i += 2 {
		pairs = append(pairs, fmt.Sprintf("%s=%q", labels[i], labels[i+1]))
	}
	if name = "pledgeworks_" + name; len(pairs) == 0 {
		return name
	}
	return name + "{" + strings.Join(pairs, ",") + "}"
}
