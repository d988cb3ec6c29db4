package config_test

import (
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/config"
)

// faultsOf loads the configuration and returns its faults.
func faultsOf(t *testing.T, env config.Lookup, file string) config.SettingErrors {
	t.Helper()
	_, err := config.Load(env, site(file))
	var faults config.SettingErrors
	if err != nil && !errors.As(err, &faults) {
		t.Fatalf("error is %T, not SettingErrors: %v", err, err)
	}
	return faults
}

// Proves CFG-15, CFG-18, CFG-33, CFG-34, CFG-35, CFG-36, CFG-37, AAU-09, TAX-20, REM-07.
func TestLoad_Faults(t *testing.T) {
	tests := []struct {
		variable, value string
		name, want      string // of the expected fault
	}{
		{"APP_MODE", "prod", "APP_MODE", "is not one of: test, live"},
		{"SITE_BASE", unset, "SITE_BASE", "is missing"},
		{"WORKER_BASE", unset, "WORKER_BASE", "is missing"},
		{"SITE_BASE", "site.example", "SITE_BASE", "not an absolute URL"},
		{"SITE_BASE", "https://site.example/shop", "SITE_BASE", "without a path"},
		{"CORS_ALLOWED_ORIGIN", "*", "CORS_ALLOWED_ORIGIN", "not an absolute URL"},
		{"CORS_ALLOWED_ORIGIN", "https://u:p@site.example", "CORS_ALLOWED_ORIGIN", "user name or password"},
		{"CORS_ALLOWED_ORIGIN", "http://site.example", "CORS_ALLOWED_ORIGIN", "is not https"},
		{"PLATFORM_TIMEZONE", "Mars/Olympus", "PLATFORM_TIMEZONE", "not an IANA time zone"},
		{"PLATFORM_TIMEZONE", "Local", "PLATFORM_TIMEZONE", "not an IANA time zone"},
		{"PLATFORM_TIMEZONE", "../etc/passwd", "PLATFORM_TIMEZONE", "not an IANA time zone"},
		{"PSP_PUBLISHABLE_KEY", "pk_test_1", "PSP_PUBLISHABLE_KEY", "does not match APP_MODE"},
		{"PSP_PUBLISHABLE_KEY", "sk_live_2", "PSP_PUBLISHABLE_KEY", "is not a publishable key"},
		{"PSP_SECRET_KEY_LIVE", unset, "PSP_SECRET_KEY_LIVE", "is missing in live mode"},
		{"PSP_SECRET_KEY_LIVE", "sk_test_2", "PSP_SECRET_KEY_LIVE", "is a key for test mode"},
		{"PSP_SECRET_KEY_TEST", "rk_live_2", "PSP_SECRET_KEY_TEST", "is a key for live mode"},
		{"PSP_SECRET_KEY_LIVE", "pk_live_1", "PSP_SECRET_KEY_LIVE", "is not a secret key"},
		{"PSP_REFUND_KEY_LIVE", "rk_test_2", "PSP_REFUND_KEY_LIVE", "is a key for test mode"},
		{"PSP_REFUND_KEY_TEST", "sk_live_2", "PSP_REFUND_KEY_TEST", "is a key for live mode"},
		{"PSP_REFUND_KEY_LIVE", "pk_live_1", "PSP_REFUND_KEY_LIVE", "is not a secret key"},
		{"PSP_WEBHOOK_SECRET_LIVE", unset, "PSP_WEBHOOK_SECRET_LIVE", "is missing in live mode"},
		{"PSP_PROVIDER", "sim", "PSP_PROVIDER", "is not allowed in live mode"},
		{"CONTENT_REPOSITORY", "svn", "CONTENT_REPOSITORY", "is not a valid repository"},
		{"CONTENT_REPOSITORY", "git:x", "CONTENT_REPOSITORY", "is not a valid repository"},
		{"CONTENT_REPOSITORY", "github:o/n/x", "CONTENT_REPOSITORY", "is not a valid repository"},
		{"CONTENT_REPOSITORY", "gitea:https://u:p@h/o/n", "CONTENT_REPOSITORY", "is not a valid repository"},
		{"CONTENT_REPOSITORY", "github:o/n", "CONTENT_TOKEN", "is missing"},
		{"CONTENT_REPOSITORY", "gitea:https://h:1/x/o/n", "CONTENT_TOKEN", "is missing"},
		{"CONTENT_REPOSITORY", "folder", "CONTENT_REPOSITORY", "a plain folder in live mode"},
		{"ADMIN_LOCAL_REPO_WRITES_ENABLED", "true", "CONTENT_REPOSITORY", "a plain folder in live mode"},
		{"CONTENT_BRANCH", "--all", "CONTENT_BRANCH", "is not a valid branch name"},
		{"CONTENT_FOLDER", "../x", "CONTENT_FOLDER", "is not a relative path"},
		{"CONTENT_WEBHOOK_SECRET", "short", "CONTENT_WEBHOOK_SECRET", "openssl rand -hex 32"},
		{"CLOCK_OFFSET_SECONDS", "60", "CLOCK_OFFSET_SECONDS", "is not allowed in live mode"},
		{"LAUNCH_REMINDER_TURNSTILE_BYPASS", "true", "LAUNCH_REMINDER_TURNSTILE_BYPASS", "is not allowed in live mode"},
		{"ADMIN_TURNSTILE_BYPASS", "true", "ADMIN_TURNSTILE_BYPASS", "is not allowed in live mode"},
		{"ADMIN_EXPOSE_LOGIN_LINK", "true", "ADMIN_EXPOSE_LOGIN_LINK", "is not allowed in live mode"},
		{"CHALLENGE_SECRET_KEY", "0x4secret", "CHALLENGE_SITE_KEY", "is missing"},
		{"CHALLENGE_SITE_KEY", "0x4site", "CHALLENGE_SECRET_KEY", "is missing"},
		{"ABANDONED_CART_DELAY_SECONDS", "60", "ABANDONED_CART_DELAY_SECONDS", "whole number from 3600 to 604800"},
		{"ABANDONED_CART_TOKEN_SECRET", "short", "ABANDONED_CART_TOKEN_SECRET", "openssl rand -hex 32"},
		{"PSP_API_BASE", "http://127.0.0.1:1", "PSP_API_BASE", "is not allowed in live mode"},
		{"EMAIL_API_BASE", "http://127.0.0.1:1", "EMAIL_API_BASE", "is not allowed in live mode"},
		{"CHECKOUT_INTENT_SECRET", unset, "CHECKOUT_INTENT_SECRET", "is missing"},
		{"CHECKOUT_INTENT_SECRET", "short", "CHECKOUT_INTENT_SECRET", "openssl rand -hex 32"},
		{"MAGIC_LINK_SECRET", unset, "MAGIC_LINK_SECRET", "is missing"},
		{"MAGIC_LINK_SECRET", strings.Repeat("a", 32), "MAGIC_LINK_SECRET", "the same as CHECKOUT_INTENT_SECRET"},
		{"ADMIN_SECRET", unset, "ADMIN_SECRET", "is missing"},
		{"ADMIN_SESSION_SECRET", "short", "ADMIN_SESSION_SECRET", "openssl rand -hex 32"},
		{"ADMIN_SETTLEMENT_SECRET", "admin", "ADMIN_SETTLEMENT_SECRET", "the same as ADMIN_SECRET"},
		{"ADMIN_SECRET_FILE", "/run/secret", "ADMIN_SECRET_FILE", "provides no secret"},
		{"SALES_TAX_RATE", unset, "SALES_TAX_RATE", "TAX_PROVIDER is flat"},
		{"SALES_TAX_RATE", "7.875", "SALES_TAX_RATE", "fraction from 0 to 1"},
		{"DEFAULT_PLATFORM_TIP_PERCENT", "16", "DEFAULT_PLATFORM_TIP_PERCENT", "is above MAX_PLATFORM_TIP_PERCENT"},
		{"MAX_PLATFORM_TIP_PERCENT", "101", "MAX_PLATFORM_TIP_PERCENT", "whole number from 0 to 100"},
		{"MAX_PLATFORM_TIP_PERCENT", "12.5", "MAX_PLATFORM_TIP_PERCENT", "whole number from 0 to 100"},
		{"TAX_PROVIDER", "guess", "TAX_PROVIDER", "is not one of"},
		{"TAX_PROVIDER", "local_tax_api", "LOCAL_TAX_API_KEY", "is missing"},
		{"TAX_PROVIDER", "nm_grt", "NM_GRT_BASE_RATE", "is missing, but TAX_PROVIDER is nm_grt"},
		{"NM_GRT_BASE_RATE", "4.875", "NM_GRT_BASE_RATE", "fraction from 0 to 1"},
		{"TAX_ORIGIN_COUNTRY", "USA", "TAX_ORIGIN_COUNTRY", "two-letter country code"},
		{"TAX_ORIGIN_COUNTRY", "ZZ", "TAX_ORIGIN_COUNTRY", "two-letter country code"},
		{"SHIPPING_ORIGIN_COUNTRY", "UK", "SHIPPING_ORIGIN_COUNTRY", "two-letter country code"},
		{"TAX_COLLECT", "DE, QQ", "TAX_COLLECT", "list of places"},
		{"SHIPPING_EXCLUDED_COUNTRIES", "CU, Iran", "SHIPPING_EXCLUDED_COUNTRIES", "two-letter country codes"},
		{"SHIPPING_EXCLUDED_COUNTRIES", "none, IR", "SHIPPING_EXCLUDED_COUNTRIES", "two-letter country codes"},
		{"TAX_USE_REGIONAL_ORIGIN", "yes", "TAX_USE_REGIONAL_ORIGIN", "not true or false"},
		{"SHIPPING_FALLBACK_FLAT_RATE", "3.005", "SHIPPING_FALLBACK_FLAT_RATE", "amount in dollars"},
		{"SHIPPING_FALLBACK_FLAT_RATE", "-1", "SHIPPING_FALLBACK_FLAT_RATE", "amount in dollars"},
		{"SHIPPING_FALLBACK_FLAT_RATE", "1000000.01", "SHIPPING_FALLBACK_FLAT_RATE", "amount in dollars"},
		{"CARRIER_TIMEOUT_MS", "5s", "CARRIER_TIMEOUT_MS", "whole number from 100 to 60000"},
		{"SUPPORT_EMAIL", "help", "SUPPORT_EMAIL", "is not an email address"},
		{"SECURITY_CONTACT", "mailto:help@example.org", "SECURITY_CONTACT", "and SECURITY_EXPIRES must be set together"},
		{"SECURITY_CONTACT", "help@example.org", "SECURITY_CONTACT", "is not a valid contact for security.txt"},
		{"SECURITY_CONTACT", "mailto:a@example.org\nContact: mailto:b@example.org", "SECURITY_CONTACT",
			"is not a valid contact for security.txt"},
		{"SECURITY_CONTACT", "javascript:alert(1)", "SECURITY_CONTACT", "is not a valid contact for security.txt"},
		{"SECURITY_EXPIRES", "2031-02-30", "SECURITY_EXPIRES", "is not a valid time"},
		{"LISTEN", "8080", "LISTEN", "is not host:port"},
		{"TRUSTED_PROXY_HEADER", "CF Connecting", "TRUSTED_PROXY_HEADER", "is not a valid header name"},
		{"TRUSTED_PROXY_HEADER", strings.Repeat("X", 65), "TRUSTED_PROXY_HEADER", "is not a valid header name"},
		{"ADMIN_OPERATORS", strings.Repeat("a", 41) + ":" + strings.Repeat("0", 64),
			"ADMIN_OPERATORS", "names and SHA-256 sums"},
		{"LOG_LEVEL", "loud", "LOG_LEVEL", "is not one of"},
	}
	for _, tt := range tests {
		t.Run(tt.variable+"="+tt.value, func(t *testing.T) {
			env := map[string]string{tt.variable: tt.value}
			if before, ok := strings.CutSuffix(tt.variable, "_FILE"); ok {
				env[before] = unset
			}
			faults := faultsOf(t, valid(env), "")
			var named int
			for _, f := range faults {
				if f.Name == tt.name && strings.Contains(f.Error(), tt.want) {
					named++
				}
			}
			if named != 1 {
				t.Errorf("want one fault of %s with %q, got:\n%v", tt.name, tt.want, faults)
			}
			if len(faults) > 1 {
				t.Errorf("one mistake caused several faults:\n%v", faults)
			}
		})
	}
}

// Recommended secrets may be missing, and the guide recommends them.
//
// Proves CFG-39, CFG-40.
func TestSecrets_RecommendedMissing(t *testing.T) {
	guide := read(t, "docs/configuration.md")
	for _, name := range []string{"ADMIN_SETTLEMENT_SECRET", "ADMIN_BROADCAST_SECRET",
		"ABANDONED_CART_TOKEN_SECRET", "CHALLENGE_SECRET_KEY"} {
		if faults := faultsOf(t, valid(map[string]string{name: unset}), ""); len(faults) > 0 {
			t.Errorf("without %s: %v", name, faults)
		}
		if !strings.Contains(guide, "| `"+name+"` |  |  | Recommended") {
			t.Errorf("the guide does not recommend %s", name)
		}
	}
	const settling = "ADMIN_SETTLEMENT_SECRET" // recommended for every deployment
	warnings := load(t, valid(map[string]string{settling: unset}), "").Warnings
	if !slices.ContainsFunc(warnings, func(f config.SettingError) bool { return f.Name == settling }) {
		t.Errorf("no warning that %s is missing: %v", settling, warnings)
	}
}

// The processor's secrets for the current mode are required. The simulator accepts any key, but its
// webhooks are signed.
//
// Proves CFG-33, CFG-34.
func TestSecrets_ProcessorMode(t *testing.T) {
	for _, tt := range []struct {
		mode, provider string
		required       []string
	}{
		{"live", config.Stripe, []string{"PSP_SECRET_KEY_LIVE", "PSP_WEBHOOK_SECRET_LIVE"}},
		{"test", config.Stripe, []string{"PSP_SECRET_KEY_TEST", "PSP_WEBHOOK_SECRET_TEST"}},
		{"test", config.Sim, []string{"PSP_WEBHOOK_SECRET_TEST"}},
	} {
		var missing []string
		for _, f := range faultsOf(t, valid(map[string]string{
			"APP_MODE": tt.mode, "PSP_PROVIDER": tt.provider, "PSP_PUBLISHABLE_KEY": "pk_" + tt.mode + "_1",
			"PSP_SECRET_KEY_LIVE": unset, "PSP_SECRET_KEY_TEST": unset, "PSP_WEBHOOK_SECRET_LIVE": unset,
			"PSP_WEBHOOK_SECRET_TEST": unset,
		}), "") {
			missing = append(missing, f.Name)
		}
		if diff := cmp.Diff(tt.required, missing); diff != "" {
			t.Errorf("%s mode with %s (-required +missing):\n%s", tt.mode, tt.provider, diff)
		}
	}
}

// Proves CFG-41, SHP-03.
func TestSecrets_OptionalMissing(t *testing.T) {
	for _, variable := range []string{"ADMIN_SETTLEMENT_SECRET", "PSP_PUBLISHABLE_KEY"} {
		cfg := load(t, valid(map[string]string{variable: unset}), "")
		if len(cfg.Warnings) != 1 || cfg.Warnings[0].Name != variable {
			t.Errorf("without %s the warnings are: %v", variable, cfg.Warnings)
		}
	}
	if w := load(t, valid(nil), "").Warnings; len(w) != 0 {
		t.Errorf("warning about an optional secret: %v", w)
	}
}

func TestLoad_ReportsAllFaults(t *testing.T) {
	_, err := config.Load(config.Values(map[string]string{"LISTEN": "x"}),
		site("pricing: {max_tip_percent: many}\nplatform: 3\n"))
	for _, name := range []string{"LISTEN", "pricing.max_tip_percent", "platform", "SITE_BASE",
		"MAGIC_LINK_SECRET", "PSP_SECRET_KEY_LIVE", "SALES_TAX_RATE"} {
		if err == nil || !strings.Contains("\n"+err.Error(), "\n"+name+" ") {
			t.Errorf("%s is not among the faults:\n%v", name, err)
		}
	}
}

// Proves CFG-32.
func TestSiteFile_RejectsSecrets(t *testing.T) {
	tests := map[string]string{
		"checkout:\n  magic_link_secret: x\n":                     "checkout.magic_link_secret",
		"ADMIN_SECRET: x\n":                                       "ADMIN_SECRET",
		"checkout:\n  psp_publishable_key: sk_live_1\n":           "checkout.psp_publishable_key",
		"seo:\n  same_as: [a, {b: whsec_1}]\n":                    "seo.same_as[1].b",
		"admin:\n  users:\n    - name: x\n      email_api_key: y": "admin.users[0].email_api_key",
	}
	for _, s := range slices.Concat(config.Settings(), config.Reserved()) {
		if s.Secret && s.SiteKey != "" {
			t.Errorf("%s can be set in the site file as %s", s.Variable, s.SiteKey)
		}
		if key := "platform." + strings.ToLower(s.Variable); s.Secret {
			tests["platform: {"+strings.ToLower(s.Variable)+": x}"] = key
		}
	}
	for _, key := range []string{"sk_live_1", "sk_test_1", "rk_live_1", "rk_test_1", " whsec_1"} {
		tests["title: '"+key+"'"] = "title"
	}
	for file, name := range tests {
		faults := faultsOf(t, valid(nil), file)
		if len(faults) == 0 || faults[0].Name != name || !strings.Contains(faults[0].Problem, "secret") {
			t.Errorf("%q: faults are %v", file, faults)
		}
		if strings.Contains(faults.Error(), "sk_live_1") {
			t.Errorf("%q: the fault repeats the secret", file)
		}
	}
}

// A file with all reserved keys is accepted, with warnings.
func TestSiteFile_ReservedKeys(t *testing.T) {
	env, want := map[string]string{}, []string{"reports.campaign_runner.send_minute", "platform.footer_logo_path"}
	for _, s := range config.Reserved() {
		if s.Variable != "" {
			env[s.Variable] = "anything"
			want = append(want, s.Variable)
		}
		if s.Secret {
			env[s.Variable+"_FILE"] = "/run/secret"
			want = append(want, s.Variable+"_FILE")
		}
	}
	var told []string
	for _, w := range load(t, valid(env),
		"reports: {campaign_runner: {send_minute: 5}}\nplatform: {footer_logo_path: x}\n").Warnings {
		told = append(told, w.Name)
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestSiteFile_Faults(t *testing.T) {
	tests := map[string]struct{ file, name, want string }{
		"not YAML":    {"a: [", config.SiteFile, "is not YAML"},
		"first value": {"title: Pledges: ours\n", config.SiteFile, "is not YAML: line 1: mapping values"},
		"Latin-1": {"title: Ours\ndescription: F\xfcr alle\n", config.SiteFile,
			"is not valid UTF-8 (line 2); save it"},
		"a list": {"- a\n", config.SiteFile, "is not a list of keys"},
		"twice": {"pricing:\n  max_tip_percent: 10\n  max_tip_percent: 12\n",
			"pricing.max_tip_percent", "is set twice (line 3 of site.yml)"},
		"list for value": {"platform: {site_url: [a]}", "platform.site_url", "must be a single value"},
		"value for keys": {"platform: here", "platform", "indent its keys"},
		"bad value":      {"tax: {provider: guess}", "tax.provider", "is not one of"},
		"unknown": {"pricing: {sale_tax_rate: 0.1}\nseo: {x_handle: us}\n", "pricing.sale_tax_rate",
			"is not a known setting (line 1 of site.yml); did you mean pricing.sales_tax_rate?"},
		"unknown group": {"pricings: {sales_tax_rate: 0.1}\n", "pricings", "did you mean pricing?"},
		"site's own":    {"titel: A\n", "titel", "did you mean title?"},
		"bad address":   {"platform: {site_url: nowhere}", "platform.site_url", "not an absolute URL"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			faults := faultsOf(t, valid(nil), tt.file)
			if len(faults) != 1 || faults[0].Name != tt.name || !strings.Contains(faults[0].Error(), tt.want) {
				t.Errorf("faults = %v", faults)
			}
		})
	}
	if _, err := config.Load(valid(nil), fstest.MapFS{}); err != nil {
		t.Errorf("without a site file: %v", err)
	}
	if _, err := config.Load(valid(nil), nil); err != nil {
		t.Errorf("without a site: %v", err)
	}
}

func TestSiteFile_ValueCutByComment(t *testing.T) {
	for text, want := range map[string]string{
		"design:\n  color_primary: #b5472f\n":             `design.color_primary ends before "#b5472f" (line 2 of site.yml), which YAML reads as a comment`,
		"title: Stage #2\n":                               `title ends before "#2" (line 1 of site.yml), which YAML reads as a comment`,
		"title: Stage # of ours\n":                        "",
		"title: 'Stage #2' #x\n":                          "",
		"pricing: # what we take\n  max_tip_percent: 5\n": "",
	} {
		cfg, err := config.Load(valid(nil), site(text))
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, w := range cfg.Warnings {
			if strings.Contains(w.Problem, "comment") {
				got = w.Error()
			}
		}
		if (want == "") != (got == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q; want %q", text, got, want)
		}
	}
}

// At most one mail provider may be set. Its settings must be complete, including a sender.
func TestMailFaults(t *testing.T) {
	const key, server, topic = "re_0123456789", "smtp://mail.example.org", "arn:aws:sns:eu-west-1:123456789012:mails"
	for _, tt := range []struct {
		env  map[string]string
		name string
	}{
		{env: map[string]string{"EMAIL_API_KEY": key, "PLEDGES_EMAIL_FROM": "pledges@example.org"}},
		{env: map[string]string{"SMTP_URL": server, "SUPPORT_EMAIL": "help@example.org"}},
		{env: map[string]string{"SMTP_URL": server, "EMAIL_API_KEY": key, "SUPPORT_EMAIL": "help@example.org"},
			name: "SMTP_URL"},
		{env: map[string]string{"EMAIL_WEBHOOK_SECRET": "whsec_c2l4dGVlbiBieXRlcyBhbmQgc29tZQ=="}},
		{env: map[string]string{"EMAIL_WEBHOOK_SECRET": "c2l4dGVlbiBieXRlcyBhbmQgc29tZQ=="}, name: "EMAIL_WEBHOOK_SECRET"},
		{env: map[string]string{"POSTMARK_SERVER_TOKEN": key, "SUPPORT_EMAIL": "help@example.org",
			"POSTMARK_WEBHOOK_LOGIN": "pledgeworks:sixteen bytes or more"}},
		{env: map[string]string{"POSTMARK_SERVER_TOKEN": key, "EMAIL_API_KEY": key + "1",
			"SUPPORT_EMAIL": "help@example.org"}, name: "POSTMARK_SERVER_TOKEN"},
		{env: map[string]string{"POSTMARK_SERVER_TOKEN": key, "SMTP_URL": server, "SUPPORT_EMAIL": "help@example.org"},
			name: "SMTP_URL"},
		{env: map[string]string{"POSTMARK_WEBHOOK_LOGIN": "sixteen bytes or more"}, name: "POSTMARK_WEBHOOK_LOGIN"},
		{env: map[string]string{"POSTMARK_WEBHOOK_LOGIN": "pledgeworks:short"}, name: "POSTMARK_WEBHOOK_LOGIN"},
		{env: map[string]string{"POSTMARK_WEBHOOK_LOGIN": "pledgeworks:sixteen bytes or more",
			"EMAIL_WEBHOOK_SECRET": "whsec_c2l4dGVlbiBieXRlcyBhbmQgc29tZQ=="}, name: "POSTMARK_WEBHOOK_LOGIN"},
		{env: map[string]string{"SES_SECRET_ACCESS_KEY": key, "SES_ACCESS_KEY_ID": "AKIDEXAMPLE",
			"SES_REGION": "eu-west-1", "SES_TOPIC_ARN": topic, "SUPPORT_EMAIL": "help@example.org"}},
		{env: map[string]string{"SES_SECRET_ACCESS_KEY": key, "SES_REGION": "eu-west-1", "SUPPORT_EMAIL": "help@example.org"},
			name: "SES_ACCESS_KEY_ID"},
		{env: map[string]string{"SES_SECRET_ACCESS_KEY": key, "SES_ACCESS_KEY_ID": "AKIDEXAMPLE",
			"SUPPORT_EMAIL": "help@example.org"}, name: "SES_REGION"},
		{env: map[string]string{"SES_SECRET_ACCESS_KEY": key, "SES_ACCESS_KEY_ID": "AKIDEXAMPLE", "SES_REGION": "eu-west-1",
			"EMAIL_API_KEY": key + "1", "SUPPORT_EMAIL": "help@example.org"}, name: "SES_SECRET_ACCESS_KEY"},
		{env: map[string]string{"SMTP_URL": server, "SMTP_DKIM_KEY": "a key", "SMTP_DKIM_SELECTOR": "mail2026",
			"SUPPORT_EMAIL": "help@example.org"}},
		{env: map[string]string{"SMTP_URL": server, "SMTP_DKIM_KEY": "a key", "SUPPORT_EMAIL": "help@example.org"},
			name: "SMTP_DKIM_SELECTOR"},
		{env: map[string]string{"SMTP_URL": server, "SMTP_DKIM_SELECTOR": "mail2026", "SUPPORT_EMAIL": "help@example.org"},
			name: "SMTP_DKIM_KEY"},
		{env: map[string]string{"EMAIL_API_KEY": key, "SMTP_DKIM_KEY": "a key", "SMTP_DKIM_SELECTOR": "mail2026",
			"SUPPORT_EMAIL": "help@example.org"}, name: "SMTP_DKIM_KEY"},
		{env: map[string]string{"SES_TOPIC_ARN": "mails"}, name: "SES_TOPIC_ARN"},
		{env: map[string]string{"SES_TOPIC_ARN": topic, "EMAIL_WEBHOOK_SECRET": "whsec_c2l4dGVlbiBieXRlcyBhbmQgc29tZQ=="},
			name: "SES_TOPIC_ARN"},
		{env: map[string]string{"SES_TOPIC_ARN": topic, "POSTMARK_WEBHOOK_LOGIN": "pledgeworks:sixteen bytes or more"},
			name: "SES_TOPIC_ARN"},
		{env: map[string]string{"EMAIL_API_KEY": key, "SUPPORT_EMAIL": unset, "PLEDGES_EMAIL_FROM": unset},
			name: "PLEDGES_EMAIL_FROM"},
		{env: map[string]string{"EMAIL_API_BASE": "http://127.0.0.1:1", "APP_MODE": "test",
			"PSP_PUBLISHABLE_KEY": "pk_test_1", "EMAIL_API_KEY": key, "SUPPORT_EMAIL": "help@example.org"}},
		{env: map[string]string{"EMAIL_API_BASE": "http://127.0.0.1:1", "APP_MODE": "test",
			"PSP_PUBLISHABLE_KEY": "pk_test_1"}, name: "EMAIL_API_BASE"},
	} {
		faults := faultsOf(t, valid(tt.env), "")
		if tt.name == "" && len(faults) > 0 || tt.name != "" && (len(faults) != 1 || faults[0].Name != tt.name) {
			t.Errorf("%v: %v", tt.env, faults)
		}
	}
}

// In live mode with a mail provider, there is a warning if no postal address is set for the footer
// of news.
func TestMail_PostalAddressWarning(t *testing.T) {
	provider := map[string]string{"EMAIL_API_KEY": "re_0123456789", "SUPPORT_EMAIL": "help@example.org"}
	for name, tt := range map[string]struct {
		env    map[string]string
		warned bool
	}{
		"live":                 {map[string]string{}, true},
		"live with an address": {map[string]string{"PLATFORM_POSTAL_ADDRESS": "1 Shore Road, Taos, NM 87571"}, false},
		"nothing is sent":      {map[string]string{"EMAIL_API_KEY": unset}, false},
		"test":                 {map[string]string{"APP_MODE": "test", "PSP_PUBLISHABLE_KEY": "pk_test_1"}, false},
	} {
		env := maps.Clone(provider)
		maps.Copy(env, tt.env)
		warnings := load(t, valid(env), "").Warnings
		if got := len(warnings) == 1 && warnings[0].Name == "PLATFORM_POSTAL_ADDRESS"; got != tt.warned ||
			!tt.warned && len(warnings) > 0 {
			t.Errorf("%s: %v", name, warnings)
		}
	}
}

// In test mode, there is a warning if the port of a local public address is not that of LISTEN.
func TestLoad_PortMismatch(t *testing.T) {
	for name, tt := range map[string]struct {
		listen, worker string
		warned         bool
	}{
		"same":           {":8787", "http://127.0.0.1:8787", false},
		"other":          {":8787", "http://localhost:9000", true},
		"default port":   {":80", "http://localhost", false},
		"behind a proxy": {":8787", "https://test.example.org", false},
		"any port":       {"127.0.0.1:0", "http://127.0.0.1:8787", false},
	} {
		warnings := load(t, valid(map[string]string{"APP_MODE": "test", "PSP_PUBLISHABLE_KEY": "pk_test_1",
			"LISTEN": tt.listen, "SITE_BASE": tt.worker, "WORKER_BASE": tt.worker}), "").Warnings
		if got := len(warnings) == 1 && warnings[0].Name == "LISTEN"; got != tt.warned || len(warnings) > 1 {
			t.Errorf("%s: %v", name, warnings)
		}
	}
}

// Broadcasts use UPDATES_EMAIL_FROM, otherwise the sender of mails about pledges, otherwise the
// support address.
func TestUpdatesSender(t *testing.T) {
	all := []string{"UPDATES_EMAIL_FROM", "PLEDGES_EMAIL_FROM", "SUPPORT_EMAIL"}
	env := map[string]string{}
	for _, a := range slices.Backward(all) {
		env[a] = strings.ToLower(a) + "@example.org"
		if got := load(t, valid(env), "").Site.UpdatesSender(); got != env[a] {
			t.Errorf("sender = %q, want %q", got, env[a])
		}
	}
}

// The sender of broadcasts must be a valid address.
func TestUpdatesSender_Invalid(t *testing.T) {
	faults := faultsOf(t, valid(map[string]string{"UPDATES_EMAIL_FROM": "Small Hours"}), "")
	if len(faults) != 1 || faults[0].Name != "UPDATES_EMAIL_FROM" {
		t.Error(faults)
	}
}

// In test mode, the challenge for reminders can be bypassed.
//
// Proves REM-07.
func TestChallengeBypass_TestModeOnly(t *testing.T) {
	for bypass, want := range map[string]bool{"": true, "false": true, "true": false} {
		c, err := config.Demo(rand.Reader, site(""), map[string]string{
			"CHALLENGE_SECRET_KEY": "0x4secret", "CHALLENGE_SITE_KEY": "0x4site", "LAUNCH_REMINDER_TURNSTILE_BYPASS": bypass,
		})
		if err != nil || c.Challenged() != want {
			t.Errorf("bypass %q: challenged %t, %v", bypass, c.Challenged(), err)
		}
	}
}

// A passkey can be required only if the site has a domain name, because browsers bind passkeys to
// it.
func TestPasskeysRequired_NeedsDomainName(t *testing.T) {
	for base, want := range map[string]int{"https://example.org": 0, "https://192.0.2.7": 1,
		"https://192.0.2.7:8443": 1, "https://[2001:db8::7]": 1} {
		for required, faultCount := range map[string]int{"true": want, "false": 0} {
			faults := faultsOf(t,
				valid(map[string]string{"SITE_BASE": base, "CORS_ALLOWED_ORIGIN": unset, "ADMIN_PASSKEYS_REQUIRED": required}), "")
			if len(faults) != faultCount || faultCount == 1 && faults[0].Name != "ADMIN_PASSKEYS_REQUIRED" {
				t.Errorf("%s at %s: %v", required, base, faults)
			}
		}
	}
}
