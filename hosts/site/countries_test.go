package site

import (
	"slices"
	"strings"
	"testing"
)

func TestLocale_ShipsTo(t *testing.T) {
	locales, err := readLocales(messageFiles)
	if err != nil {
		t.Fatal(err)
	}
	embargo := []string{"CU", "IR"}
	for _, tt := range []struct {
		lang, countries string
		excluded        []string
		want            string
	}{
		{"en", "US ES XK", nil, "United States, Spain, Kosovo"},
		{"es", "DE US", embargo, "Alemania, Estados Unidos"},
		{"en", "US CU", embargo, "United States"},
		{"en", "IR", embargo, "Nowhere right now"},
		{"en", "", nil, "Worldwide"},
		{"en", "", embargo, "Worldwide, except Cuba, Iran"},
		{"es", "", embargo, "Todo el mundo, excepto Cuba, Irán"},
	} {
		l := locales[slices.IndexFunc(locales, func(l locale) bool { return l.Code == tt.lang })]
		got, err := l.shipsTo(strings.Fields(tt.countries), tt.excluded)
		if err != nil || got != tt.want {
			t.Errorf("%s, %q without %v: %q, %v", tt.lang, tt.countries, tt.excluded, got, err)
		}
	}
	if name, err := (locale{Code: "en"}).shipsTo([]string{"QQ"}, nil); err == nil {
		t.Errorf("name of QQ = %s", name)
	}
}
