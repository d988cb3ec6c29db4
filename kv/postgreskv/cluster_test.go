package postgreskv_test

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
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/internal/freeport"
)

// required says that a database that is missing is a failure: make unit, which installs
// it, sets it.
const required = "PLEDGEWORKS_POSTGRES"

// cluster is a database server of these tests, on a free port, with its data in a
// folder that is removed.
type cluster struct {
	bin, dir string
	port     int
	as       *syscall.SysProcAttr
	cmd      *exec.Cmd
	log      bytes.Buffer
}

// programs finds where the server's programs lie.
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

// credentials are those of the server's own user where the tests run as root, as whom
// it does not start.
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
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, uid, err //nolint:gosec // IDs of users
}

func newCluster() (*cluster, error) {
	c := &cluster{bin: programs()}
	if c.bin == "" {
		return nil, errors.New("PostgreSQL is missing: make postgres installs it")
	}
	var uid int
	var err error
	if c.as, uid, err = credentials(); err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp("", "pledgeworks-postgres-"); err != nil {
		return nil, err
	}
	if err := os.Chown(c.dir, uid, -1); err != nil {
		return nil, err
	}
	init := exec.Command(filepath.Join(c.bin, "initdb"), "-D", filepath.Join(c.dir, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
	init.SysProcAttr, init.Dir = c.as, c.dir
	if out, err := init.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	if c.port, err = freeport.Find(); err != nil {
		return nil, err
	}
	return c, c.start()
}

// start starts the server and waits until it answers.
func (c *cluster) start() error {
	c.cmd = exec.Command(filepath.Join(c.bin, "postgres"), "-D", filepath.Join(c.dir, "data"), "-p", strconv.Itoa(c.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200")
	c.cmd.SysProcAttr, c.cmd.Dir, c.cmd.Stderr = c.as, c.dir, &c.log
	if err := c.cmd.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, c.url("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the server does not answer: %w: %s", err, c.log.String())
		}
	}
}

func (c *cluster) url(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", c.port, database)
}

// kill ends the server in the middle of what it does; the next start recovers.
func (c *cluster) kill() {
	_ = c.cmd.Process.Signal(syscall.SIGQUIT)
	_ = c.cmd.Wait() // it says how it ended
}

func (c *cluster) remove() {
	c.kill()
	_ = os.RemoveAll(c.dir)
}

var (
	shared  *cluster
	without error // why there is no server
	once    sync.Once
)

// database returns the address of a new, empty database.
func database(t testing.TB) string {
	t.Helper()
	once.Do(func() { shared, without = newCluster() })
	if without != nil {
		if os.Getenv(required) != "" {
			t.Fatal(without)
		}
		t.Skip(without)
	}
	return shared.database(t)
}

var made int

func (c *cluster) database(t testing.TB) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	made++
	name := "test" + strconv.Itoa(made)
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
	if err = errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	return c.url(name)
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil {
		shared.remove()
	}
	os.Exit(code)
}
