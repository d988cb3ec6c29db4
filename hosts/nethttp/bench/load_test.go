package bench_test

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/bench"
)

// A slow operation delays those behind it, and their waiting time counts (no coordinated omission).
func TestRun_CoordinatedOmission(t *testing.T) {
	const stall = 300 * time.Millisecond
	r := bench.Load{Rate: 1000, Clients: 1, Count: 100}.Run(t.Context(), "stalled", func(_ context.Context, n int) error {
		if n == 0 {
			time.Sleep(stall)
		}
		return nil
	})
	if r.Good != 100 || r.Failed != 0 {
		t.Fatalf("%d succeeded, %d failed", r.Good, r.Failed)
	}
	// The last operation was due after a tenth of a second, and none started before the stall
	// ended.
	if least := time.Duration(r.Latency.Min()) * time.Microsecond; least < 150*time.Millisecond {
		t.Errorf("lowest latency = %s", least)
	}
}

func TestRun_Unlimited(t *testing.T) {
	failure := errors.New("a < b & c")
	r := bench.Load{Clients: 4, Count: 50}.Run(t.Context(), "half & half", func(_ context.Context, n int) error {
		if n%2 == 1 {
			return failure
		}
		return nil
	})
	if r.Good != 25 || r.Failed != 25 || len(r.Failures) != 5 || r.PerSecond() <= 0 {
		t.Errorf("%+v", r)
	}
	var table, plot strings.Builder
	if err := errors.Join(bench.Table(&table, r), bench.Plot(&plot, r, r)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"half & half", "max", "25", failure.Error()} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, table.String())
		}
	}
	d := xml.NewDecoder(strings.NewReader(plot.String()))
	for lines := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if lines != 2 {
				t.Errorf("the plot has %d lines", lines)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, is := token.(xml.StartElement); is && e.Name.Local == "polyline" {
			lines++
		}
	}
}

// The duration limits the load as well.
func TestRun_Duration(t *testing.T) {
	r := bench.Load{Rate: 0.001, Clients: 2, For: 20 * time.Millisecond}.Run(t.Context(), "rare",
		func(context.Context, int) error { return nil })
	if r.Good > 1 {
		t.Errorf("%d were done", r.Good)
	}
}
