package config_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// unset is an override that removes a variable from the valid environment.
const unset = "\x00"

// valid returns a complete live environment.
func valid(overrides map[string]string) config.Lookup {
	env := map[string]string{
		"SITE_BASE":               "https://site.example",
		"WORKER_BASE":             "https://api.example",
		"PSP_PUBLISHABLE_KEY":     "pk_live_1",
		"PSP_SECRET_KEY_LIVE":     "sk_live_1",
		"PSP_SECRET_KEY_TEST":     "sk_test_1",
		"PSP_WEBHOOK_SECRET_LIVE": "whsec_live",
		"PSP_WEBHOOK_SECRET_TEST": "whsec_test",
		"CHECKOUT_INTENT_SECRET":  strings.Repeat("a", 32),
		"MAGIC_LINK_SECRET":       strings.Repeat("b", 32),
		"ADMIN_SECRET":            "admin",
		"ADMIN_SETTLEMENT_SECRET": "settle",
		"SALES_TAX_RATE":          "0.07875",
	}
	maps.Copy(env, overrides)
	maps.DeleteFunc(env, func(_, v string) bool { return v == unset })
	return config.Values(env)
}

func site(text string) fstest.MapFS {
	return fstest.MapFS{config.SiteFile: {Data: []byte(text)}}
}

func load(t *testing.T, env config.Lookup, file string) config.Config {
	t.Helper()
	cfg, err := config.Load(env, site(file))
	if err != nil {
		t.Fatalf("Load:\n%v", err)
	}
	return cfg
}

// fullSite sets every key of the site file to a value other than its default.
const fullSite = `
title: Somewhere
platform:
  site_url: https://Site.Example/
  worker_url: https://api.site.example:443
  timezone: Europe/Vienna
  name: Lantern Fund
  support_email: help@site.example
  pledges_email_from: Pledges <pledges@site.example>
  updates_email_from: News <news@mail.site.example>
  company_name: Somewhere Ltd.
  postal_address: 1 Shore Road, Taos, NM 87571
checkout:
  psp_publishable_key: pk_live_site
pricing:
  sales_tax_rate: 0.05
  default_tip_percent: 7
  max_tip_percent: 20
tax:
  provider: nm_grt
  origin_country: at
  use_regional_origin: true
  nm_grt_api_base: https://grt.example/api/
  nm_grt_base_rate: 0.04875
  local_tax_api_base: https://tax.example
shipping:
  origin_zip: 87501
  origin_country: CA
  excluded_countries: no, se
  fallback_flat_rate: 4.5
  free_shipping_default: true
  default_option: signature_required
  carrier:
    enabled: true
    price_type: commercial
    client_id: us
    api_base: https://carrier.example/v3
    timeout_ms: 2500
    quote_cache_ttl_seconds: 60
    failure_cooldown_seconds: 30
    rate_limit_cooldown_seconds: 90
performance:
  intent_prefetch_enabled: false
  intent_prefetch_delay_ms: 120
  intent_prefetch_limit: 5
cache:
  live_stats_ttl_seconds: 10
  live_inventory_ttl_seconds: 20
`

// A key of the site file sets its variable's value unless the environment overrides it.
//
// Proves CFG-03, CFG-12, CFG-13, CFG-14, CFG-15, CFG-16, CFG-17, CFG-19, CFG-21, CFG-22,
// CFG-23, CFG-24, CFG-30, TAX-22, SHP-03.
func TestLoad_SiteFileKeys(t *testing.T) {
	for row := range strings.SplitSeq(strings.TrimSpace(`
		platform.site_url                            SITE_BASE                            https://a.example https://b.example
		platform.worker_url                          WORKER_BASE                          https://a.example https://b.example
		platform.timezone                            PLATFORM_TIMEZONE                    Europe/Vienna     Asia/Tokyo
		checkout.psp_publishable_key                 PSP_PUBLISHABLE_KEY                  pk_live_a         pk_live_b
		pricing.sales_tax_rate                       SALES_TAX_RATE                       0.05              0.06
		pricing.default_tip_percent                  DEFAULT_PLATFORM_TIP_PERCENT         7                 8
		pricing.max_tip_percent                      MAX_PLATFORM_TIP_PERCENT             20                30
		tax.provider                                 TAX_PROVIDER                         nm_grt            offline_rules
		tax.origin_country                           TAX_ORIGIN_COUNTRY                   AT                DE
		tax.use_regional_origin                      TAX_USE_REGIONAL_ORIGIN              true              false
		tax.nm_grt_api_base                          NM_GRT_API_BASE                      https://a.example https://b.example
		tax.nm_grt_base_rate                         NM_GRT_BASE_RATE                     0.04875           0.05125
		tax.local_tax_api_base                       LOCAL_TAX_API_BASE                   https://a.example https://b.example
		shipping.origin_zip                          SHIPPING_ORIGIN_ZIP                  87501             10001
		shipping.origin_country                      SHIPPING_ORIGIN_COUNTRY              AT                DE
		shipping.excluded_countries                  SHIPPING_EXCLUDED_COUNTRIES          RU                none
		shipping.fallback_flat_rate                  SHIPPING_FALLBACK_FLAT_RATE          4.50              9.99
		shipping.free_shipping_default               SHIPPING_FREE_SHIPPING_DEFAULT       true              false
		shipping.default_option                      SHIPPING_DEFAULT_OPTION              signature_required standard
		shipping.carrier.enabled                     CARRIER_ENABLED                      true              false
		shipping.carrier.price_type                  CARRIER_PRICE_TYPE                   commercial        retail
		shipping.carrier.client_id                   CARRIER_CLIENT_ID                    us                them
		shipping.carrier.api_base                    CARRIER_API_BASE                     https://a.example https://b.example
		shipping.carrier.timeout_ms                  CARRIER_TIMEOUT_MS                   2500              2600
		shipping.carrier.quote_cache_ttl_seconds     CARRIER_QUOTE_CACHE_TTL_SECONDS      60                61
		shipping.carrier.failure_cooldown_seconds    CARRIER_FAILURE_COOLDOWN_SECONDS     30                31
		shipping.carrier.rate_limit_cooldown_seconds CARRIER_RATE_LIMIT_COOLDOWN_SECONDS  90                91
		performance.intent_prefetch_enabled          INTENT_PREFETCH_ENABLED              false             true
		performance.intent_prefetch_delay_ms         INTENT_PREFETCH_DELAY_MS             120               121
		performance.intent_prefetch_limit            INTENT_PREFETCH_LIMIT                5                 6
	`), "\n") {
		f := strings.Fields(row)
		key, variable, inFile, inEnvironment := f[0], f[1], f[2], f[3]
		path := strings.Split(key, ".")
		file := strings.Join(path, ": {") + ": " + inFile + strings.Repeat("}", len(path)-1)
		for want, value := range map[string]string{inFile: unset, inEnvironment: inEnvironment} {
			env := map[string]string{"CARRIER_CLIENT_ID": "us", "CARRIER_CLIENT_SECRET": "carrier",
				"SHIPPING_ORIGIN_ZIP": "87501", "NM_GRT_BASE_RATE": "0.05"}
			env[variable] = value
			c := load(t, valid(env), file)
			shown := c.Redacted()
			at := slices.IndexFunc(shown, func(e config.Entry) bool { return e.Variable == variable })
			if at < 0 || shown[at].Value != want {
				t.Errorf("%s in the site file, %q in the environment: %s = %v", inFile, value, variable, shown)
			}
		}
	}
}

func TestLoad_SiteFileMatchesEnvironment(t *testing.T) {
	secrets := map[string]string{
		"SITE_BASE": unset, "WORKER_BASE": unset, "PSP_PUBLISHABLE_KEY": unset, "SALES_TAX_RATE": unset,
		"CARRIER_CLIENT_SECRET": "carrier",
	}
	fromSite := load(t, valid(secrets), fullSite)

	want := config.Config{
		Site: config.Site{
			Base: "https://site.example", Worker: "https://api.site.example",
			CanonicalBase: "https://site.example", CORSOrigin: "https://site.example", Timezone: fromSite.Site.Timezone,
			Name: "Lantern Fund", SupportEmail: "help@site.example", PledgesFrom: "Pledges <pledges@site.example>",
			UpdatesFrom: "News <news@mail.site.example>", Company: "Somewhere Ltd.",
			PostalAddress: "1 Shore Road, Taos, NM 87571",
		},
		Tax: config.Tax{
			Provider: config.TaxNMGRT, OriginCountry: "AT", UseRegionalOrigin: true,
			NMGRTAPI: "https://grt.example/api", NMGRTBaseRate: fromSite.Tax.NMGRTBaseRate, LocalAPI: "https://tax.example",
		},
		Shipping: config.Shipping{
			OriginZIP: "87501", OriginCountry: "CA", FallbackFlatRate: 450, FreeByDefault: true,
			DefaultOption: "signature_required",
			Excluded:      "NO,SE",
		},
		Carrier: config.Carrier{
			Enabled: true, PriceType: "commercial", ClientID: "us", API: "https://carrier.example/v3",
			Timeout:  2500 * time.Millisecond,
			QuoteTTL: time.Minute, FailureCooldown: 30 * time.Second, RateLimitCooldown: 90 * time.Second,
		},
		Performance: config.Performance{
			PrefetchDelay: 120 * time.Millisecond, PrefetchLimit: 5, StatsTTL: 10 * time.Second, InventoryTTL: 20 * time.Second,
		},
	}
	got := config.Config{
		Site: fromSite.Site, Tax: fromSite.Tax, Shipping: fromSite.Shipping,
		Carrier: fromSite.Carrier, Performance: fromSite.Performance,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(config.Mode{}), rates); diff != "" {
		t.Errorf("from the site file (-want +got):\n%s", diff)
	}
	if zone := fromSite.Site.Timezone.Location().String(); zone != "Europe/Vienna" {
		t.Errorf("zone = %s", zone)
	}
	if p := fromSite.Pricing; fromSite.Tax.NMGRTBaseRate.String() != "0.04875" || p.SalesTaxRate.String() != "0.05" ||
		p.DefaultTipPercent != 7 || p.MaxTipPercent != 20 {
		t.Errorf("pricing = %+v", p)
	}
	if key := fromSite.Processor.PublishableKey; key != "pk_live_site" {
		t.Errorf("publishable key = %s", key)
	}
	if len(fromSite.Warnings) != 0 {
		t.Errorf("warnings: %v", fromSite.Warnings)
	}

	// Redacted shows values in the format of the environment: setting them as variables results in
	// the same configuration and overrides a site file.
	variables := maps.Clone(secrets)
	for _, e := range fromSite.Redacted() {
		if !strings.Contains(e.Value, "*") && e.Value != "" {
			variables[e.Variable] = e.Value
		}
	}
	for _, file := range []string{"",
		strings.NewReplacer("Europe/Vienna", "Asia/Tokyo", "4.5", "9.99", "nm_grt\n", "flat\n").Replace(fullSite)} {
		if diff := cmp.Diff(fromSite, load(t, valid(variables), file), rates); diff != "" {
			t.Errorf("from the environment (-site +environment):\n%s", diff)
		}
	}
}

var rates = cmp.Comparer(func(a, b money.Rate) bool { return a.String() == b.String() })

// Proves CFG-16.
func TestLoad_Defaults(t *testing.T) {
	cfg := load(t, valid(nil), "")
	if zone := cfg.Site.Timezone.String(); zone != "America/Denver" {
		t.Errorf("zone = %s", zone)
	}
	if cfg.Mode.App != psp.Live {
		t.Errorf("mode = %s: test-only behavior must not be the default", cfg.Mode.App)
	}
	if cfg.Shipping.FallbackFlatRate != 300 || cfg.Pricing.DefaultTipPercent != 0 || cfg.Pricing.MaxTipPercent != 15 {
		t.Errorf("defaults = %+v %+v", cfg.Shipping, cfg.Pricing)
	}
	if diff := cmp.Diff([]string{"CU", "IR", "KP", "SY"}, cfg.Shipping.Excluded.List()); diff != "" {
		t.Errorf("excluded countries:\n%s", diff)
	}
	if cfg.Performance.PrefetchDelay != 90*time.Millisecond || cfg.Carrier.Timeout != 5*time.Second {
		t.Errorf("durations = %v %v", cfg.Performance.PrefetchDelay, cfg.Carrier.Timeout)
	}
}

// Proves CFG-25.
func TestCanonicalBase(t *testing.T) {
	const file = "platform: {site_url: 'https://site.example', worker_url: 'https://api.example'}\n"
	for name, env := range map[string]map[string]string{
		"nothing overridden": {"SITE_BASE": unset},
		"a workstation":      {"SITE_BASE": "http://localhost:4000", "APP_MODE": "test", "PSP_PUBLISHABLE_KEY": "pk_test_1"},
		"a copy":             {"SITE_BASE": "https://copy.example"},
	} {
		s := load(t, valid(env), file).Site
		if s.CanonicalBase != "https://site.example" {
			t.Errorf("%s: canonical base of %s = %s", name, s.Base, s.CanonicalBase)
		}
		if base := env["SITE_BASE"]; base != unset && string(s.Base) != base {
			t.Errorf("%s: base = %s", name, s.Base)
		}
	}
}

// Proves CFG-27, SEC-08.
func TestOrigins(t *testing.T) {
	const file = "platform: {site_url: 'https://site.example', worker_url: 'https://api.example'}\n"
	local := map[string]string{
		"APP_MODE": "test", "PSP_PUBLISHABLE_KEY": "pk_test_1",
		"SITE_BASE": "http://LOCALHOST:80/", "WORKER_BASE": "http://localhost:8787",
	}
	with := func(more map[string]string) map[string]string {
		m := maps.Clone(local)
		maps.Copy(m, more)
		return m
	}
	tests := map[string]struct {
		env                      map[string]string
		file                     string
		base, canonical, allowed config.Origin
	}{
		"overridden locally": {local, file, "http://localhost", "https://site.example", "http://localhost"},
		"no site file":       {local, "", "http://localhost", "http://localhost", "http://localhost"},
		"canonical given": {with(map[string]string{"CANONICAL_SITE_BASE": "https://www.example"}),
			file, "http://localhost", "https://www.example", "http://localhost"},
		"origin allowed by name": {with(map[string]string{"CORS_ALLOWED_ORIGIN": "HTTPS://Shop.Example:443/"}),
			file, "http://localhost", "https://site.example", "https://shop.example"},
		"only canonical": {
			with(map[string]string{"SITE_BASE": unset, "CANONICAL_SITE_BASE": "https://www.example"}), "",
			"https://www.example", "https://www.example", "https://www.example",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := load(t, valid(tt.env), tt.file).Site
			if s.Base != tt.base || s.CanonicalBase != tt.canonical || s.CORSOrigin != tt.allowed {
				t.Errorf("got %+v", s)
			}
		})
	}
}

// Proves CFG-18, CFG-29, WHK-06.
func TestMode(t *testing.T) {
	live := load(t, valid(nil), "")
	if live.PSPSecretKey().Reveal() != "sk_live_1" || live.PSPWebhookSecret().Reveal() != "whsec_live" ||
		!live.Settlement.Reconcile {
		t.Errorf("live mode: keys %s, %s, reconciliation %t", live.PSPSecretKey().Reveal(),
			live.PSPWebhookSecret().Reveal(), live.Settlement.Reconcile)
	}
	test := load(t, valid(map[string]string{"APP_MODE": "test", "PSP_PUBLISHABLE_KEY": "pk_test_1"}), "")
	if test.Mode.App != psp.Test || test.PSPSecretKey().Reveal() != "sk_test_1" ||
		test.PSPWebhookSecret().Reveal() != "whsec_test" || test.Settlement.Reconcile {
		t.Errorf("test mode: keys %s, %s, reconciliation %t", test.PSPSecretKey().Reveal(),
			test.PSPWebhookSecret().Reveal(), test.Settlement.Reconcile)
	}
	if !load(t, valid(map[string]string{"APP_MODE": "test", "PSP_PUBLISHABLE_KEY": "pk_test_1",
		"PAYMENT_RECONCILIATION_ENABLED": "true"}), "").Settlement.Reconcile {
		t.Error("reconciliation cannot be enabled in test mode")
	}
	if load(t, valid(map[string]string{"PAYMENT_RECONCILIATION_ENABLED": "false"}), "").Settlement.Reconcile {
		t.Error("reconciliation cannot be disabled in live mode")
	}
	for mode, key := range map[string]string{"test": "pk_live_1", "live": "pk_test_1"} {
		faults := faultsOf(t, valid(map[string]string{"APP_MODE": mode, "PSP_PUBLISHABLE_KEY": key}), "")
		if len(faults) != 1 || faults[0].Name != "PSP_PUBLISHABLE_KEY" {
			t.Errorf("%s in %s mode: %v", key, mode, faults)
		}
	}
}
