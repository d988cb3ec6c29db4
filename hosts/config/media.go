package config

import (
	"net/url"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// checkMedia checks the settings of the media bucket, which must be set together.
func (c *Config) checkMedia(faults *SettingErrors) {
	const remedy = "set MEDIA_STORE_URL, MEDIA_STORE_KEY_ID, MEDIA_STORE_SECRET and MEDIA_PUBLIC_URL, or none of them"
	all := []struct {
		variable string
		set      bool
	}{
		{"MEDIA_STORE_URL", c.Media.Bucket != ""}, {"MEDIA_STORE_KEY_ID", c.Media.KeyID != ""},
		{"MEDIA_STORE_SECRET", c.Secrets.MediaStore.IsSet()}, {"MEDIA_PUBLIC_URL", c.Media.Public != ""},
	}
	some := all[0].set || all[1].set || all[2].set || all[3].set
	for _, s := range all {
		if some && !s.set {
			faults.add(s.variable, "is missing, but other settings of the media bucket are set", remedy)
		}
	}
	for variable, address := range map[string]string{"MEDIA_STORE_URL": c.Media.Bucket,
		"MEDIA_PUBLIC_URL": c.Media.Public} {
		if address != "" && !c.mediaAddress(address) {
			faults.add(variable, "is not an https URL",
				"use a URL such as https://films.example.org, without a query; http is allowed for a local bucket in test mode")
		}
	}
}

func (c *Config) mediaAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && c.Mode.App == psp.Test && Origin(u.Scheme+"://"+u.Host).Local()
}

// Origins returns the origins to which browsers upload media and from which they load it, "" if
// there is no bucket.
func (m Media) Origins() (send, load string) { return originOf(m.Bucket), originOf(m.Public) }

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
