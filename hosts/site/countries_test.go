package site

import "testing"

func TestLocale_Countries(t *testing.T) {
	english, err := locale{Code: "en"}.countries([]string{"US", "ES", "XK"})
	if err != nil || english != "United States, Spain, Kosovo" {
		t.Errorf("%s, %v", english, err)
	}
	spanish, err := locale{Code: "es"}.countries([]string{"DE", "US"})
	if err != nil || spanish != "Alemania, Estados Unidos" {
		t.Errorf("%s, %v", spanish, err)
	}
	if name, err := (locale{Code: "en"}).countries([]string{"QQ"}); err == nil {
		t.Errorf("name of QQ = %s", name)
	}
}
