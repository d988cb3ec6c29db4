package access

import (
	"cmp"
	"strings"
)

// Client says by what somebody uses the dashboard, in classes that many people share.
type Client struct {
	Browser string `json:"browser"` // such as "Firefox", or "other"
	System  string `json:"system"`  // such as "Windows", or "other"
	Device  string `json:"device"`  // "computer", "phone" or "tablet"
}

// ClientOf reads a User-Agent header. Only the classes that it names can come out of it.
func ClientOf(userAgent string) Client {
	return Client{
		Browser: cmp.Or(first(userAgent, browsers), "other"),
		System:  cmp.Or(first(userAgent, systems), "other"),
		Device:  cmp.Or(first(userAgent, devices), "computer"),
	}
}

// class is what stands in a User-Agent, and what it stands for. What imitates another comes
// before it: every browser says Safari, and Android says Linux.
type class struct{ text, name string }

var (
	browsers = []class{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = []class{
		{"Windows", "Windows"}, {"iPhone", "iOS"}, {"iPad", "iOS"}, {"Android", "Android"}, {"CrOS", "ChromeOS"},
		{"Macintosh", "macOS"}, {"Linux", "Linux"},
	}
	devices = []class{{"iPad", "tablet"}, {"Tablet", "tablet"}, {"Mobile", "phone"}, {"iPhone", "phone"}, {"Android", "tablet"}}
)

func first(text string, classes []class) string {
	for _, c := range classes {
		if strings.Contains(text, c.text) {
			return c.name
		}
	}
	return ""
}
