package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pledgeworks/pledgeworks/internal/freeport"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pledged": func() { os.Exit(run()) },
		"fetch":   func() { os.Exit(fetch(os.Args[1:])) },
	})
}

// fetch implements "fetch METHOD URL [BODY [BEARER]]": it prints the status and the body, retrying
// while the server is not listening yet.
func fetch(args []string) int {
	args = append(args, "", "")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		r, err := http.NewRequestWithContext(ctx, args[0], args[1], strings.NewReader(args[2]))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+args[3])
		resp, err := http.DefaultClient.Do(r)
		if errors.Is(err, syscall.ECONNREFUSED) && ctx.Err() == nil {
			runtime.Gosched()
			continue
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer resp.Body.Close()
		fmt.Println(resp.StatusCode)
		if _, err := io.Copy(os.Stdout, resp.Body); err != nil {
			return 1
		}
		return 0
	}
}

// The scripts in testdata run the real program in a separate directory.
//
// Proves CFG-31.
func TestScripts(t *testing.T) {
	site, err := filepath.Abs("../../../../examples/site")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			port, err := freePort()
			e.Setenv("SITE", site)
			e.Setenv("ADDRESS", port)
			e.Setenv("LIVE", strconv.Itoa(int(time.Until(live).Seconds())))
			return err
		},
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"latin": saveAsLatin1},
		RequireUniqueNames:  true,
	})
}

// saveAsLatin1 replaces each @ in a file with a Latin-1 ß.
func saveAsLatin1(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(name, []byte(strings.ReplaceAll(ts.ReadFile(args[0]), "@", "\xdf")), 0o600))
}

// live is a time at which a campaign of the example site accepts pledges. The environment variable
// LIVE contains its offset from now, for CLOCK_OFFSET_SECONDS.
var live = time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC)

// freePort returns an unused address.
func freePort() (string, error) {
	port, err := freeport.Find()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}
