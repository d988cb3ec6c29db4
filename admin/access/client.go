package access

import (
	"cmp"
	"strings"
)

// Client describes the browser of a session in coarse classes that many people share.
type Client struct {
	Browser string `json:"browser"` // such as "Firefox", or "other"
	System  string `json:"system"`  // such as "Windows", or "other"
	Device  string `json:"device"`  // "computer", "phone" or "tablet"
}

// ClientOf parses a User-Agent header. Each field is one of a few fixed names and never contains
// text from the header.
func ClientOf(userAgent string) Client {
	return Client{
		Browser: cmp.Or(firstMatch(userAgent, browsers), "other"),
		System:  cmp.Or(firstMatch(userAgent, systems), "other"),
		Device:  cmp.Or(firstMatch(userAgent, devices), "computer"),
	}
}

// class maps a substring of a User-Agent to the name of a class. In a list of classes the first
// match counts, so more specific strings come first: the User-Agent of most browsers contains
// Safari, and that of Android contains Linux.
type class struct{ text, name string }

var (
	browsers = []class{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = []class{
		{"Windows", "Windows"}, {"iPhone", "iOS"}, {"iPad", "iOS"}, {"Android", "Android"}, {"CrOS", "ChromeOS"},
		{"Macintosh", "macOS"}, {"Linux", "Linux"},
	}
	devices = []class{{"iPad", "tablet"}, {"Tablet", "tablet"}, {"Mobile", "phone"},
		{"iPhone", "phone"}, {"Android", "tablet"}}
)

func firstMatch(text string, classes []class) string {
	for _, c := range classes {
		if strings.Contains(text, c.text) {
			return c.name
		}
	}
	return ""
}
