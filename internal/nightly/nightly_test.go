package nightly

import (
	"bytes"
	"crypto/rand"
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/internal/seeddata"
)

var supporters = flag.Int("supporters", 4000, "number of supporters of the large campaign")

const few = 1000

const film = `---
title: Film
slug: film
published: true
start_date: %s
goal_deadline: %s
goal_amount: 20
---
`

// Settling a large campaign needs hardly more memory than settling a small one, because the data
// that a run keeps in memory does not grow with the campaign.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("settles thousands of pledges with a real program")
	}
	binary := filepath.Join(t.TempDir(), "pledged")
	if out, err := exec.Command("go", "run", "-exec", "cp", // from the build cache
		"../../hosts/nethttp/cmd/pledged", binary).CombinedOutput(); err != nil {
		t.Fatalf("building pledged: %v\n%s", err, out)
	}
	small, large := settle(t, binary, few), settle(t, binary, *supporters)
	if ratio := float64(large) / float64(small); ratio > 1.5 {
		t.Errorf("%d supporters take %d KiB and %d take %d KiB: %.2f times", few, small, *supporters, large, ratio)
	}
	t.Logf("%d supporters: %d MiB at most; %d supporters: %d MiB at most; %.2f times",
		few, small>>10, *supporters, large>>10,
		float64(large)/float64(small))
}

// settle returns the peak resident memory of `pledged settle`, in KiB.
func settle(t *testing.T, binary string, n int) int64 {
	t.Helper()
	values, err := config.DemoValues(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := sim.New(sim.Options{Now: time.Now, NoLimits: true, APIKey: values["PSP_SECRET_KEY_TEST"]})
	processor := httptest.NewServer(simhttp.NewHandler(s, simhttp.Options{Vendor: "Stripe"}))
	defer processor.Close()
	content, data := t.TempDir(), t.TempDir()
	day := func(d int) string { return time.Now().AddDate(0, 0, d).Format("2006-01-02") }
	if err := os.MkdirAll(filepath.Join(content, "campaigns"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, "campaigns", "film.md"),
		fmt.Appendf(nil, film, day(-30), day(-2)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := seeddata.Fill(t.Context(), s, filepath.Join(data, app.StoreFile), n); err != nil {
		t.Fatal(err)
	}
	maps.Copy(values, map[string]string{
		"PSP_PROVIDER": "stripe", "PSP_API_BASE": processor.URL, "PSP_PUBLISHABLE_KEY": "pk_test_night",
		"SALES_TAX_RATE": "0",
		"CONTENT_DIR":    content, "DATA_DIR": data, "PATH": os.Getenv("PATH"), "LOG_LEVEL": "error",
	})
	cmd := exec.Command(binary, "settle", "film")
	for k, v := range values {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	peak := watch(cmd.Process.Pid, ended)
	err = cmd.Wait()
	close(ended)
	out := text.Bytes()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("%d supporters", n)) || len(s.Entries()) != n {
		t.Fatalf("%d of %d charged: %v\n%.2000s", len(s.Entries()), n, err, out)
	}
	t.Logf("%d supporters charged in %s", n, time.Since(began).Round(time.Second))
	most := <-peak
	if most == 0 {
		t.Skip("this system does not report a process's peak memory")
	}
	return most
}

// watch reads the peak of a program's resident memory, in KiB, until it has
// ended. The system's value for an ended child includes its parent's memory.
func watch(pid int, ended <-chan struct{}) <-chan int64 {
	peak := make(chan int64, 1)
	go func() {
		var most int64
		for {
			select {
			case <-ended:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
				b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
				if err != nil {
					continue
				}
				for line := range strings.Lines(string(b)) {
					var kib int64
					if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
						most = max(most, kib)
					}
				}
			}
		}
	}()
	return peak
}
