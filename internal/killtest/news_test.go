package killtest

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
	"github.com/pledgeworks/pledgeworks/internal/crowd"
	"github.com/pledgeworks/pledgeworks/notify/resend/resendtest"
)

var recipients = flag.Int("recipients", 500, "how many get the broadcast that is killed at every step; 10000 where PLEDGEWORKS_SOAK is set")

// deadly is the mail provider, before whose eyes the program dies over each request: before
// it is read, once its mails are taken and before the answer, or around the moment in which
// the answer is written down.
type deadly struct {
	resendtest.Peer
	*world

	mu       sync.Mutex // one death at a time
	chance   *mathrand.Rand
	left     int // of the deaths to come
	requests int
	launched chan struct{} // closed once the launch is answered: until then requests wait
}

func (d *deadly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
		d.Peer.ServeHTTP(w, r)
		return
	}
	d.left--
	switch d.requests % 3 {
	case 0:
		d.dies()
	case 1:
		d.Peer.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.Background()))
		d.dies()
	case 2:
		d.Peer.ServeHTTP(w, r)
		_ = http.NewResponseController(w).Flush() // the program may have gone
		after := time.Duration(d.chance.IntN(3000)) * time.Microsecond
		go func() { // the answer ends with this call
			time.Sleep(after) // where in writing it down is chance
			d.mu.Lock()
			defer d.mu.Unlock()
			d.dies()
		}()
	}
}

func (d *deadly) dies() {
	d.fleet.strike(0, func() { d.kills++ })
}

// The real server dies while it freezes a broadcast, and then over every request of it.
// Everybody gets the mail, and nobody twice: the provider knows the keys of its requests.
func TestBroadcastKilledAtEveryStep(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a real program for a while")
	}
	n, launches := *recipients, 3
	if os.Getenv("PLEDGEWORKS_SOAK") != "" {
		n, launches = 10_000, 8
	}
	d := &deadly{chance: mathrand.New(mathrand.NewPCG(16, 7)), launched: make(chan struct{})}
	provider := httptest.NewServer(d)
	t.Cleanup(provider.Close)
	binary := build(t)
	d.world = newWorld(t, serves(t, binary), map[string]string{
		"EMAIL_API_BASE": provider.URL, "EMAIL_API_KEY": resendtest.Key, "PLEDGES_EMAIL_FROM": "pledges@example.org", "UPDATES_EMAIL_FROM": "news@example.org",
	}, 0)
	d.Now = func() time.Time { return time.Now().Add(d.offset) }
	d.write("film", 10)
	if err := crowd.Fill(t.Context(), d.sim, filepath.Join(d.fleet.servers[0].env["DATA_DIR"], app.StoreFile), n); err != nil {
		t.Fatal(err)
	}
	command(t, binary, d.fleet.servers[0].env, "rebuild", "film")
	d.fleet.start()
	d.left = n/100 + n/100/2
	id := d.launches(launches)
	states := d.sent(id)
	if diff := cmp.Diff(map[string]int{"accepted": n}, states); diff != "" {
		t.Errorf("what became of the mails (-want +got):\n%s", diff)
	}
	got := map[string]int{}
	for _, e := range d.Taken() {
		got[e.To[0]]++
	}
	twice := 0
	for to, times := range got {
		if times != 1 {
			twice++
			t.Logf("%s has it %d times", to, times)
		}
	}
	if len(got) != n || twice > 0 {
		t.Errorf("%d of %d have it, %d of them more than once", len(got), n, twice)
	}
	if d.left > 0 || d.kills < launches+n/100 {
		t.Errorf("only %d kills", d.kills)
	}
	t.Logf("%d kills, %d recipients, %d requests: %d lost, %d doubled", d.kills, n, d.requests, n-len(got), twice)
}

// launches dies so often while the broadcast is launched, and launches it in the end.
func (d *deadly) launches(times int) (id string) {
	news := map[string]any{"campaignSlug": "film", "subject": "The boards are printed", "body": "Look at *them*."}
	began := time.Now()
	if _, err := d.fleet.call("POST", "/admin/broadcast/announcement", d.asAdmin(), map[string]any{"campaignSlug": "film", "subject": "A dry run", "body": "News.", "dryRun": true}, nil); err != nil {
		d.Fatal(err)
	}
	long := 3 * time.Since(began) // about what a launch takes
	var told struct{ Broadcast struct{ ID string } }
	for range times {
		var answered sync.WaitGroup
		answered.Go(func() {
			_, _ = d.fleet.once("POST", "/admin/broadcast/announcement", d.asAdmin(), news, nil) // it may die with the program
		})
		time.Sleep(time.Duration(d.chance.Int64N(int64(long)))) // where in freezing it is chance
		d.mu.Lock()
		d.dies()
		d.mu.Unlock()
		answered.Wait()
	}
	if _, err := d.fleet.call("POST", "/admin/broadcast/announcement", d.asAdmin(), news, &told); err != nil {
		d.Fatal(err)
	}
	close(d.launched)
	return told.Broadcast.ID
}

// sent waits for the end of the broadcast. Requests over which the program died are taken up
// again after their lease, so that time has to pass where nothing else is left.
func (d *deadly) sent(id string) map[string]int {
	type status struct {
		Phase  string
		States map[string]int
	}
	var view status
	seen, idle := 0, 0
	for until := time.Now().Add(15 * patience); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
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
			continue // nobody is answered who asks about everybody
		}
		view = status{}
		if _, err := d.fleet.call("GET", "/admin/broadcast?id="+id, d.asAdmin(), nil, &view); err != nil {
			d.Fatal(err)
		}
		if view.Phase == "done" {
			return view.States
		}
	}
	d.Errorf("the broadcast is %s: %v", view.Phase, view.States)
	return view.States
}
