package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pledged": func() { os.Exit(run()) }})
}

// The scripts in testdata run the real program in a folder of their own.
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
			return err
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// freePort is an address that nobody listens on.
func freePort() (string, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
