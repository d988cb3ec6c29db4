package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A signature is valid within the tolerance, if it has exactly one timestamp in plain digits and
// at least one correct sum. A rejection states the reason.
func TestVerify(t *testing.T) {
	body := []byte(`{"id":"evt_1","object":"event","type":"customer.created","livemode":false,` +
		`"data":{"object":{"id":"cus_1"}}}`)
	now := sim.Epoch
	good := sim.Sign(body, secret, now)
	stamp, sum, _ := strings.Cut(good, ",")
	const unreadable, wrong, far = "invalid signature header", "no signature matches", "too far from now"
	early, latest, later := time.Unix(-1, 0), time.Unix(99_999_999_999, 0), time.Unix(100_000_000_000, 0)
	for name, tt := range map[string]struct {
		header string
		now    time.Time
		why    string
	}{
		"unchanged":                    {good, now, ""},
		"among others":                 {stamp + ",v1=" + strings.Repeat("0", 64) + ",v0=aa," + sum, now, ""},
		"oldest valid":                 {good, now.Add(psp.Tolerance), ""},
		"furthest ahead":               {good, now.Add(-psp.Tolerance), ""},
		"older":                        {good, now.Add(psp.Tolerance + 1), far},
		"further ahead":                {good, now.Add(-psp.Tolerance - 1), far},
		"nothing":                      {"", now, unreadable},
		"time only":                    {stamp, now, unreadable},
		"sum only":                     {sum, now, unreadable},
		"two times":                    {"t=1," + good, now, unreadable},
		"empty and valid time":         {"t=," + good, now, unreadable},
		"invalid time":                 {"t=now," + sum, now, unreadable},
		"time before 1970":             {sim.Sign(body, secret, early), early, unreadable},
		"latest valid time":            {sim.Sign(body, secret, latest), latest, ""},
		"time out of range":            {sim.Sign(body, secret, later), later, unreadable},
		"invalid sum":                  {stamp + ",v1=zz", now, unreadable},
		"sum with trailing characters": {good + "zz", now, unreadable},
		"short sum":                    {stamp + ",v1=aa", now, unreadable},
		"sum of another secret":        {sim.Sign(body, "whsec_b", now), now, wrong},
		"another time":                 {"t=1," + sum, now, wrong},
	} {
		h, err := sim.Verify(body, tt.header, secret, tt.now)
		switch {
		case tt.why == "" && (err != nil || h.EventID != "evt_1"):
			t.Errorf("%s: %+v, %v", name, h, err)
		case tt.why != "" &&
			(!fault.Is(err, fault.Unauthorized) || !strings.Contains(err.Error(), tt.why) || h != psp.Hint{}):
			t.Errorf("%s: %+v, %v, want rejection: %s", name, h, err, tt.why)
		}
	}
}
