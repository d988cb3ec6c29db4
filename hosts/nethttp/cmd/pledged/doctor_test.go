package main

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/hosts/config"
)

// report runs the command with JSON output and returns the report.
func (s *testInstall) report() (r health.Report, code int) {
	s.t.Helper()
	s.close()
	s.env["CLOCK_OFFSET_SECONDS"] = strconv.Itoa(int(time.Until(s.now).Seconds()))
	defer delete(s.env, "CLOCK_OFFSET_SECONDS")
	var out bytes.Buffer
	w := &environ{ctx: s.t.Context(), out: &out, err: s.t.Output(), lookup: config.Values(s.env)}
	code = execute(w, []string{"doctor", "--json"})
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		s.t.Fatalf("%v: %s", err, &out)
	}
	return r, code
}

func (s *testInstall) wantFound(r health.Report, ids ...string) {
	s.t.Helper()
	found := map[string]bool{}
	for _, f := range r.Findings {
		found[f.ID] = true
	}
	for _, id := range ids {
		if !found[id] {
			s.t.Errorf("%s was not found: %+v", id, r.Findings)
		}
	}
}

// The exit status reflects the severity, and problems that prevent a start are found.
func TestDoctor(t *testing.T) {
	s := newTestInstall(t)
	r, code := s.report()
	s.wantFound(r, "configuration", "content", "database.missing")
	if code != 1 {
		t.Errorf("before the first start: exit status %d", code)
	}
	if _, err := os.Stat(s.env["DATA_DIR"]); err == nil {
		t.Error("the check created the data directory")
	}

	s.pledge("bob", "download", "4242424242424242")
	for _, name := range []string{"ada", "ben"} {
		if _, err := s.open().Services.Access.Save(t.Context(), "",
			access.User{Email: name + "@example.org", Name: name, Role: access.SuperAdmin}); err != nil {
			t.Fatal(err)
		}
	}
	r, code = s.report()
	s.wantFound(r, "database", "processor.unbound", "people", "cron.never", "backup.unknown", "campaigns")
	if code != 0 || r.Severity != health.Notice {
		t.Errorf("with two super admins: exit status %d: %+v", code, r)
	}
	text, code := s.run("doctor", "")
	for _, says := range []string{"No server runs on", "notice    backup.unknown     No backup",
		"→ Run pledged backup", "0 critical, 0 warnings"} {
		if !strings.Contains(text, says) || code != 0 {
			t.Errorf("exit status %d, output lacks %q:\n%s", code, says, text)
		}
	}
	if strings.Contains(text, "bob") || strings.Contains(text, s.env["ADMIN_SECRET"]) {
		t.Errorf("output contains a supporter or a secret:\n%s", text)
	}

	s.must("backup " + filepath.Join(t.TempDir(), "copy.db"))
	r, _ = s.report()
	s.wantFound(r, "backup")

	database := filepath.Join(s.env["DATA_DIR"], "pledgeworks.db")
	if err := os.WriteFile(database, []byte(strings.Repeat("no database at all ", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	r, code = s.report()
	s.wantFound(r, "database.closed", "content", "disk")
	if code != 2 {
		t.Errorf("with a damaged database: exit status %d", code)
	}
	s.env["MAGIC_LINK_SECRET"] = "short"
	r, code = s.report()
	s.wantFound(r, "config.faulty")
	if code != 2 {
		t.Errorf("with a faulty configuration: exit status %d", code)
	}
}

// A running server checks itself. If it rejects the command, that is a finding, and the other
// checks run in the client.
func TestDoctor_Server(t *testing.T) {
	s := newTestInstall(t)
	a := s.open()
	stop, err := acceptCommands(a, "http://127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	runDoctor := func() (string, int) {
		var out bytes.Buffer
		code := execute(&environ{ctx: t.Context(), out: &out, err: &out, lookup: config.Values(s.env)}, []string{"doctor"})
		return out.String(), code
	}
	if out, code := runDoctor(); code != 1 || !strings.Contains(out, "Through the server at http://127.0.0.1.") ||
		!strings.Contains(out, "warning   people.none") {
		t.Errorf("exit status %d: %s", code, out)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(s.env["DATA_DIR"], socketFile))
	if err != nil {
		t.Fatal(err)
	}
	older := &http.Server{ReadHeaderTimeout: time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(reply{Failed: "the server runs version v0.1"})
		})}
	go func() { _ = older.Serve(l) }()
	defer func() { _ = older.Close() }()
	if out, code := runDoctor(); code != 1 ||
		!strings.Contains(out, "did not return its own health report: the server runs version v0.1") ||
		!strings.Contains(out, "1 campaign was loaded") {
		t.Errorf("with a server of another version: exit status %d: %s", code, out)
	}
}
