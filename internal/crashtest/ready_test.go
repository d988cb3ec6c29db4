package crashtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
)

// A server on a full disk is not ready, reports the reason, and recovers without
// a restart.
func TestReady_FullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a real program")
	}
	disk := t.TempDir()
	mount(t, disk, "-t", "tmpfs", "-o", "size=16m", "tmpfs")
	binary := build(t)
	w := newFixture(t, launchBinary(t, binary), nil, 0)
	w.fleet.servers[0].env["DATA_DIR"] = disk
	w.checkLostWrites(binary, "the database's disk is full", func() { fillDisk(t, disk) }, func() {
		if err := os.Remove(filepath.Join(disk, filler)); err != nil {
			t.Error(err)
		}
	})
}

const filler = "filler"

// fillDisk fills the disk, including space freed by a growing database.
func fillDisk(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, filler))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 1} {
		part := make([]byte, size)
		for err = nil; err == nil; {
			_, err = f.Write(part)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
}

// The kernel rejects every write to the database's files, as after a disk error,
// and then allows them again.
func TestReady_ReadOnlyDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a real program")
	}
	disk := t.TempDir()
	binary := build(t)
	w := newFixture(t, launchBinary(t, binary), nil, 0)
	w.fleet.servers[0].env["DATA_DIR"] = disk
	database := filepath.Join(disk, "pledgeworks.db")
	protect := func(how string) error {
		out, err := exec.Command("chattr", how, disk, database, database+"-wal").CombinedOutput()
		if err != nil {
			return fmt.Errorf("chattr %s: %w: %s", how, err, out)
		}
		return nil
	}
	if out, err := exec.Command("chattr", "+i", disk).CombinedOutput(); err != nil {
		t.Skipf("files cannot be made immutable here: %v: %s", err, out)
	}
	if out, err := exec.Command("chattr", "-i", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() { _ = protect("-i") }) // otherwise the folder cannot be removed
	w.checkLostWrites(binary, "the database is read-only", func() {
		if err := protect("+i"); err != nil {
			t.Fatal(err)
		}
	}, func() {
		if err := protect("-i"); err != nil {
			t.Fatal(err)
		}
	})
}

func TestReady_ReadOnlyPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real programs and a database")
	}
	c := newCluster(t)
	binary := build(t)
	w := newFixture(t, launchBinary(t, binary), map[string]string{"DATABASE_URL": c.Database(t)}, 0)
	w.checkLostWrites(binary, "the database is read-only",
		func() { setReadOnly(t, c, true) }, func() { setReadOnly(t, c, false) })
}

func TestReady_StoppedPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real programs and a database")
	}
	c := newCluster(t)
	binary := build(t)
	w := newFixture(t, launchBinary(t, binary), map[string]string{"DATABASE_URL": c.Database(t)}, 0)
	w.checkLostWrites(binary, "cannot connect to the database", c.Kill, func() {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	})
}

// checkLostWrites runs a server whose writes fail after begin and recover after end. It checks
// the server's readiness, pledges and log, and the report of the doctor command.
func (w *fixture) checkLostWrites(binary, reason string, begin, end func()) {
	w.Helper()
	w.write("film", 10)
	w.write("dream", 900_000)
	w.fleet.start()
	s := w.fleet.servers[0]
	s.waitForReadiness("")
	w.pledges = append(w.pledges, w.buy(s, "before@example.org", "seat"))

	begin()
	s.waitForReadiness("This server cannot write: " + reason)
	if text := s.doctor(binary); !strings.Contains(text, "critical  database.unwritable") ||
		!strings.Contains(text, "The database cannot be written to: "+reason) {
		w.Errorf("doctor does not report the failure:\n%s", text)
	}
	if s.env["DATABASE_URL"] == "" { // commands to PostgreSQL are retried for longer than this client waits
		cart := map[string]any{"campaignSlug": "film", "email": "meanwhile@example.org",
			"items": []any{map[string]any{"id": "film__seat"}}}
		if status, err := s.once("POST", "/checkout-intent/start", nil, cart, nil); status != http.StatusServiceUnavailable ||
			!strings.Contains(err.Error(), reason) {
			w.Errorf("checkout without working storage: %d, %v", status, err)
		}
	}
	if log, err := os.ReadFile(s.log.Name()); err != nil ||
		!strings.Contains(string(log), "server cannot write and is not ready") || !strings.Contains(string(log), reason) {
		w.Errorf("the log does not contain the reason: %v", err)
	}

	end()
	s.waitForReadiness("")
	w.pledges = append(w.pledges, w.buy(s, "after@example.org", "seat"))
	w.checkPledgesExist()
	w.checkProjections()
}

// waitForReadiness waits until /readyz responds with a message, "" for ready. A
// success is cached for a few seconds, and open connections first report their
// end.
func (s *server) waitForReadiness(want string) {
	s.t.Helper()
	got, status := s.readiness()
	for until := time.Now().Add(30 * time.Second); got != want && time.Now().Before(until); got, status = s.readiness() {
		time.Sleep(20 * time.Millisecond)
	}
	if got != want || (status == http.StatusOK) != (want == "") {
		s.t.Fatalf("/readyz answers %d %q, want %q", status, got, want)
	}
}

func (s *server) readiness() (message string, status int) {
	s.t.Helper()
	r, err := s.client.Get(s.base + "/readyz")
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var answer struct{ Error string }
	if err := json.Unmarshal(b, &answer); err != nil {
		s.t.Fatalf("%v: %s", err, b)
	}
	return answer.Error, r.StatusCode
}

// doctor runs the doctor command next to the server.
func (s *server) doctor(binary string) string {
	s.t.Helper()
	cmd := exec.Command(binary, "doctor")
	cmd.Dir = s.t.TempDir()
	for k, v := range s.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		s.t.Errorf("doctor: %v, want exit status 2", err)
	}
	return string(out)
}

// mount mounts a file system at dir until the test ends, or skips the test if the system does not
// allow mounts.
func mount(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
		t.Skipf("cannot mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// newCluster starts a separate database server.
func newCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	cluster.Shared(t) // skips the test without PostgreSQL
	c, err := cluster.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Remove)
	return c
}

func setReadOnly(t *testing.T, c *cluster.Cluster, on bool) {
	t.Helper()
	if err := c.SetReadOnly(t.Context(), on); err != nil {
		t.Fatal(err)
	}
}
