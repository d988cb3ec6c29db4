package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"reflect"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

// withService runs a command on the service: in the server of the data directory, with its clock,
// or otherwise in this process. It prints to standard error which one it uses.
func (w *environ) withService(command runner, do func(ctx context.Context, a *app.App) error) error {
	if w.app != nil {
		return w.runRecorded(w.app, command, do)
	}
	if server, err := w.dial(); err == nil {
		return w.runInServer(server, command)
	}
	a, err := w.open()
	if err != nil {
		return err
	}
	fmt.Fprintf(w.err, "No server runs on %s, using the database directly. The time is %s.\n",
		a.Config.Server.DataDir, a.Clock())
	return errors.Join(w.runRecorded(a, command, do), a.Close())
}

// dial connects to the server of the data directory. It needs only the location of that directory.
func (w *environ) dial() (net.Conn, error) {
	o, err := w.engine()
	if err != nil {
		return nil, err
	}
	return (&net.Dialer{Timeout: time.Second}).DialContext(w.ctx, "unix", filepath.Join(o.DataDir, socketFile))
}

// runInServer runs the command in a server and copies its output.
func (w *environ) runInServer(server net.Conn, command runner) error {
	arguments, err := json.Marshal(command)
	if err != nil {
		return err
	}
	key, _ := w.lookup("OPERATOR_KEY")
	body, err := json.Marshal(instruction{Version: versionText(), Command: reflect.TypeOf(command).Name(),
		Arguments: arguments, OperatorKey: key})
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string,
		string) (net.Conn, error) {
		return server, nil
	}}}
	r, err := http.NewRequestWithContext(w.ctx, http.MethodPost, "http://pledged/", bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	return errors.Join(w.copyOutput(json.NewDecoder(res.Body)), res.Body.Close())
}

func (w *environ) copyOutput(answer *json.Decoder) error {
	for {
		var s reply
		if err := answer.Decode(&s); err != nil {
			return fmt.Errorf("the server stopped before the command had finished: %w", err)
		}
		switch {
		case s.Ended:
			return nil
		case s.Failed != "":
			return errors.New(s.Failed)
		}
		_, failed := io.WriteString(w.out, s.Out)
		_, wrong := io.WriteString(w.err, s.Err)
		if err := errors.Join(failed, wrong); err != nil {
			return err
		}
	}
}
