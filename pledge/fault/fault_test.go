package fault_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestCodeOf_WrappedErrors(t *testing.T) {
	inner := fault.New(fault.SoldOut, "%s is sold out", "Disc")
	wrapped := fmt.Errorf("starting: %w", errors.Join(errors.New("other"), inner))
	if got := fault.Of(wrapped); got != inner {
		t.Errorf("got %v", got)
	}
	for _, tc := range []struct {
		err  error
		code fault.Code
	}{
		{nil, ""}, {inner, fault.SoldOut}, {wrapped, fault.SoldOut}, {errors.New("disk full"), fault.Internal},
		{fault.Wrap(inner, fault.Unavailable, "Later"), fault.Unavailable},
	} {
		if got := fault.CodeOf(tc.err); got != tc.code {
			t.Errorf("%v has code %q, want %q", tc.err, got, tc.code)
		}
		if fault.Is(tc.err, tc.code) != (tc.err != nil) || fault.Is(tc.err, "another") {
			t.Errorf("%v: Is disagrees with CodeOf", tc.err)
		}
	}
}

// The cause is part of Error, for logs, but not of the JSON.
func TestWrap_CauseIsNotEncoded(t *testing.T) {
	cause := errors.New("dial 10.0.0.7: refused")
	f := fault.Wrap(cause, fault.Unavailable, "The processor is not reachable").In("sessionId")
	if !errors.Is(f, cause) || f.Error() != "sessionId: The processor is not reachable: dial 10.0.0.7: refused" {
		t.Errorf("got %q", f.Error())
	}
	b, err := json.Marshal(f)
	if err != nil || string(b) != `{"code":"unavailable","error":"The processor is not reachable","field":"sessionId"}` {
		t.Errorf("JSON %s, %v", b, err)
	}
}

func TestIn_Copies(t *testing.T) {
	f := fault.New(fault.Invalid, "No")
	if g := f.In("email"); f.Field != "" || g.Field != "email" || g.Code != f.Code || g.Message != f.Message {
		t.Errorf("%+v from %+v", g, f)
	}
}

func ExampleOf() {
	left := 2
	f := fault.New(fault.SoldOut, "Only %d of Disc remaining", left)
	f.Remaining = &left
	err := fmt.Errorf("reserving: %w", f.In("items[0].quantity"))
	got := fault.Of(err)
	fmt.Println(got.Code, *got.Remaining, got)
	// Output: sold_out 2 items[0].quantity: Only 2 of Disc remaining
}
