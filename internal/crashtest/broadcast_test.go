package crashtest

import (
	"bytes"
	"context"
	"flag"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/internal/seeddata"
	"github.com/pledgeworks/pledgeworks/notify/resend/resendtest"
)

var recipients = flag.Int("recipients", 500, "number of recipients of the broadcast; 10000 if PLEDGEWORKS_SOAK is set")

// deadlyProvider is a fake mail provider that kills the server around each
// request: before reading it, after accepting its mails and before the response,
// or around the time at which the response is recorded.
type deadlyProvider struct {
	resendtest.Server
	*fixture

	mu       sync.Mutex // one kill at a time
	chance   *mathrand.Rand
	left     int // remaining kills
	requests int
	launched chan struct{} // closed once the launch has a response: until then requests wait
}

func (d *deadlyProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	select {
	case <-d.launched:
	case <-r.Context().Done():
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests++
	if d.left == 0 {
		d.Server.ServeHTTP(w, r)
		return
	}
	d.left--
	switch d.requests % 3 {
	case 0:
		d.killServer()
	case 1:
		d.Server.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.Background()))
		d.killServer()
	case 2:
		d.Server.ServeHTTP(w, r)
		_ = http.NewResponseController(w).Flush() // the server may have been killed
		after := time.Duration(d.chance.IntN(3000)) * time.Microsecond
		go func() { // the response ends with this call
			time.Sleep(after) // a random point while it is recorded
			d.mu.Lock()
			defer d.mu.Unlock()
			d.killServer()
		}()
	}
}

func (d *deadlyProvider) killServer() {
	d.fleet.killOne(0, func() { d.kills++ })
}

// The real server is killed while it freezes a broadcast, and then during each of the broadcast's
// requests. Every recipient gets the mail exactly once, because the provider detects repeated
// keys.
func TestBroadcast_KilledAtEveryStep(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a real program for a while")
	}
	n, launches := *recipients, 3
	if os.Getenv("PLEDGEWORKS_SOAK") != "" {
		n, launches = 10_000, 8
	}
	d := &deadlyProvider{chance: mathrand.New(mathrand.NewPCG(16, 7)), launched: make(chan struct{})}
	provider := httptest.NewServer(d)
	t.Cleanup(provider.Close)
	binary := build(t)
	d.fixture = newFixture(t, launchBinary(t, binary), map[string]string{
		"EMAIL_API_BASE": provider.URL, "EMAIL_API_KEY": resendtest.Key, "PLEDGES_EMAIL_FROM": "pledges@example.org",
		"UPDATES_EMAIL_FROM": "news@example.org",
	}, 0)
	d.Now = func() time.Time { return time.Now().Add(d.offset) }
	d.write("film", 10)
	if err := seeddata.Fill(t.Context(), d.sim,
		filepath.Join(d.fleet.servers[0].env["DATA_DIR"], app.StoreFile), n); err != nil {
		t.Fatal(err)
	}
	command(t, binary, d.fleet.servers[0].env, "rebuild", "film")
	d.fleet.start()
	d.left = n/100 + n/100/2
	id := d.launch(launches)
	states := d.waitForEnd(id)
	if diff := cmp.Diff(map[string]int{"accepted": n}, states); diff != "" {
		t.Errorf("states of the mails (-want +got):\n%s", diff)
	}
	got := map[string]int{}
	for _, e := range d.Accepted() {
		got[e.To[0]]++
	}
	twice := 0
	for to, times := range got {
		if times != 1 {
			twice++
			t.Logf("%s got the mail %d times", to, times)
		}
	}
	if len(got) != n || twice > 0 {
		t.Errorf("%d of %d recipients got the mail, %d of them more than once", len(got), n, twice)
	}
	if d.left > 0 || d.kills < launches+n/100 {
		t.Errorf("only %d kills", d.kills)
	}
	t.Logf("%d kills, %d recipients, %d requests: %d lost, %d duplicated", d.kills, n, d.requests, n-len(got), twice)
}

// launch requests the broadcast's launch repeatedly and kills the server at a random point of
// each request. It then launches the broadcast without a kill and returns its ID.
func (d *deadlyProvider) launch(times int) (id string) {
	news := map[string]any{"campaignSlug": "film", "subject": "The boards are printed", "body": "Look at *them*."}
	began := time.Now()
	if _, err := d.fleet.call("POST", "/admin/broadcast/announcement", d.asAdmin(),
		map[string]any{"campaignSlug": "film", "subject": "A dry run", "body": "News.", "dryRun": true}, nil); err != nil {
		d.Fatal(err)
	}
	long := 3 * time.Since(began) // about the duration of a launch
	var told struct{ Broadcast struct{ ID string } }
	for range times {
		var answered sync.WaitGroup
		answered.Go(func() {
			// the response is lost if the server is killed
			_, _ = d.fleet.once("POST", "/admin/broadcast/announcement", d.asAdmin(), news, nil)
		})
		time.Sleep(time.Duration(d.chance.Int64N(int64(long)))) // a random point while it is frozen
		d.mu.Lock()
		d.killServer()
		d.mu.Unlock()
		answered.Wait()
	}
	if _, err := d.fleet.call("POST", "/admin/broadcast/announcement", d.asAdmin(), news, &told); err != nil {
		d.Fatal(err)
	}
	close(d.launched)
	return told.Broadcast.ID
}

// waitForEnd waits for the end of the broadcast and returns the number of its recipients by
// state. Interrupted requests are retried after their lease, so the clock is advanced when no
// other work remains.
func (d *deadlyProvider) waitForEnd(id string) map[string]int {
	type status struct {
		Phase  string
		States map[string]int
	}
	var view status
	seen, idle := 0, 0
	for until := time.Now().Add(3 * patience); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		d.mu.Lock()
		if idle++; d.requests > seen {
			seen, idle = d.requests, 0
		}
		if idle > 60 {
			idle = 0
			d.shift(11 * time.Minute)
		}
		dying := d.left > 0
		d.mu.Unlock()
		if dying {
			continue // the details are not available yet
		}
		view = status{}
		if _, err := d.fleet.call("GET", "/admin/broadcast?id="+id, d.asAdmin(), nil, &view); err != nil {
			d.Fatal(err)
		}
		if view.Phase == "done" {
			return view.States
		}
	}
	d.Errorf("broadcast is %s: %v", view.Phase, view.States)
	return view.States
}
