package providers_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/repository/forge"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/hosts/providers"
)

func noFetch(time.Duration, int64) fetch.Sender { return nil }

func TestGitHost_Addresses(t *testing.T) {
	for place, want := range map[string]forge.Options{
		"github:o/n":                      {Name: "o/n", Base: "https://api.github.com"},
		"gitea:https://git.example/o/n":   {Name: "o/n", Base: "https://git.example/api/v1"},
		"gitea:https://x.example:1/g/o/n": {Name: "o/n", Base: "https://x.example:1/g/api/v1"},
	} {
		c := config.Config{Content: config.Content{Repository: place, Branch: "b", Folder: "f"}}
		got := providers.Providers{Config: c, Now: time.Now, Fetch: noFetch}.GitHost().Options
		if got.Name != want.Name || got.Base != want.Base || got.Branch != "b" || got.Folder != "f" {
			t.Errorf("%s is %s at %s", place, got.Name, got.Base)
		}
	}
}

// Without settings all methods return nil.
func TestProviders_Unconfigured(t *testing.T) {
	open := providers.Providers{Now: time.Now, System: time.Now, Fetch: noFetch}
	if sender, err := open.Mail(); sender != nil || err != nil {
		t.Errorf("mail: %v, %v", sender, err)
	}
	if listener, err := open.MailReports(); listener != nil || err != nil {
		t.Errorf("reports: %v, %v", listener, err)
	}
	if lookup, err := open.TaxLookup(false); lookup != nil || err != nil {
		t.Errorf("tax: %v, %v", lookup, err)
	}
	if carrier, err := open.Carrier(); carrier != nil || err != nil {
		t.Errorf("carrier: %v, %v", carrier, err)
	}
	if open.GitHost() != nil || open.Challenge() != nil {
		t.Error("a Git host or a challenge without settings")
	}
}
