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

// socketFile is where a server takes commands, in its data folder: who may write the
// database may ask.
const socketFile = "pledged.sock"

// runner is a command.
type runner interface{ Run(w *world) error }

// instruction is a command that another process asks a server to run.
type instruction struct {
	Version     string          `json:"version"` // of the program that asks
	Command     string          `json:"command"` // the command's type
	Arguments   json.RawMessage `json:"arguments"`
	OperatorKey string          `json:"operatorKey,omitempty"`
}

// reply is a part of the answer, one a line: what goes to the standard output, what to the
// error output, or how it ended.
type reply struct {
	Out    string `json:"out,omitempty"`
	Err    string `json:"err,omitempty"`
	Ended  bool   `json:"ended,omitempty"`
	Failed string `json:"failed,omitempty"`
}

// takeCommands lets other processes run commands on the service until the returned function
// is called. Where another server has the folder, that one takes them.
func takeCommands(a *app.App, base string) (stop func() error, err error) {
	if !a.OwnsFolder() {
		return func() error { return nil }, nil
	}
	path := filepath.Join(a.Config.Server.DataDir, socketFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // of a server that was killed
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
		err := s.Close() // what runs is cancelled, as by Ctrl-C
		serving.Wait()
		return err
	}, nil
}

// controller runs the commands of other processes on a service.
type controller struct {
	app  *app.App
	base string // where the service is reached
}

func (o controller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := &lines{w: json.NewEncoder(w), flush: http.NewResponseController(w).Flush}
	var in instruction
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		answer.say(reply{Failed: "The command can't be read: " + err.Error()})
		return
	}
	if err := o.run(r.Context(), in, answer); err != nil {
		answer.say(reply{Failed: err.Error()})
		return
	}
	answer.say(reply{Ended: true})
}

func (o controller) run(ctx context.Context, in instruction, answer *lines) error {
	command, err := commandOf(in)
	if err != nil {
		return err
	}
	lookup := func(name string) (string, bool) { return in.OperatorKey, name == "OPERATOR_KEY" }
	w := &world{ctx: ctx, out: stream{answer, func(text string) reply { return reply{Out: text} }},
		err: stream{answer, func(text string) reply { return reply{Err: text} }}, lookup: lookup, app: o.app}
	fmt.Fprintf(w.err, "Through the server at %s. Its clock says %s.\n", o.base, o.app.Clock())
	return command.Run(w)
}

// commandOf finds the command by its type. One of another version of the program may
// mean something else, and is refused.
func commandOf(in instruction) (runner, error) {
	if mine := versionText(); in.Version != mine {
		return nil, fmt.Errorf("the server runs version %s and you run %s: restart the server, or use its program", mine, in.Version)
	}
	kind := typeNamed(reflect.TypeFor[commands](), in.Command)
	if kind == nil {
		return nil, fmt.Errorf("the server knows no command %q", in.Command)
	}
	c := reflect.New(kind)
	if err := json.Unmarshal(in.Arguments, c.Interface()); err != nil {
		return nil, err
	}
	return c.Elem().Interface().(runner), nil
}

// typeNamed finds the type of a command that runs, among commands and those below them.
func typeNamed(all reflect.Type, name string) reflect.Type {
	for i := range all.NumField() {
		f := all.Field(i)
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

// lines writes an answer part by part.
type lines struct {
	mu    sync.Mutex
	w     *json.Encoder
	flush func() error
}

func (l *lines) say(s reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.w.Encode(s) // who has gone reads nothing
	_ = l.flush()
}

// stream is an output of a command that runs in a server.
type stream struct {
	to   *lines
	part func(text string) reply
}

var _ io.Writer = stream{}

func (s stream) Write(b []byte) (int, error) {
	s.to.say(s.part(string(b)))
	return len(b), nil
}
