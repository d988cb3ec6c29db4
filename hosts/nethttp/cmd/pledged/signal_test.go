package main

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A command that computes or waits ends within seconds when the program is asked to end.
func TestExecute_EndsWithinSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		goOn := make(chan struct{})
		var out bytes.Buffer
		w := &environ{ctx: ctx, out: &out, err: &out, lookup: func(string) (string, bool) {
			<-goOn // the command ignores ctx
			return "", false
		}}
		time.AfterFunc(time.Minute, end)
		before := time.Now()
		if code := execute(w, []string{"check"}); code != 1 {
			t.Errorf("exit status %d, want 1", code)
		}
		if took := time.Since(before) - time.Minute; took != endWithin {
			t.Errorf("the command ended after %s, want %s", took, endWithin)
		}
		close(goOn)
		synctest.Wait()
	})
}
