package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// socketFile is the socket in the data directory on which a server accepts commands. Using it
// requires write access to the directory.
const socketFile = "pledged.sock"

// runner is a command.
type runner interface{ Run(w *environ) error }

// instruction is a request to a server to run a command.
type instruction struct {
	Version     string          `json:"version"` // of the requesting program
	Command     string          `json:"command"` // type of the command
	Arguments   json.RawMessage `json:"arguments"`
	OperatorKey string          `json:"operatorKey,omitempty"`
}

// reply is one line of the response: a part of the output or of the error output, or the result.
type reply struct {
	Out    string `json:"out,omitempty"`
	Err    string `json:"err,omitempty"`
	Ended  bool   `json:"ended,omitempty"`
	Failed string `json:"failed,omitempty"`
}

// acceptCommands lets other processes run commands on the service until the returned function is
// called. It does nothing if another server holds the data directory.
func acceptCommands(a *app.App, base string) (stop func() error, err error) {
	if !a.OwnsFolder() {
		return func() error { return nil }, nil
	}
	path := filepath.Join(a.Config.Server.DataDir, socketFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // left by a killed server
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	s := &http.Server{Handler: controller{a, base}, ReadHeaderTimeout: 10 * time.Second}
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.Serve(l) })
	return func() error {
		err := s.Close() // cancels running commands, like Ctrl-C
		serving.Wait()
		return err
	}, nil
}

// controller runs the commands of other processes on a service.
type controller struct {
	app  *app.App
	base string // address of the service
}

func (o controller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := &lines{w: json.NewEncoder(w), flush: http.NewResponseController(w).Flush}
	var in instruction
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		answer.send(reply{Failed: "Invalid command: " + err.Error()})
		return
	}
	if err := o.run(r.Context(), in, answer); err != nil {
		answer.send(reply{Failed: err.Error()})
		return
	}
	answer.send(reply{Ended: true})
}

func (o controller) run(ctx context.Context, in instruction, answer *lines) error {
	command, err := commandOf(in)
	if err != nil {
		return err
	}
	lookup := func(name string) (string, bool) { return in.OperatorKey, name == "OPERATOR_KEY" }
	w := &environ{ctx: ctx, out: stream{answer, func(text string) reply { return reply{Out: text} }},
		err: stream{answer, func(text string) reply { return reply{Err: text} }}, lookup: lookup, app: o.app}
	fmt.Fprintf(w.err, "Through the server at %s. The server time is %s.\n", o.base, o.app.Clock())
	return command.Run(w)
}

// commandOf decodes the command by its type. It rejects commands of another program version, in
// which they could have another meaning.
func commandOf(in instruction) (runner, error) {
	if serverVersion := versionText(); in.Version != serverVersion {
		return nil, fmt.Errorf("the server runs version %s, this program is %s: restart the server or use its version",
			serverVersion, in.Version)
	}
	kind := typeNamed(reflect.TypeFor[commands](), in.Command)
	if kind == nil {
		return nil, fmt.Errorf("unknown command %q", in.Command)
	}
	c := reflect.New(kind)
	if err := json.Unmarshal(in.Arguments, c.Interface()); err != nil {
		return nil, err
	}
	return c.Elem().Interface().(runner), nil
}

// typeNamed returns the type of a command or subcommand by name.
func typeNamed(all reflect.Type, name string) reflect.Type {
	for f := range all.Fields() {
		if _, command := f.Tag.Lookup("cmd"); !command {
			continue
		}
		if f.Type.Name() == name && f.Type.Implements(reflect.TypeFor[runner]()) {
			return f.Type
		}
		if below := typeNamed(f.Type, name); below != nil {
			return below
		}
	}
	return nil
}

// lines writes a response line by line.
type lines struct {
	mu    sync.Mutex
	w     *json.Encoder
	flush func() error
}

func (l *lines) send(s reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.w.Encode(s) // fails if the client has disconnected
	_ = l.flush()
}

// stream is standard output or standard error of a command that runs in a server.
type stream struct {
	to   *lines
	part func(text string) reply
}

var _ io.Writer = stream{}

func (s stream) Write(b []byte) (int, error) {
	s.to.send(s.part(string(b)))
	return len(b), nil
}
