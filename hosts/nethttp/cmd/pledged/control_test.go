package main

import (
	"reflect"
	"testing"
)

// A running server can run every command that uses its database, including subcommands.
func TestCommands_Complete(t *testing.T) {
	for _, command := range []runner{
		mailShowCommand{}, mailStopCommand{}, mailResumeCommand{}, pledgesReportCommand{Slug: "film"},
		fulfillmentReportCommand{},
		linksCommand{Email: "ada@example.org"}, cancelCommand{}, settleCommand{}, termsCommand{Slug: "film"}, reopenCommand{},
	} {
		name := reflect.TypeOf(command).Name()
		got, err := commandOf(instruction{Version: versionText(), Command: name, Arguments: []byte(`{}`)})
		if err != nil || reflect.TypeOf(got) != reflect.TypeOf(command) {
			t.Errorf("%s: %T, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "mailCommand", "reportCommand", "environ"} {
		if got, err := commandOf(instruction{Version: versionText(), Command: name, Arguments: []byte(`{}`)}); err == nil {
			t.Errorf("%q decoded as %T", name, got)
		}
	}
}
