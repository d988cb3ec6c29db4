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

// using runs a command on the service: in the server that runs on the data folder, on
// its clock, or else here. It says which on the error output.
func (w *world) using(command runner, do func(ctx context.Context, a *app.App) error) error {
	if w.app != nil {
		return w.recorded(w.app, command, do)
	}
	if server, err := w.dial(); err == nil {
		return w.ask(server, command)
	}
	a, err := w.open()
	if err != nil {
		return err
	}
	fmt.Fprintf(w.err, "No server runs on %s: working on the database directly. The clock says %s.\n", a.Config.Server.DataDir, a.Clock())
	return errors.Join(w.recorded(a, command, do), a.Close())
}

// dial connects to the server of the data folder. To know the folder takes no other
// configuration.
func (w *world) dial() (net.Conn, error) {
	o, err := w.engine()
	if err != nil {
		return nil, err
	}
	return (&net.Dialer{Timeout: time.Second}).DialContext(w.ctx, "unix", filepath.Join(o.DataDir, socketFile))
}

// ask has a server run the command and passes on what it says.
func (w *world) ask(server net.Conn, command runner) error {
	arguments, err := json.Marshal(command)
	if err != nil {
		return err
	}
	key, _ := w.lookup("OPERATOR_KEY")
	body, err := json.Marshal(instruction{Version: versionText(), Command: reflect.TypeOf(command).Name(), Arguments: arguments, OperatorKey: key})
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return server, nil }}}
	r, err := http.NewRequestWithContext(w.ctx, http.MethodPost, "http://pledged/", bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	return errors.Join(w.repeat(json.NewDecoder(res.Body)), res.Body.Close())
}

func (w *world) repeat(answer *json.Decoder) error {
	for {
		var s reply
		if err := answer.Decode(&s); err != nil {
			return fmt.Errorf("the server stopped before the command ended: %w", err)
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
