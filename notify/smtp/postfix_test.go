package smtp_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	account "os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/smtp"
)

var withPostfix = flag.Bool("postfix", false, "test with this machine's Postfix, as make postfix does")

// Debian's Postfix accepts a mail over an encrypted connection and delivers it unchanged to a
// mailbox, with a valid signature. It rejects an unknown recipient.
func TestPostfix(t *testing.T) {
	if !*withPostfix {
		t.Skip("run by make postfix")
	}
	options, mailbox, log := startPostfix(t)
	text, record := rsaKey(t, 2048)
	var err error
	if options.DKIM, err = smtp.NewDKIM("mail2026", text); err != nil {
		t.Fatal(err)
	}
	s, err := smtp.New(options)
	if err != nil {
		t.Fatal(err)
	}
	m := notifytest.MailTo("ana")
	m.HTML, m.Kind, m.Stream, m.Campaign = "<p>Señal = 100 %</p>\n.un punto\n", notify.DiaryEntry, notify.Updates, "noche"
	m.Unsubscribe = "https://example.org/unsubscribe?t=" + strings.Repeat("a.b_c-", 40)
	m.Attachment = notify.Attachment{Name: "pledges-noche.csv", Text: "name,total\n«Señal», 100.00\n"}
	if r, err := s.Send(t.Context(), m); err != nil || r.Outcome != notify.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	log.waitForLine("status=sent (delivered to maildir)")
	raw := delivered(t, mailbox)
	got := letter(t, raw)
	want := notifytest.Letter{From: m.From, To: m.To, ReplyTo: m.ReplyTo, Subject: m.Subject, Text: m.Text,
		HTML: m.HTML, Attachment: m.Attachment, Header: got.Header}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the mail (-want +got):\n%s", diff)
	}
	for _, h := range m.Headers() {
		if got.Header[h.Name] != h.Value {
			t.Errorf("%s is %q, want %q", h.Name, got.Header[h.Name], h.Value)
		}
	}
	if all := verifySignatures(t, raw, "mail2026._domainkey.example.org", record); len(all) != 1 || all[0].Err != nil {
		t.Errorf("the signature: %+v", all)
	}
	if r, err := s.Send(t.Context(), notifytest.MailTo("bob")); err != nil || r.Outcome != notify.Refused ||
		!strings.Contains(r.Reason, "User unknown") {
		t.Errorf("unknown recipient: %+v, %v", r, err)
	}
}

// delivered returns the one mail in a Maildir, with CRLF line endings.
func delivered(t *testing.T, mailbox string) []byte {
	files, err := filepath.Glob(filepath.Join(mailbox, "new", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("delivered: %v, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.ReplaceAll(string(raw), "\n", "\r\n"))
}

// maillog collects Postfix's log.
type maillog struct {
	t     *testing.T
	lines *bufio.Scanner
	seen  strings.Builder
}

// waitForLine reads the log until a line contains the text.
func (l *maillog) waitForLine(text string) {
	l.t.Helper()
	for l.lines.Scan() {
		l.seen.WriteString(l.lines.Text() + "\n")
		if strings.Contains(l.lines.Text(), text) {
			l.t.Log(l.lines.Text())
			return
		}
	}
	l.t.Fatalf("Postfix ended without logging %q:\n%s", text, l.seen.String())
}

const mainCF = `compatibility_level = 3.7
queue_directory = %[1]s/queue
data_directory = %[1]s/data
maillog_file = /dev/stdout
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.example.com
mydestination =
smtpd_relay_restrictions = reject_unauth_destination
smtpd_tls_security_level = may
smtpd_tls_chain_files = %[1]s/etc/server.pem
virtual_mailbox_domains = example.com
virtual_mailbox_base = %[1]s/mail
virtual_mailbox_maps = inline:{ ana@example.com=ana/ }
virtual_uid_maps = static:%[2]s
virtual_gid_maps = static:%[3]s
`

const masterCF = `127.0.0.1:%d inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`

// startPostfix starts a Postfix with its own directories, and returns how to reach it, ana's
// mailbox, and its log. It needs root, like Postfix.
func startPostfix(t *testing.T) (smtp.Options, string, *maillog) {
	dir := t.TempDir()
	nobody, err := account.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	cert, roots := certificate(t)
	port := freePort(t)
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	chain := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})...)
	for name, owner := range map[string]string{"etc": "root", "queue": "root", "data": "postfix", "mail": "nobody"} {
		makeDir(t, filepath.Join(dir, name), owner)
	}
	for name, text := range map[string]string{
		"main.cf": fmt.Sprintf(mainCF, dir, nobody.Uid, nobody.Gid), "master.cf": fmt.Sprintf(masterCF, port),
		"server.pem": string(chain),
	} {
		if err := os.WriteFile(filepath.Join(dir, "etc", name), []byte(text), 0o644); err != nil { //nolint:gosec // read by Postfix's own users
			t.Fatal(err)
		}
	}
	for _, way := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(way, 0o755); err != nil { //nolint:gosec // traversed by Postfix's own users
			t.Fatal(err)
		}
	}
	log := run(t, filepath.Join(dir, "etc"))
	log.waitForLine("daemon started")
	return smtp.Options{
		Host: "localhost", Port: port, Timeout: time.Minute, Now: time.Now,
		TLS: &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS12},
	}, filepath.Join(dir, "mail", "ana"), log
}

// run runs Postfix in the foreground until the test ends.
func run(t *testing.T, dir string) *maillog {
	cmd := exec.CommandContext(t.Context(), "postfix", "-c", dir, "start-fg")
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	cmd.Cancel = func() error { return exec.Command("postfix", "-c", dir, "stop").Run() } //nolint:noctx // the context has ended
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // ends when Postfix is stopped
		_ = in.Close()
	}()
	t.Cleanup(func() {
		go func() { _, _ = io.Copy(io.Discard, out) }() // drain the rest
		<-ended
	})
	return &maillog{t: t, lines: bufio.NewScanner(out)}
}

func makeDir(t *testing.T, dir, owner string) {
	u, err := account.Lookup(owner)
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(u.Uid) // numeric on Unix
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // traversed by Postfix's own users
		t.Fatal(err)
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal("as root alone: ", err)
	}
}

// freePort returns an unused port.
func freePort(t *testing.T) int {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
