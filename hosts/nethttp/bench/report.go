package bench

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"
)

// percentiles are the percentiles of the latency that Table writes.
var percentiles = []float64{50, 90, 99, 99.9, 100}

// Table writes one line per result, and some of the failures.
func Table(out io.Writer, results ...*Result) error {
	var lines strings.Builder
	lines.WriteString("operation\tclients\ttarget /s\tactual /s\tdone\tfailed\t")
	for _, p := range percentiles {
		fmt.Fprintf(&lines, "p%g ms\t", p)
	}
	for _, r := range results {
		asked := "max"
		if r.Load.Rate > 0 {
			asked = fmt.Sprintf("%g", r.Load.Rate)
		}
		fmt.Fprintf(&lines, "\n%s\t%d\t%s\t%.1f\t%d\t%d\t", r.Name, r.Load.Clients, asked, r.PerSecond(), r.Good, r.Failed)
		for _, p := range percentiles {
			fmt.Fprintf(&lines, "%.1f\t", r.at(p))
		}
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if _, err := fmt.Fprintln(t, lines.String()); err != nil {
		return err
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		for _, f := range r.Failures {
			if _, err := fmt.Fprintf(out, "%s: %s\n", r.Name, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// at returns the latency in milliseconds at a percentile.
func (r *Result) at(percent float64) float64 {
	return float64(r.Latency.ValueAtQuantile(percent)) / float64(time.Millisecond/time.Microsecond)
}

// Size and margins of the plot in pixels.
const (
	plotWidth, plotHeight = 720, 360
	left, right           = 64, 24
	top, bottom           = 24, 88
	nines                 = 4 // decades of the percentile axis: 0, 90, 99, 99.9, 99.99
)

var colours = []string{"#1f5fa8", "#b3472a", "#2c7a4b", "#7a4b9a", "#8a6d1a", "#44546a"}

// Plot draws latencies by percentile as an SVG with logarithmic axes, to show the slowest requests.
func Plot(out io.Writer, results ...*Result) error {
	high := 1.0
	for _, r := range results {
		high = max(high, r.at(100))
	}
	decades := math.Ceil(math.Log10(high)) + 1 // from a tenth of a millisecond
	x := func(percent float64) float64 {
		behind := max(1-percent/100, math.Pow10(-nines))
		return left - math.Log10(behind)/nines*(plotWidth-left-right)
	}
	y := func(ms float64) float64 {
		return plotHeight - bottom - (math.Log10(max(ms, 0.1))+1)/decades*(plotHeight-top-bottom)
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img" aria-label="Latency by percentile"><rect width="100%%" height="100%%" fill="#fff"/>`+"\n",
		plotWidth, plotHeight)
	for _, p := range []float64{0, 90, 99, 99.9, 99.99} {
		fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%g %%</text>`+"\n",
			x(p), top, plotHeight-bottom, x(p), plotHeight-bottom+16, p)
	}
	for d := range int(decades) + 1 {
		ms := math.Pow10(d - 1)
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g ms</text>`+"\n",
			left, y(ms), plotWidth-right, left-6, y(ms)+4, ms)
	}
	for i, r := range results {
		colour := colours[i%len(colours)]
		var line []string
		for p := 0.0; p <= 99.99; p = 100 - (100-p)*0.9 {
			line = append(line, fmt.Sprintf("%.1f,%.1f", x(p), y(r.at(p))))
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n",
			strings.Join(line, " "), colour)
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="10" height="10" fill="%s"/><text x="%d" y="%d">%s, %.0f/s</text>`+"\n",
			left+(i%2)*320, plotHeight-bottom+32+i/2*18, colour, left+16+(i%2)*320, plotHeight-bottom+41+i/2*18, escape(
				r.Name), r.PerSecond())
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(out, b.String())
	return err
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
