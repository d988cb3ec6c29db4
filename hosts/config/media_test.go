package config_test

import (
	"maps"
	"strings"
	"testing"
)

// The settings of the media bucket must be set together, and its URLs must use TLS.
func TestMediaBucket(t *testing.T) {
	whole := map[string]string{
		"MEDIA_STORE_URL": "https://account.r2.example/films", "MEDIA_STORE_KEY_ID": "key",
		"MEDIA_STORE_SECRET": "secret", "MEDIA_PUBLIC_URL": "https://films.example/x",
	}
	for _, tt := range []struct{ variable, value, want string }{
		{"", "", ""}, {"MEDIA_STORE_REGION", "eu-central-1", ""},
		{"MEDIA_STORE_URL", unset, "is missing"}, {"MEDIA_STORE_KEY_ID", unset, "is missing"},
		{"MEDIA_STORE_SECRET", unset, "is missing"}, {"MEDIA_PUBLIC_URL", unset, "is missing"},
		{"MEDIA_STORE_URL", "https://films.example/?a=b", "is not an https URL"},
		{"MEDIA_STORE_URL", "http://127.0.0.1:9000/films", "is not an https URL"},
		{"MEDIA_STORE_URL", "https://films.example/#x", "is not an https URL"}, {"MEDIA_PUBLIC_URL", "films",
			"is not an https URL"}, {"MEDIA_PUBLIC_URL", "https://u:p@films.example", "is not an https URL"},
		{"MEDIA_PUBLIC_URL", "ftp://films.example", "is not an https URL"},
	} {
		env := maps.Clone(whole)
		if tt.variable != "" {
			env[tt.variable] = tt.value
		}
		faults := faultsOf(t, valid(env), "")
		switch {
		case tt.want == "" && len(faults) > 0:
			t.Errorf("%s=%s: %v", tt.variable, tt.value, faults)
		case tt.want != "" &&
			(len(faults) != 1 || faults[0].Name != tt.variable || !strings.Contains(faults[0].Error(), tt.want)):
			t.Errorf("%s=%q: %v, want one fault with %q", tt.variable, tt.value, faults, tt.want)
		}
	}
	cfg := load(t, valid(whole), "")
	if send, read := cfg.Media.Origins(); send != "https://account.r2.example" ||
		read != "https://films.example" || cfg.Media.Region != "auto" {
		t.Errorf("upload origin = %s, download origin = %s", send, read)
	}
	whole["MEDIA_STORE_URL"], whole["MEDIA_PUBLIC_URL"], whole["APP_MODE"] = "http://127.0.0.1:9000/films",
		"http://localhost:9000/films", "test"
	whole["PSP_PUBLISHABLE_KEY"] = "pk_test_1"
	if faults := faultsOf(t, valid(whole), ""); len(faults) > 0 {
		t.Errorf("local bucket in test mode: %v", faults)
	}
}
