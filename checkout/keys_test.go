package checkout

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

func TestKeys(t *testing.T) {
	for got, want := range map[string]string{
		intentKey("pw-1"):                  "checkout-intent:pw-1",
		extrasKey("pw-1"):                  "pending-extras:pw-1",
		tiersKey("pw-1"):                   "pending-tiers:pw-1",
		eventKey("evt_1"):                  "psp-event:evt_1",
		holdID("pw-1", 3):                  "pw-1:3",
		reholdStem("pw-1", "abcd"):         "pw-1:again-abcd",
		modifyHoldID("pw-1", "abcd"):       "pw-1:modify-abcd",
		changeHoldID("pw-1", "abcd"):       "pw-1:change-abcd",
		stem("pw-1", "pw-1:again-abcd:12"): "pw-1:again-abcd",
		stem("pw-1", "pw-1:3"):             "",
		stem("pw-1", "pw-1:modify-abcd"):   "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if err := kv.CheckKey(got); got != "" && err != nil {
			t.Errorf("%q: %v", got, err)
		}
	}
	if eventLife != 35*24*time.Hour {
		t.Error("a retention changed")
	}
}

func stem(order, hold string) string { return stemOf(inventory.Hold{Order: order, ID: hold}) }

// The identity of the longest booking command has to fit the limit of 200 bytes.
func TestHoldID_Length(t *testing.T) {
	order := "pw-" + strings.Repeat("0", 26)
	for _, id := range []string{holdID(reholdStem(order, strings.Repeat("f", 16)), 19),
		modifyHoldID(order, strings.Repeat("f", 16))} {
		if n := len("book:" + order + "-" + strings.Repeat("s", 100) + ":500:" + id); n > 200 {
			t.Errorf("%d bytes with %q", n, id)
		}
	}
}
