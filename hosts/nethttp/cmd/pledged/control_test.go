package main

import (
	"reflect"
	"testing"
)

// A running server knows every command that works on its database, those below another
// command too.
func TestEveryCommandIsFound(t *testing.T) {
	for _, command := range []runner{
		mailShowCommand{}, mailStopCommand{}, mailResumeCommand{}, pledgesReportCommand{Slug: "film"}, fulfillmentReportCommand{},
		linksCommand{Email: "ada@example.org"}, cancelCommand{}, settleCommand{}, termsCommand{Slug: "film"}, reopenCommand{},
	} {
		name := reflect.TypeOf(command).Name()
		got, err := commandOf(instruction{Version: versionText(), Command: name, Arguments: []byte(`{}`)})
		if err != nil || reflect.TypeOf(got) != reflect.TypeOf(command) {
			t.Errorf("%s: %T, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "mailCommand", "reportCommand", "world"} {
		if got, err := commandOf(instruction{Version: versionText(), Command: name, Arguments: []byte(`{}`)}); err == nil {
			t.Errorf("%q is taken for %T", name, got)
		}
	}
}
