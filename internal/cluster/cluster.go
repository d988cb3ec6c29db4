// Package cluster starts temporary PostgreSQL servers for tests, on free ports
// and with their data in a temporary folder.
//
// Most tests share one server: TestMain calls [Main], and tests call [Database].
// Tests that stop or fail over a server create their own with [New] and
// [Cluster.Standby].
package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/internal/freeport"
)

// required is the environment variable that makes a missing PostgreSQL installation a test
// failure. make unit sets it after installing PostgreSQL.
const required = "PLEDGEWORKS_POSTGRES"

// Cluster is a database server.
type Cluster struct {
	bin, dir string
	port     int
	uid      int
	as       *syscall.SysProcAttr
	cmd      *exec.Cmd
	log      bytes.Buffer
	made     int
}

// programs returns the folder of the server's programs.
func programs() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) > 0 {
		slices.Sort(found)
		return filepath.Dir(found[len(found)-1])
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

// credentials returns the postgres user's credentials if the tests run as root, because the
// server refuses to run as root.
func credentials() (*syscall.SysProcAttr, int, error) {
	if os.Geteuid() != 0 {
		return nil, os.Getuid(), nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, 0, err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, 0, err
	}
	gid, err := strconv.Atoi(u.Gid)
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, uid, err //nolint:gosec // user IDs
}

// New creates and starts a server. The caller has to call Remove.
func New() (*Cluster, error) {
	c, err := prepare()
	if err != nil {
		return nil, err
	}
	if err := c.run("initdb", "-D", c.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"); err != nil {
		return nil, err
	}
	err = c.Start()
	return c, err
}

// Standby creates and starts a standby of c that can be promoted.
func (c *Cluster) Standby() (*Cluster, error) {
	s, err := prepare()
	if err != nil {
		return nil, err
	}
	from := fmt.Sprintf("host=127.0.0.1 port=%d user=postgres application_name=standby", c.port)
	if err := s.run("pg_basebackup", "-D", s.data(), "-d", from, "-R", "--checkpoint=fast"); err != nil {
		return nil, err
	}
	err = s.Start()
	return s, err
}

// Lag stops the standby's replication once it has all committed data: later
// commits are lost if it is promoted.
func (c *Cluster) Lag(ctx context.Context, primary *Cluster) error {
	first, err := pgx.Connect(ctx, primary.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = first.Close(ctx) }()
	second, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = second.Close(ctx) }()
	var committed string
	if err := first.QueryRow(ctx, "SELECT pg_current_wal_lsn()::text").Scan(&committed); err != nil {
		return err
	}
	if err := until(ctx, second, "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn", committed); err != nil {
		return err
	}
	if _, err := second.Exec(ctx, "ALTER SYSTEM SET primary_conninfo = ''"); err != nil {
		return err
	}
	if _, err := second.Exec(ctx, "SELECT pg_reload_conf()"); err != nil {
		return err
	}
	return until(ctx, second, "SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")
}

// until repeats a query until its result is true.
func until(ctx context.Context, conn *pgx.Conn, query string, args ...any) error {
	for yes := false; !yes; {
		if err := conn.QueryRow(ctx, query, args...).Scan(&yes); err != nil {
			return err
		}
	}
	return nil
}

// SetSynchronous makes every commit wait for the standby, so that no committed data is lost
// with the server.
func (c *Cluster) SetSynchronous(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
	if err == nil {
		_, err = conn.Exec(ctx, "SELECT pg_reload_conf()")
	}
	return errors.Join(err, conn.Close(ctx))
}

// SetReadOnly makes all sessions reject writes, or allows them again.
func (c *Cluster) SetReadOnly(ctx context.Context, on bool) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	for _, statement := range []string{
		"SET default_transaction_read_only = off", // in this session
		fmt.Sprintf("ALTER SYSTEM SET default_transaction_read_only = %t", on),
		"SELECT pg_reload_conf()",
	} {
		if err == nil {
			_, err = conn.Exec(ctx, statement)
		}
	}
	return errors.Join(err, conn.Close(ctx))
}

// Promote promotes a standby.
func (c *Cluster) Promote() error { return c.run("pg_ctl", "promote", "-D", c.data()) }

// prepare creates a server's folder and finds a port.
func prepare() (*Cluster, error) {
	c := &Cluster{bin: programs()}
	if c.bin == "" {
		return nil, errors.New("PostgreSQL is not installed: run make postgres")
	}
	var err error
	if c.as, c.uid, err = credentials(); err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp("", "pledgeworks-postgres-"); err != nil {
		return nil, err
	}
	if err := os.Chown(c.dir, c.uid, -1); err != nil {
		return nil, err
	}
	c.port, err = freeport.Find()
	return c, err
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// run runs one of the server's programs.
func (c *Cluster) run(program string, args ...string) error {
	cmd := exec.Command(filepath.Join(c.bin, program), args...)
	cmd.SysProcAttr, cmd.Dir = c.as, c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return nil
}

// Start starts the server and waits until it accepts connections.
func (c *Cluster) Start() error {
	c.cmd = exec.Command(filepath.Join(c.bin, "postgres"), "-D", c.data(), "-p", strconv.Itoa(c.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200")
	c.cmd.SysProcAttr, c.cmd.Dir, c.cmd.Stderr = c.as, c.dir, &c.log
	if err := c.cmd.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, c.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the server does not accept connections: %w: %s", err, c.log.String())
		}
	}
}

// URL returns the URL of a database.
func (c *Cluster) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@%s/%s?sslmode=disable", c.address(), database)
}

func (c *Cluster) address() string { return fmt.Sprintf("127.0.0.1:%d", c.port) }

// WithStandby returns url, the URL of a database on c, with standby as a second host, so that
// clients can reconnect after the standby's promotion.
func (c *Cluster) WithStandby(url string, standby *Cluster) string {
	return strings.Replace(url, c.address(), c.address()+","+standby.address(), 1) +
		"&target_session_attrs=read-write"
}

// Kill terminates the server immediately. The next Start recovers its data.
func (c *Cluster) Kill() {
	if c.cmd == nil {
		return
	}
	_ = c.cmd.Process.Signal(syscall.SIGQUIT)
	_ = c.cmd.Wait() // returns the exit status
}

// Remove kills the server and removes its data.
func (c *Cluster) Remove() {
	c.Kill()
	_ = os.RemoveAll(c.dir)
}

var (
	shared      *Cluster
	unavailable error // the error of New
	once        sync.Once
)

// Shared returns the server that a package's tests share. It skips the test if
// PostgreSQL is not installed, unless it is required.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	once.Do(func() { shared, unavailable = New() })
	if unavailable != nil {
		if os.Getenv(required) != "" {
			t.Fatal(unavailable)
		}
		t.Skip(unavailable)
	}
	return shared
}

// Database creates an empty database on the shared server and returns its URL.
func Database(t testing.TB) string {
	t.Helper()
	return Shared(t).Database(t)
}

// Database creates an empty database and returns its URL.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	c.made++
	name := "test" + strconv.Itoa(c.made)
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
	if err = errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	return c.URL(name)
}

// Main runs a package's tests and removes the shared server. Call it from
// TestMain.
func Main(m *testing.M) int {
	defer func() {
		if shared != nil {
			shared.Remove()
		}
	}()
	return m.Run()
}
