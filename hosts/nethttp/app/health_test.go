package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/hosts/config"
)

// nameServer answers TXT queries (RFC 1035): NXDOMAIN for unknown names, no records for names
// without texts, and SERVFAIL for names with the only text "fail".
func nameServer(t *testing.T, zone map[string][]string) *net.Resolver {
	t.Helper()
	l, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := l.ReadFrom(buffer)
			if err != nil {
				return
			}
			if answer := answerOf(buffer[:n], zone); answer != nil {
				_, _ = l.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", l.LocalAddr().String())
	}}
}

func answerOf(question []byte, zone map[string][]string) []byte {
	const header, typeTXT = 12, 16
	var labels []string
	i := header
	for i < len(question) && question[i] != 0 {
		end := i + 1 + int(question[i])
		labels = append(labels, string(question[i+1:end]))
		i = end
	}
	i += 5 // end of the name, type and class
	texts, known := zone[strings.Join(labels, ".")]
	if i > len(question) || binary.BigEndian.Uint16(question[i-4:]) != typeTXT {
		return nil
	}
	out := slices.Clone(question[:i])
	code := byte(0)
	switch {
	case !known:
		code = 3
	case slices.Equal(texts, []string{"fail"}):
		code, texts = 2, nil
	}
	out[2], out[3] = 0x81, 0x80|code                        // response, recursion desired and available
	binary.BigEndian.PutUint16(out[6:], uint16(len(texts))) //nolint:gosec // few
	binary.BigEndian.PutUint32(out[8:], 0)                  // no authority and additional records
	for _, text := range texts {
		out = append(out, 0xc0, header, 0, typeTXT, 0, 1, 0, 0, 0, 60) // name of the question, IN, TTL one minute
		out = binary.BigEndian.AppendUint16(out, uint16(len(text)+1))  //nolint:gosec // short
		out = append(append(out, byte(len(text))), text...)
	}
	return out
}

// Domain records are looked up from a name server over the network.
func TestDoctor_DNSRecords(t *testing.T) {
	resolver := nameServer(t, map[string][]string{
		"send.good.example": {"v=spf1 include:amazonses.com ~all"}, "resend._domainkey.good.example": {"p=MIG"},
		"_dmarc.good.example": {"v=DMARC1; p=reject"},
		"send.empty.example":  {}, "empty.example": {"something"}, "send.down.example": {"fail"},
	})
	o := outside{resolver: resolver}
	for domain, want := range map[string][]string{
		"good.example": {"domain"}, "empty.example": {"mail.spf", "mail.dkim", "mail.dmarc"}, "down.example": {"dns.silent"},
	} {
		d := health.Domain{Name: domain, ReturnPaths: []string{"send." + domain, domain}, Selector: "resend"}
		r := health.Deps{Now: fixed, Resolver: o, Domains: []health.Domain{d}}.Run(t.Context(), nil)
		var got []string
		for _, f := range r.Findings[1:] {
			got = append(got, f.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %+v", domain, r.Findings)
		}
	}
}

// secure listens with a certificate that expires at a given time.
func secure(t *testing.T, ends time.Time) (address string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: ends.AddDate(-1, 0, 0), NotAfter: ends,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0,
			1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{MinVersion: tls.VersionTLS12,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.(*tls.Conn).HandshakeContext(context.Background())
			_ = c.Close()
		}
	}()
	is, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(is)
	return l.Addr().String(), roots
}

func TestDoctor_Certificates(t *testing.T) {
	for name, ends := range map[string]time.Time{"one that is good": time.Now().AddDate(0, 1, 0),
		"one that has ended": time.Now().AddDate(0, -1, 0)} {
		address, roots := secure(t, ends)
		got, err := outside{roots: roots}.certificate(t.Context(), address)
		if err != nil || !got.Equal(ends.Truncate(time.Second)) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	address, _ := secure(t, time.Now().AddDate(0, 1, 0))
	if _, err := (outside{roots: x509.NewCertPool()}).certificate(t.Context(), address); err == nil {
		t.Error("an untrusted certificate was accepted")
	}
	if _, err := (outside{}).certificate(t.Context(), "127.0.0.1:1"); err == nil {
		t.Error("a server without a certificate was accepted")
	}
}

func TestDoctor_Disk(t *testing.T) {
	free, size, err := diskSpace(filepath.Join(t.TempDir(), "not/there/yet"))
	if err != nil || free == 0 || size < free {
		t.Errorf("%d of %d, %v", free, size, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := diskSpace(filepath.Join(file, "below")); err == nil {
		t.Error("disk space was returned for a path below a file")
	}
}

// A server has its own health checks for engine, schema, backup and content.
func TestDoctor_ServerHealth(t *testing.T) {
	content := t.TempDir()
	if err := os.MkdirAll(filepath.Join(content, "campaigns"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(content, "campaigns", "film.md")
	if err := os.WriteFile(file, []byte(film), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Demo(rand.Reader, os.DirFS(content),
		map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data")})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(),
		Options{Config: cfg, Content: os.DirFS(content), Now: fixed, Log: slog.New(slog.DiscardHandler), Version: "v9"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	checkHealth := func() map[string]health.Finding {
		r, err := a.API.CheckHealth(t.Context())
		if err != nil || r.Version != "v9" {
			t.Fatalf("%+v, %v", r, err)
		}
		all := map[string]health.Finding{}
		for _, f := range r.Findings {
			all[f.ID] = f
		}
		return all
	}
	all := checkHealth()
	for id, says := range map[string]string{"database": "SQLite, schema version 1", "backup.unknown": "",
		"content": "1 campaign was loaded", "processor.unbound": "acct_simulated"} {
		if f, found := all[id]; !found || !strings.Contains(f.Found, says) {
			t.Errorf("%s: %+v", id, all)
		}
	}
	if err := a.Engine.NoteBackup(t.Context(), noon.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(film, "goal_amount", "goal_amont", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	all = checkHealth()
	if f := all["content.broken"]; !strings.Contains(f.Found, "film.md") || f.Severity != health.Critical {
		t.Errorf("with a campaign that can't be read: %+v", all)
	}
	if f := all["backup"]; f.Found != "The last backup was made 60 minutes ago" {
		t.Errorf("after a backup: %+v", f)
	}
}

// Problems that prevent the service from starting are reported together with all other findings,
// including those about the processor.
func TestExamine(t *testing.T) {
	cfg, err := config.Demo(rand.Reader, nil,
		map[string]string{"DATA_DIR": t.TempDir(), "PSP_PROVIDER": "stripe", "PSP_API_BASE": "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	r := Examine(t.Context(), Options{Config: cfg, Content: fstest.MapFS{}, Now: fixed,
		Log: slog.New(slog.DiscardHandler)}, []string{"X is missing"}, health.DatabaseMissing("data"))
	var got []string
	for _, f := range r.Findings {
		if f.ID != "disk" && !strings.HasPrefix(f.ID, "disk.") && f.ID != "config.warning" {
			got = append(got, f.ID)
		}
	}
	if want := []string{"config.faulty", "processor.silent", "content.empty", "repository.none",
		"database.missing"}; !slices.Equal(got, want) || r.Severity != health.Critical {
		t.Errorf("%v, want %v: %+v", got, want, r)
	}
}
