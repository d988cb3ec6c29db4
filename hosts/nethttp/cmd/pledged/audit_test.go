package main

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Commands that change something are recorded with the operator's name, and the log can be verified
// against an earlier head.
func TestCommands_Recorded(t *testing.T) {
	s := newTestInstall(t)
	s.open()
	mustRun := func(command, key string) string {
		t.Helper()
		out, code := s.run(command, key)
		if code != 0 {
			t.Fatalf("%s: %s", command, out)
		}
		return out
	}
	mustRun("stop doubts", "")
	mustRun("resume", "ben's")
	mustRun("mail show", "")
	mustRun("mail stop later --stream update", "")
	if out, code := s.run("cancel pw-01jd3q5v7w9x1y2z3a4b5c6d7e", ""); code == 0 {
		t.Errorf("cancelling an unknown pledge succeeded: %s", out)
	}
	list := mustRun("audit list", "")
	var got []string
	for line := range strings.SplitSeq(list, "\n") {
		if f := strings.Fields(line); len(f) > 4 && f[0] != "NUMBER" && f[0] != "No" {
			got = append(got, strings.Join(append([]string{f[0]}, f[2:]...), " "))
		}
	}
	want := []string{"3 mail.stop host done later", "2 settlement.resume ben done", "1 settlement.stop host done doubts"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("recorded %q\n%s", got, list)
	}
	if out := mustRun("audit list --action mail.stop --csv", ""); strings.Count(out, "mail.stop") != 1 ||
		!strings.Contains(out, "number,created_at,action,") {
		t.Errorf("as CSV: %s", out)
	}
	if out, code := s.run("settle song --release", ""); code == 0 {
		t.Errorf("settling an unfunded campaign succeeded: %s", out)
	}
	if out := mustRun("audit list --campaign song", ""); !strings.Contains(out, "settlement.release") ||
		strings.Contains(out, "settlement.run") {
		t.Errorf("release whose settlement was rejected: %s", out)
	}
	head := regexp.MustCompile(`4:[0-9a-f]{64}`).FindString(mustRun("audit verify", ""))
	mustRun("resume", "")
	mustRun("audit verify --head "+head, "")
	for _, wrong := range []string{"4:" + strings.Repeat("0", 64), "9" + head[1:]} {
		if out, code := s.run("audit verify --head "+wrong, ""); code == 0 || !strings.Contains(out, "audit log is broken") {
			t.Errorf("head %s was accepted: %s", wrong, out)
		}
	}
	for _, bad := range []string{"x", "3", "x:y", "0:ab"} {
		if out, code := s.run("audit verify --head "+bad, ""); code == 0 || !strings.Contains(out, "--head") {
			t.Errorf("--head %s: %s", bad, out)
		}
	}
}

// A user is added on the command line, signs in with the printed link, and is removed.
func TestPeople_CommandLine(t *testing.T) {
	s := newTestInstall(t)
	mustRun := func(command string, want ...string) string {
		t.Helper()
		out, code := s.run(command, "")
		if code != 0 {
			t.Fatalf("%s: %s", command, out)
		}
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s printed %s, want %s", command, out, w)
			}
		}
		return out
	}
	mustRun("admin add ada@example.com --name Ada", "Added ada@example.com as super admin")
	mustRun("admin add ben@example.com --name Ben --campaign song --permission content,fulfilment --language es",
		"as user of song")
	mustRun("admin list", "everything", "content, fulfilment")
	for _, wrong := range []string{
		"admin add ada@example.com --name Ada", "admin add cy@example.com --name Cy --campaign nothing",
		"admin add cy --name Cy",
		"admin add cy@example.com --name Cy --campaign song --permission everything", "admin link cy@example.com",
		"admin remove cy@example.com", "admin reset cy@example.com", "admin remove ada@example.com",
	} {
		if out, code := s.run(wrong, ""); code == 0 {
			t.Errorf("%s: %s", wrong, out)
		}
	}
	token := regexp.MustCompile(`/admin/#sign-in=([\w-]+)`).FindStringSubmatch(mustRun("admin link ben@example.com"))
	_, cookie, err := s.open().Services.Access.SignIn(t.Context(), access.Proof{Link: token[1]})
	if err != nil {
		t.Fatal(err)
	}
	mustRun("admin reset ada@example.com", "Removed all passkeys")
	mustRun("admin remove ben@example.com", "ended their sessions")
	if _, err := s.open().Services.Access.Check(t.Context(), cookie); fault.CodeOf(err) != fault.Unauthorized {
		t.Errorf("the removed user is still signed in: %v", err)
	}
	mustRun("audit list", "user.save", "session.link", "user.reset_passkeys", "user.delete")
	mustRun("audit list --csv --action session.link", "ben@example.com")
}

// reading lists commands that change nothing, or whose changes are recorded elsewhere.
var reading = []string{
	"initCommand", "checkCommand", "doctorCommand", "serveCommand", "demoCommand", "buildCommand",
	"quoteCommand", "rehearseCommand", "reconcileCommand", "ledgerCommand", "disputesCommand", "payoutsCommand",
	"mailShowCommand", "mailPreviewCommand", "auditListCommand", "adminListCommand", "auditVerifyCommand",
	"pledgesReportCommand", "fulfillmentReportCommand",
	"ordersCommand", "backupCommand", "restoreCommand", "operatorCommand", "openAPICommand",
	"schemaCommand", "previewCommand", "versionCommand",
}

// Every command that changes something describes its act.
func TestCommands_Classified(t *testing.T) {
	var walk func(all reflect.Type)
	walk = func(all reflect.Type) {
		for f := range all.Fields() {
			if _, command := f.Tag.Lookup("cmd"); !command {
				continue
			}
			if !f.Type.Implements(reflect.TypeFor[runner]()) {
				walk(f.Type)
				continue
			}
			reads := strings.Contains(" "+strings.Join(reading, " ")+" tax", " "+f.Type.Name()) ||
				strings.HasPrefix(f.Type.Name(), "tax")
			if f.Type.Implements(reflect.TypeFor[actor]()) == reads {
				t.Errorf("%s reads: %t", f.Type.Name(), reads)
			}
		}
	}
	walk(reflect.TypeFor[commands]())
}
