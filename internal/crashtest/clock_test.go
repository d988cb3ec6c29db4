package crashtest

import (
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// One of two servers has a clock that is off by twenty minutes. It accepts no checkouts and
// charges nothing; the other server does both.
func TestClock_TwentyMinutesOff(t *testing.T) {
	if testing.Short() {
		t.Skip("starts real programs and a database")
	}
	t.Parallel()
	for _, wrong := range []time.Duration{20 * time.Minute, -20 * time.Minute} {
		w := newFixture(t, launchServer(t), map[string]string{"DATABASE_URL": cluster.Database(t)}, 0, wrong)
		w.write("film", 10)
		w.write("dream", 900_000)
		w.fleet.start()
		right, off := w.fleet.servers[0], w.fleet.servers[1]
		refuses := func(path string, header map[string]string, body any) {
			t.Helper()
			status, err := off.once("POST", path, header, body, nil)
			if status != http.StatusServiceUnavailable || err == nil || !strings.Contains(err.Error(), "clock is") {
				t.Errorf("%s with a clock %s wrong: %d, %v", path, wrong, status, err)
			}
		}
		refuses("/checkout-intent/start", nil, map[string]any{"campaignSlug": "film", "email": "p@example.org",
			"items": []any{map[string]any{"id": "film__seat"}}})
		for i := range 3 {
			w.pledges = append(w.pledges, w.buy(right, fmt.Sprintf("p%d@example.org", i), "seat"))
		}
		right.kill()
		w.shift(40 * 24 * time.Hour)
		refuses("/admin/settle/film", w.asSettler(), nil)
		if n := len(w.sim.Entries()); n != 0 {
			t.Errorf("%d charges by the server with the wrong clock", n)
		}
		right.start()
		off.kill()
		w.settle()
		w.checkBooks()
	}
}

// farOff is the clock error of a machine that lost its time.
const farOff = 40 * 24 * time.Hour

// A server whose clock is far off changes nothing: no campaign is closed, no card
// is charged or deleted, no mail is sent and no record expires. Once the clock is
// correct, the service continues.
func TestClock_FarOffAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a real program for a while")
	}
	t.Parallel()
	for name, off := range map[string]time.Duration{"ahead": farOff, "behind": -farOff} {
		t.Run(name, func(t *testing.T) {
			binary := build(t)
			w := newFixture(t, launchBinary(t, binary), nil, 0)
			s := w.fleet.servers[0]
			before := w.prepareRecords(binary)

			w.restart(s, off)
			s.waitForReadiness(w.clockReason(off))
			w.checkReadOnly(s)
			time.Sleep(3 * time.Second) // long enough for the scheduled work to run
			if err := s.stop(); err != nil {
				t.Errorf("stopping the server: %v", err)
			}
			if diff := cmp.Diff(before, w.records()); diff != "" {
				t.Errorf("records changed (-before +after):\n%s", diff)
			}
			w.checkRecovered(binary)
		})
	}
}

// The processor is down when the server starts with a wrong clock. The time of
// the last hourly run reveals the error.
func TestClock_FarOffAndProcessorSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a real program for a while")
	}
	t.Parallel()
	binary := build(t)
	w := newFixture(t, launchBinary(t, binary), nil, 0)
	s := w.fleet.servers[0]
	before := w.prepareRecords(binary)

	processor := s.env["PSP_API_BASE"]
	s.env["PSP_API_BASE"] = "http://" + freeAddress(t)
	w.restart(s, farOff)
	s.waitForReadiness("This server's clock is 40 days ahead of the last hourly run, and the payment processor does not answer. Changes are rejected until the clock is corrected")
	w.checkReadOnly(s)
	time.Sleep(3 * time.Second)
	if err := s.stop(); err != nil {
		t.Errorf("stopping the server: %v", err)
	}
	if diff := cmp.Diff(before, w.records()); diff != "" {
		t.Errorf("records changed (-before +after):\n%s", diff)
	}

	w.restart(s, 0) // only the clock is corrected
	s.waitForReadiness("")
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	s.env["PSP_API_BASE"] = processor
	w.checkRecovered(binary)
}

// A server resumes work without a restart when its clock is corrected.
func TestClock_CorrectedWhileRunning(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a real program for a while")
	}
	t.Parallel()
	binary := build(t)
	w := newFixture(t, launchBinary(t, binary), nil, 0)
	s := w.fleet.servers[0]
	w.prepareRecords(binary)
	w.restart(s, farOff)
	s.waitForReadiness(w.clockReason(farOff))
	w.offset += farOff
	w.sim.Advance(farOff) // as if the clock had been set back
	s.waitForReadiness("")
	w.settle()
	w.checkBooks()
}

// With a clock that is behind, a closed campaign that missed its goal appears to
// be live. The server starts anyway.
func TestClock_BehindWithClosedCampaign(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a real program for a while")
	}
	t.Parallel()
	w := newFixture(t, launchServer(t), nil, 0)
	w.write("film", 10)
	w.write("dream", 900_000)
	s := w.fleet.servers[0]
	s.start()
	w.buyFrom(s, "dream", "first@example.org", "seat")
	w.shift(farOff)
	// the hourly run closed the campaign
	s.waitForLog(`"report":{"at":"` + time.Now().Add(w.offset).UTC().Format(time.DateOnly))
	w.shift(settlement.Reopening + time.Hour)
	s.waitForLog(`"cardsForgotten":1`)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	w.restart(s, -farOff)
	s.waitForReadiness(w.clockReason(-farOff))
	s.waitForLog("cannot check the content while the clock is wrong")
	if err := s.stop(); err != nil {
		t.Errorf("stopping the server: %v", err)
	}
	w.restart(s, 0)
	s.waitForReadiness("")
}

// One of two servers has a clock that is far off. The other one serves checkouts
// and runs the scheduled work, although it started later.
func TestClock_FarOffWithSecondServer(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real programs and a database")
	}
	for name, off := range map[string]time.Duration{"ahead": farOff, "behind": -farOff} {
		t.Run(name, func(t *testing.T) {
			binary := build(t)
			w := newFixture(t, launchBinary(t, binary), map[string]string{"DATABASE_URL": cluster.Database(t)}, 0, 0)
			right, wrong := w.fleet.servers[0], w.fleet.servers[1]
			w.prepareRecords(binary)

			w.restart(wrong, off)
			wrong.waitForReadiness(w.clockReason(off))
			w.restart(right, 0)
			right.waitForReadiness("")
			w.pledges = append(w.pledges, w.buy(right, "meanwhile@example.org", "seat"))
			w.checkReadOnly(wrong)
			right.waitForLog("leading, starting the scheduled work")
			right.waitForLog(`"msg":"cron"`)
			if log := wrong.fullLog(); strings.Contains(log, `"msg":"cron"`) ||
				strings.Contains(log, "starting the scheduled work") {
				t.Error("the server with the wrong clock ran scheduled work")
			}
			for _, s := range w.fleet.servers {
				if err := s.stop(); err != nil {
					t.Errorf("stopping the server: %v", err)
				}
			}
			w.checkRecovered(binary)
		})
	}
}

// prepareRecords creates two pledges whose mails are held, runs the hourly work,
// stops the server, and returns the stored records.
func (w *fixture) prepareRecords(binary string) map[string]string {
	w.Helper()
	w.write("film", 10)
	w.write("dream", 900_000)
	s := w.fleet.servers[0]
	s.start()
	s.waitForReadiness("")
	s.waitForLog(`"msg":"cron"`)
	command(w.T, binary, s.env, "mail", "stop", "a test holds them")
	w.pledges = append(w.pledges, w.buy(s, "first@example.org", "seat"),
		w.buyFrom(s, "dream", "second@example.org", "gold"))
	w.checkProjections()
	if err := s.stop(); err != nil {
		w.Fatal(err)
	}
	return w.records()
}

// checkRecovered runs all servers with correct clocks and checks that checkouts,
// mail and settlement work.
func (w *fixture) checkRecovered(binary string) {
	w.Helper()
	for _, s := range w.fleet.servers {
		w.restart(s, 0)
		s.waitForReadiness("")
	}
	s := w.fleet.servers[0]
	w.pledges = append(w.pledges, w.buy(s, "last@example.org", "gold"), w.buyFrom(s, "dream", "last@example.org", "seat"))
	w.checkPledgesExist()
	w.checkProjections()
	command(w.T, binary, s.env, "mail", "resume")
	w.waitForMails()
	w.shift(farOff)
	w.settle()
	w.checkBooks()
	w.checkConfirmations()
}

// restart starts a stopped server with a clock error.
func (w *fixture) restart(s *server, off time.Duration) {
	s.env["CLOCK_OFFSET_SECONDS"] = strconv.Itoa(int((w.offset + off).Seconds()))
	s.start()
}

func (w *fixture) clockReason(off time.Duration) string {
	direction := "ahead of"
	if off < 0 {
		direction = "behind"
	}
	return fmt.Sprintf(
		"This server's clock is 40 days %s the payment processor's. Changes are rejected until the clock is corrected",
		direction)
}

// checkReadOnly checks that a server rejects changes and still serves reads.
func (w *fixture) checkReadOnly(s *server) {
	w.Helper()
	if status, err := s.once("GET", "/live/film", nil, nil, nil); err != nil {
		w.Errorf("campaign numbers: %d, %v", status, err)
	}
	if status, err := s.once("GET", "/pledge?token="+w.token(w.pledges[0]), nil, nil, nil); err != nil {
		w.Errorf("pledge: %d, %v", status, err)
	}
	cart := map[string]any{"campaignSlug": "film", "email": "refused@example.org",
		"items": []any{map[string]any{"id": "film__seat"}}}
	for path, body := range map[string]any{
		"/checkout-intent/start": cart,
		"/pledge/cancel":         map[string]any{"token": w.token(w.pledges[0])},
		"/admin/settle/film":     nil,
	} {
		status, err := s.once("POST", path, w.asSettler(), body, nil)
		if status != http.StatusServiceUnavailable || !strings.Contains(err.Error(), "This server's clock is 40 days") {
			w.Errorf("%s: %d, %v", path, status, err)
		}
	}
	if n := len(w.sim.Entries()); n != 0 {
		w.Errorf("%d were charged", n)
	}
	s.waitForLog("clock is wrong, refusing all changes")
}

// waitForLog waits until a server's log contains a text.
func (s *server) waitForLog(text string) {
	s.t.Helper()
	for until := time.Now().Add(30 * time.Second); !strings.Contains(s.fullLog(),
		text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			s.t.Fatalf("the log does not contain %q", text)
		}
	}
}

// fullLog returns the log of all of the server's runs.
func (s *server) fullLog() string {
	s.t.Helper()
	b, err := os.ReadFile(s.log.Name())
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// waitForMails waits for the confirmation of every pledge.
func (w *fixture) waitForMails() {
	w.Helper()
	count := func() (n int) {
		for _, s := range w.fleet.servers {
			mails, err := app.Folder{Dir: filepath.Join(s.env["DATA_DIR"], "mails")}.Mails()
			if err != nil {
				w.Fatal(err)
			}
			for _, m := range mails {
				if m.Kind == notify.Confirmation {
					n++
				}
			}
		}
		return n
	}
	for until := time.Now().Add(30 * time.Second); count() < len(w.pledges); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			w.Fatalf("%d of %d confirmations arrived", count(), len(w.pledges))
		}
	}
}

// records reads all stored records while no server runs, as keys with values and
// expiries. It omits request counters and the test record of /readyz.
func (w *fixture) records() map[string]string {
	w.Helper()
	env := w.fleet.servers[0].env
	rows, closeDB := w.export(env)
	all := map[string]string{}
	for r, err := range rows {
		if err != nil {
			w.Fatal(err)
		}
		if r.Namespace == "ratelimit" || r.Namespace == "health" {
			continue
		}
		all[fmt.Sprintf("%s%v %s", r.Namespace, r.Object, r.Key)] = fmt.Sprintf("%s %s", r.Expires, r.Value)
	}
	if err := closeDB(); err != nil {
		w.Fatal(err)
	}
	return all
}

func (w *fixture) export(env map[string]string) (iter.Seq2[kv.Row, error], func() error) {
	w.Helper()
	if url := env["DATABASE_URL"]; url != "" {
		db, err := postgreskv.Open(w.Context(), url, postgreskv.Options{Now: time.Now})
		if err != nil {
			w.Fatal(err)
		}
		return db.Export(w.Context()), db.Close
	}
	db, err := sqlitekv.Open(w.Context(), filepath.Join(env["DATA_DIR"], app.StoreFile), sqlitekv.Options{Now: time.Now})
	if err != nil {
		w.Fatal(err)
	}
	return db.Export(w.Context()), db.Close
}
