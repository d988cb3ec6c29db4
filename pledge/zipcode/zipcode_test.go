package zipcode_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge/zipcode"
)

func TestStates_PrefixesAndCrossings(t *testing.T) {
	for zip, want := range map[string][]string{
		"10001": {"NY"}, "02139": {"MA"}, "42602": {"KY", "TN"}, "81137": {"CO", "NM"},
		"57717": {"SD", "MT", "WY"}, "06331": {"CT", "NY"},
		"20041": {"DC"}, "09123": {"AE"}, "96601": {"AP"}, "34001": {"AA"}, "96799": {"AS"},
		"96813": {"HI"}, "96950": {"MP"}, "00803": {"VI"},
		"00000": nil, "1001": nil, "": nil,
	} {
		if diff := cmp.Diff(want, zipcode.States(zip)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", zip, diff)
		}
	}
}

func TestAccepts_StatesBeyondThePrefix(t *testing.T) {
	for _, tt := range []struct {
		zip, state string
		want       bool
	}{
		{"42602", "TN", true}, {"42602", "KY", true}, {"42602", "OH", false}, {"20041", "VA", true},
		{"20310", "VA", true}, {"20233", "MD", true},
		{"20001", "DC", true}, {"20001", "NY", false}, {"00000", "NY", false}, {"", "NY", false}, {"10001", "", false},
	} {
		if got := zipcode.Accepts(tt.zip, tt.state); got != tt.want {
			t.Errorf("%s in %s: %t", tt.zip, tt.state, got)
		}
	}
}

func TestState_CodesAndNames(t *testing.T) {
	for written, want := range map[string]string{"ma": "MA", " new  mexico ": "NM", "District of Columbia": "DC",
		"AE": "AE", "Armed Forces Pacific": "AP", "XX": "", "": ""} {
		if got := zipcode.State(written); got != want {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
}

func TestComplete_LostZeros(t *testing.T) {
	for _, tt := range []struct{ code, state, want string }{
		{"2139", "MA", "02139"}, {"2139", "massachusetts", "02139"}, {"7030", "NJ", "07030"},
		{"901", "PR", "00901"}, {"501", "NY", "00501"}, {"9123", "AE", "09123"},
		{"2139-1234", "MA", "02139-1234"}, {"21391234", "MA", "02139-1234"}, {"9011234", "PR", "00901-1234"},
		{"6390", "NY", "06390"},
		{"2139", "NY", "2139"}, {"2139", "", "2139"}, {"02139", "MA", "02139"}, {"02139-1234", "MA", "02139-1234"},
		{"213", "MA", "213"}, {"39", "MA", "39"},
		{"21AB", "MA", "21AB"}, {"", "MA", ""}, {"2139123456", "MA", "2139123456"},
	} {
		if got := zipcode.Complete(tt.code, tt.state); got != tt.want {
			t.Errorf("%q in %q: %q, want %q", tt.code, tt.state, got, tt.want)
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, code := range []string{"2139", "901", "2139-1234", "9011234", " 21 39", "٢١٣٩", "42223"} {
		f.Add(code, "MA")
	}
	f.Fuzz(func(t *testing.T, code, state string) {
		got := zipcode.Complete(code, state)
		if again := zipcode.Complete(got, state); again != got {
			t.Errorf("Complete(%q) = %q, then %q", code, got, again)
		}
		if got == code {
			return
		}
		zip, _, _ := strings.Cut(got, "-")
		if !zipcode.Accepts(zip, zipcode.State(state)) || !slices.Contains([]int{5, 10}, len(got)) {
			t.Errorf("%q in %q becomes %q", code, state, got)
		}
	})
}
