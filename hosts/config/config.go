package config

import (
	"cmp"
	"log/slog"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Config holds all settings of the service. The tags give the environment variable, the key in the
// site file and the default.
type Config struct {
	Mode        Mode
	Site        Site
	Processor   Processor
	Pricing     Pricing
	Tax         Tax
	Shipping    Shipping
	Carrier     Carrier
	Performance Performance
	Server      Server
	Content     Content
	Media       Media
	Settlement  Settlement
	Reminders   Reminders
	SignIn      SignIn
	Reports     Reports
	Mail        Mail
	PlanUsage   PlanUsage
	Secrets     Secrets

	// Warnings lists problems found by Load that do not prevent the service from running, such as a
	// missing recommended secret or a key in the site file that has no effect.
	Warnings SettingErrors
}

// Mode selects test or real payments, and thereby the processor's keys.
type Mode struct {
	// App is psp.Test, which also enables test-only routes, or psp.Live.
	App psp.Mode `env:"APP_MODE" envDefault:"live" oneof:"test live"`
}

// StrictTransport returns the Strict-Transport-Security header for every response: one year in live
// mode, where every address is https, and "" in test mode. It does not include subdomains, which
// may belong to other services.
func (m Mode) StrictTransport() string {
	if m.App == psp.Live {
		return "max-age=31536000"
	}
	return ""
}

// Site holds the public addresses and the platform's contact data.
type Site struct {
	// Base is the origin of the public site, Worker the origin of this service.
	Base   Origin `env:"SITE_BASE" site:"platform.site_url"`
	Worker Origin `env:"WORKER_BASE" site:"platform.worker_url"`
	// CanonicalBase is the production origin, which canonical links use even in a copy of the site.
	// It keeps the site file's value when Base is overridden locally.
	CanonicalBase Origin `env:"CANONICAL_SITE_BASE"`
	// CORSOrigin is the only origin that may call protected endpoints.
	CORSOrigin Origin `env:"CORS_ALLOWED_ORIGIN"`
	// Timezone determines when campaigns start and end.
	Timezone Zone   `env:"PLATFORM_TIMEZONE" site:"platform.timezone" envDefault:"America/Denver"`
	Name     string `env:"PLATFORM_NAME" site:"platform.name" envDefault:"Pledgeworks"`
	// Company operates the platform, and PostalAddress is its address. Both are in the footer of
	// every mail.
	Company       string `env:"PLATFORM_COMPANY_NAME" site:"platform.company_name"`
	PostalAddress string `env:"PLATFORM_POSTAL_ADDRESS" site:"platform.postal_address"`
	// SupportEmail is shown to supporters. PledgesFrom and UpdatesFrom are senders, as "Name
	// <address>" or a bare address.
	SupportEmail string `env:"SUPPORT_EMAIL" site:"platform.support_email"`
	PledgesFrom  string `env:"PLEDGES_EMAIL_FROM" site:"platform.pledges_email_from"`
	UpdatesFrom  string `env:"UPDATES_EMAIL_FROM" site:"platform.updates_email_from"`
	// SecurityContact is where vulnerabilities are reported: a mailto:, https: or tel: URI.
	// SecurityExpires is its expiry time (RFC 9116).
	SecurityContact string `env:"SECURITY_CONTACT"`
	SecurityExpires string `env:"SECURITY_EXPIRES"`
}

// SecurityExpiry returns the time in SecurityExpires, or the zero time if it is empty or invalid.
func (s Site) SecurityExpiry() time.Time {
	at, err := time.Parse(time.RFC3339, s.SecurityExpires)
	if err != nil {
		return time.Time{}
	}
	return at
}

// PledgesSender returns the sender of mails about pledges.
func (s Site) PledgesSender() string { return cmp.Or(s.PledgesFrom, s.SupportEmail) }

// UpdatesSender returns the sender of campaign news and reminders. It defaults to the sender of
// mails about pledges.
func (s Site) UpdatesSender() string { return cmp.Or(s.UpdatesFrom, s.PledgesFrom, s.SupportEmail) }

// Values of PSP_PROVIDER.
const (
	Stripe = "stripe" // the real processor, in test or live mode
	Sim    = "sim"    // the built-in simulator, in test mode only
)

// Processor configures the payment processor.
type Processor struct {
	Provider string `env:"PSP_PROVIDER" envDefault:"stripe" oneof:"stripe sim"`
	// PublishableKey is sent to the browser. Without it, checkout redirects to the processor's
	// hosted page.
	PublishableKey string `env:"PSP_PUBLISHABLE_KEY" site:"checkout.psp_publishable_key"`
	// API replaces the processor's API URL, in test mode only, for example with a simulator that
	// runs next to the service.
	API URL `env:"PSP_API_BASE"`
	// RequestsPerSecond is the account's rate limit; 0 means the published limit, or no limit if
	// API is set.
	RequestsPerSecond int `env:"PSP_REQUESTS_PER_SECOND" envDefault:"0" range:"0 10000"`
}

// Pricing holds the flat tax rate and the bounds of the platform tip.
type Pricing struct {
	SalesTaxRate      money.Rate `env:"SALES_TAX_RATE" site:"pricing.sales_tax_rate"` // used by the flat tax provider only
	DefaultTipPercent int        `env:"DEFAULT_PLATFORM_TIP_PERCENT" site:"pricing.default_tip_percent" envDefault:"0" range:"0 100"`
	MaxTipPercent     int        `env:"MAX_PLATFORM_TIP_PERCENT" site:"pricing.max_tip_percent" envDefault:"15" range:"0 100"`
}

// Values of TAX_PROVIDER.
const (
	TaxFlat  = "flat"
	TaxRules = "offline_rules"
	TaxNMGRT = "nm_grt"
	TaxLocal = "local_tax_api"
)

// Tax selects how tax is computed.
type Tax struct {
	Provider          string  `env:"TAX_PROVIDER" site:"tax.provider" envDefault:"flat" oneof:"flat offline_rules nm_grt local_tax_api"`
	OriginCountry     Country `env:"TAX_ORIGIN_COUNTRY" site:"tax.origin_country" envDefault:"US"`
	UseRegionalOrigin bool    `env:"TAX_USE_REGIONAL_ORIGIN" site:"tax.use_regional_origin" envDefault:"false"`
	// Collect lists the places where tax is collected; if empty, only the origin.
	Collect  Places `env:"TAX_COLLECT" site:"tax.collect"`
	NMGRTAPI URL    `env:"NM_GRT_API_BASE" site:"tax.nm_grt_api_base"`
	// NMGRTBaseRate applies in New Mexico if the location is unknown.
	NMGRTBaseRate money.Rate `env:"NM_GRT_BASE_RATE" site:"tax.nm_grt_base_rate"`
	LocalAPI      URL        `env:"LOCAL_TAX_API_BASE" site:"tax.local_tax_api_base"`
}

// Shipping is the platform's shipping policy.
type Shipping struct {
	OriginZIP     string  `env:"SHIPPING_ORIGIN_ZIP" site:"shipping.origin_zip"`
	OriginCountry Country `env:"SHIPPING_ORIGIN_COUNTRY" site:"shipping.origin_country" envDefault:"US"`
	// Excluded lists the countries that nothing is shipped to. The default is Country Group E of
	// the US Export Administration Regulations: https://www.ecfr.gov/current/title-15/part-740
	Excluded Countries `env:"SHIPPING_EXCLUDED_COUNTRIES" site:"shipping.excluded_countries" envDefault:"CU,IR,KP,SY"`
	// FallbackFlatRate is charged per package if there is no better quote. The setting is in
	// dollars, the field in cents.
	FallbackFlatRate money.Cents `env:"SHIPPING_FALLBACK_FLAT_RATE" site:"shipping.fallback_flat_rate" envDefault:"3.00"`
	FreeByDefault    bool        `env:"SHIPPING_FREE_SHIPPING_DEFAULT" site:"shipping.free_shipping_default" envDefault:"false"`
	DefaultOption    string      `env:"SHIPPING_DEFAULT_OPTION" site:"shipping.default_option" envDefault:"standard" oneof:"standard signature_required adult_signature_required"`
}

// CommercialPrices is the CARRIER_PRICE_TYPE for postage that is printed by the sender. The other
// value, retail, is the price at the counter.
const CommercialPrices = "commercial"

// Carrier configures the account with the shipping carrier.
type Carrier struct {
	Enabled           bool          `env:"CARRIER_ENABLED" site:"shipping.carrier.enabled" envDefault:"false"`
	PriceType         string        `env:"CARRIER_PRICE_TYPE" site:"shipping.carrier.price_type" envDefault:"retail" oneof:"retail commercial"`
	ClientID          string        `env:"CARRIER_CLIENT_ID" site:"shipping.carrier.client_id"`
	API               URL           `env:"CARRIER_API_BASE" site:"shipping.carrier.api_base"`
	Timeout           time.Duration `env:"CARRIER_TIMEOUT_MS" site:"shipping.carrier.timeout_ms" envDefault:"5000" unit:"ms" range:"100 60000"`
	QuoteTTL          time.Duration `env:"CARRIER_QUOTE_CACHE_TTL_SECONDS" site:"shipping.carrier.quote_cache_ttl_seconds" envDefault:"600" unit:"s" range:"0 86400"`
	FailureCooldown   time.Duration `env:"CARRIER_FAILURE_COOLDOWN_SECONDS" site:"shipping.carrier.failure_cooldown_seconds" envDefault:"300" unit:"s" range:"0 86400"`
	RateLimitCooldown time.Duration `env:"CARRIER_RATE_LIMIT_COOLDOWN_SECONDS" site:"shipping.carrier.rate_limit_cooldown_seconds" envDefault:"1800" unit:"s" range:"0 86400"`
}

// Performance configures link prefetching on the public pages and how long browsers may cache
// public responses.
type Performance struct {
	PrefetchEnabled bool          `env:"INTENT_PREFETCH_ENABLED" site:"performance.intent_prefetch_enabled" envDefault:"true"`
	PrefetchDelay   time.Duration `env:"INTENT_PREFETCH_DELAY_MS" site:"performance.intent_prefetch_delay_ms" envDefault:"90" unit:"ms" range:"0 10000"`
	PrefetchLimit   int           `env:"INTENT_PREFETCH_LIMIT" site:"performance.intent_prefetch_limit" envDefault:"3" range:"0 100"`
	StatsTTL        time.Duration `env:"LIVE_STATS_TTL_SECONDS" site:"cache.live_stats_ttl_seconds" envDefault:"300" unit:"s" range:"0 86400"`
	InventoryTTL    time.Duration `env:"LIVE_INVENTORY_TTL_SECONDS" site:"cache.live_inventory_ttl_seconds" envDefault:"300" unit:"s" range:"0 86400"`
}

// Server configures the process: its addresses, directories and limits.
type Server struct {
	Listen     string `env:"LISTEN" envDefault:"127.0.0.1:8787"` // host:port; an empty host listens on all addresses
	DataDir    string `env:"DATA_DIR" envDefault:"pledgeworks-data"`
	ContentDir string `env:"CONTENT_DIR" envDefault:"."`
	// TrustedProxyHeader is the header in which a reverse proxy passes the client's address, such
	// as CF-Connecting-IP. If it is "", the address of the connection is used.
	TrustedProxyHeader string        `env:"TRUSTED_PROXY_HEADER"`
	LogLevel           slog.Level    `env:"LOG_LEVEL" envDefault:"info" oneof:"debug info warn error"`
	LogFormat          string        `env:"LOG_FORMAT" envDefault:"json" oneof:"json text"`
	ShutdownTimeout    time.Duration `env:"SHUTDOWN_TIMEOUT_SECONDS" envDefault:"30" unit:"s" range:"1 3600"`
	// DrainTimeout is how long the server keeps serving after it was asked to stop, while /readyz
	// returns 503, so that a load balancer can take it out of rotation.
	DrainTimeout time.Duration `env:"DRAIN_TIMEOUT_SECONDS" envDefault:"0" unit:"s" range:"0 600"`
	// MetricsListen is the address that serves Prometheus metrics at /metrics, separately from the
	// service; "" disables it.
	MetricsListen string `env:"METRICS_LISTEN"`
	// BodyBudget limits the total size of request bodies in flight, in MiB, not counting operators'
	// uploads.
	BodyBudget int `env:"BODY_BUDGET_MB" envDefault:"64" range:"8 65536"`
	// RequestsPerClient limits the concurrent requests of one client network.
	RequestsPerClient int `env:"REQUESTS_PER_CLIENT" envDefault:"64" range:"4 100000"`
	// Connections limits the open connections, and ConnectionsPerClient those of one client network
	// that connects without a proxy.
	Connections          int `env:"CONNECTIONS" envDefault:"8192" range:"16 1000000"`
	ConnectionsPerClient int `env:"CONNECTIONS_PER_CLIENT" envDefault:"256" range:"4 1000000"`
	// ClockOffset shifts the service's clock, in test mode only, for example to test what happens
	// after a deadline.
	ClockOffset time.Duration `env:"CLOCK_OFFSET_SECONDS" envDefault:"0" unit:"s" range:"-31536000 31536000"`
	// DatabaseConnections limits this process's connections to PostgreSQL.
	DatabaseConnections int `env:"DATABASE_CONNECTIONS" envDefault:"16" range:"2 1000"`
}

// Kinds of CONTENT_REPOSITORY.
const (
	ContentGit    = "git"    // the Git repository that contains CONTENT_DIR
	ContentPlain  = "folder" // CONTENT_DIR without Git
	ContentGitHub = "github" // a repository on GitHub
	ContentGitea  = "gitea"  // a repository on a Gitea or Forgejo server
)

// Content configures where operators' changes to campaign files are written. Without a repository,
// campaigns cannot be edited.
type Content struct {
	Repository string `env:"CONTENT_REPOSITORY"`
	Branch     string `env:"CONTENT_BRANCH" envDefault:"main"`
	// Folder is the content's directory in a remote repository; "" is the root.
	Folder string `env:"CONTENT_FOLDER"`
	// LocalWrites makes the content directory a ContentPlain repository if no repository is set.
	LocalWrites bool `env:"ADMIN_LOCAL_REPO_WRITES_ENABLED" envDefault:"false"`
}

// Media configures an S3 bucket for videos and recordings. Without it they are stored in the
// repository.
type Media struct {
	Bucket string `env:"MEDIA_STORE_URL"`
	Region string `env:"MEDIA_STORE_REGION" envDefault:"auto"`
	KeyID  string `env:"MEDIA_STORE_KEY_ID"`
	// Public is the base URL under which the bucket is publicly readable.
	Public string `env:"MEDIA_PUBLIC_URL"`
}

// Place returns the kind of repository, or "" for none, and its location: "owner/name" on GitHub, a
// repository URL on a Gitea server, and "" for the other kinds.
func (c Content) Place() (kind, where string) {
	kind, where, _ = strings.Cut(c.Repository, ":")
	if kind == "" && c.LocalWrites {
		kind = ContentPlain
	}
	return kind, where
}

// Remote reports whether the repository is on a Git host.
func (c Content) Remote() bool {
	kind, _ := c.Place()
	return kind == ContentGitHub || kind == ContentGitea
}

// Settlement configures charging and reconciliation.
type Settlement struct {
	// Enabled allows charges. If it is false, nothing is charged, not even on request.
	Enabled bool `env:"SETTLEMENT_ENABLED" envDefault:"true"`
	// Grouping determines which pledges of one address to a campaign are charged together.
	Grouping pledge.Grouping `env:"SETTLEMENT_GROUPING" envDefault:"confirmed" oneof:"confirmed email"`
	// Reconcile enables the daily reconciliation with the processor. By default it is enabled in
	// live mode and disabled in test mode.
	Reconcile bool `env:"PAYMENT_RECONCILIATION_ENABLED"`
	// Operators lists the operators, two of whom together can resolve a charge that needs
	// attention, accept different terms or reopen a campaign.
	Operators Operators `env:"ADMIN_OPERATORS"`
}

// Reminders configures launch reminders and abandoned cart reminders.
type Reminders struct {
	// Unconfirmed sends launch reminders to addresses whose owners have not confirmed them.
	Unconfirmed bool `env:"LAUNCH_REMINDER_UNCONFIRMED" site:"reminders.launch_unconfirmed" envDefault:"false"`
	// SiteKey is the public key of the challenge; Secrets.Challenge is the secret one.
	SiteKey string `env:"CHALLENGE_SITE_KEY" site:"reminders.challenge_site_key"`
	// Bypass disables the challenge, in test mode only.
	Bypass bool `env:"LAUNCH_REMINDER_TURNSTILE_BYPASS" envDefault:"false"`
	// CartDelay is how long after its start a checkout is considered abandoned.
	CartDelay time.Duration `env:"ABANDONED_CART_DELAY_SECONDS" site:"reminders.abandoned_cart_delay_seconds" envDefault:"21600" unit:"s" range:"3600 604800"`
}

// SignIn configures how users of the dashboard sign in.
type SignIn struct {
	// Bypass disables the challenge, in test mode only.
	Bypass bool `env:"ADMIN_TURNSTILE_BYPASS" envDefault:"false"`
	// Passkeys requires a passkey from all users, in addition to the emailed link.
	Passkeys bool `env:"ADMIN_PASSKEYS_REQUIRED" envDefault:"false"`
	// ExposeLink returns the sign-in link in the response, in test mode only.
	ExposeLink bool `env:"ADMIN_EXPOSE_LOGIN_LINK" envDefault:"false"`
}

// ShowsSignInLink reports whether the response to a sign-in request contains the emailed link, for
// developers: on a local machine, or if ExposeLink is set in test mode.
func (c *Config) ShowsSignInLink() bool {
	local := c.Site.Base.Local() && c.Site.Worker.Local()
	return c.Mode.App == psp.Test && (local || c.SignIn.ExposeLink)
}

// SignInChallenged reports whether signing in requires a challenge.
func (c *Config) SignInChallenged() bool { return c.Secrets.Challenge.IsSet() && !c.SignIn.Bypass }

// Reports configures the reports that are mailed to the addresses in campaign files.
type Reports struct {
	Enabled bool `env:"RUNNER_REPORTS_ENABLED" site:"reports.campaign_runner.enabled" envDefault:"true"`
	// Hour is the hour of the day, in the platform's time zone, from which reports are sent.
	Hour int `env:"RUNNER_REPORT_HOUR" site:"reports.campaign_runner.send_hour" envDefault:"7" range:"0 23"`
}

// Mail holds the settings of the mail providers that are not secret.
type Mail struct {
	// API replaces Resend's API URL, in test mode only. The server at that URL then receives the
	// mails, which are otherwise written to a folder.
	API URL `env:"EMAIL_API_BASE"`
	// SESRegion is the region of Amazon SES, SESKeyID the ID of the access key.
	SESRegion string `env:"SES_REGION"`
	SESKeyID  string `env:"SES_ACCESS_KEY_ID"`
	// SESConfigurationSet publishes delivery events to the SNS topic SESTopic.
	SESConfigurationSet string `env:"SES_CONFIGURATION_SET"`
	SESTopic            string `env:"SES_TOPIC_ARN"`
	// DKIMSelector is the DNS selector of the public key for mails signed before SMTP delivery.
	DKIMSelector string `env:"SMTP_DKIM_SELECTOR"`
}

// PlanUsage configures the Cloudflare account whose plan usage super admins see. The token is in
// Secrets.
type PlanUsage struct {
	Account string `env:"EDGE_ACCOUNT_ID"`
	Plan    string `env:"PLAN_USAGE_EDGE_PLAN" envDefault:"free" oneof:"free paid"`
}

// UsageToken returns the token that reads the account's analytics.
func (s Secrets) UsageToken() Secret { return cmp.Or(s.EdgeUsage, s.EdgeAnalytics) }

// Challenged reports whether requesting a reminder requires a challenge.
func (c *Config) Challenged() bool { return c.Secrets.Challenge.IsSet() && !c.Reminders.Bypass }

// Secrets are read from the environment only. The tag states when a secret is needed; "hmac"
// requires at least MinHMACSecret bytes.
type Secrets struct {
	PSPKeyLive Secret `env:"PSP_SECRET_KEY_LIVE" secret:"mode"`
	PSPKeyTest Secret `env:"PSP_SECRET_KEY_TEST" secret:"mode"`
	// PSPRefundLive and PSPRefundTest create refunds instead of the processor's key.
	PSPRefundLive  Secret `env:"PSP_REFUND_KEY_LIVE" secret:"optional"`
	PSPRefundTest  Secret `env:"PSP_REFUND_KEY_TEST" secret:"optional"`
	PSPWebhookLive Secret `env:"PSP_WEBHOOK_SECRET_LIVE" secret:"mode"`
	PSPWebhookTest Secret `env:"PSP_WEBHOOK_SECRET_TEST" secret:"mode"`
	CheckoutIntent Secret `env:"CHECKOUT_INTENT_SECRET" secret:"required hmac"`
	MagicLink      Secret `env:"MAGIC_LINK_SECRET" secret:"required hmac"`
	// EmailHash is the key for hashing suppressed addresses, FormerEmailHash the previous one. If
	// EmailHash is not set, a key is derived from MagicLink.
	EmailHash       Secret `env:"EMAIL_HASH_SECRET" secret:"optional hmac"`
	FormerEmailHash Secret `env:"EMAIL_HASH_SECRET_FORMER" secret:"optional hmac"`
	Admin           Secret `env:"ADMIN_SECRET" secret:"required"`
	// AdminSession signs session cookies. It defaults to MagicLink.
	AdminSession    Secret `env:"ADMIN_SESSION_SECRET" secret:"optional hmac"`
	AdminSettlement Secret `env:"ADMIN_SETTLEMENT_SECRET" secret:"recommended"`
	AdminBroadcast  Secret `env:"ADMIN_BROADCAST_SECRET" secret:"optional"`
	// AbandonedCart signs the links that restore a cart. It defaults to MagicLink.
	AbandonedCart Secret `env:"ABANDONED_CART_TOKEN_SECRET" secret:"optional hmac"`
	// Challenge is the secret key of Cloudflare Turnstile.
	Challenge      Secret `env:"CHALLENGE_SECRET_KEY" secret:"optional"`
	CarrierClient  Secret `env:"CARRIER_CLIENT_SECRET" secret:"optional"`
	LocalTaxAPIKey Secret `env:"LOCAL_TAX_API_KEY" secret:"optional"`
	// EmailAPIKey is Resend's API key, Postmark a Postmark server token, SES the secret of the
	// access key in Mail, and SMTP the URL of a mail server including its password. In live mode,
	// mails are sent by the provider whose secret is set.
	EmailAPIKey Secret `env:"EMAIL_API_KEY" secret:"optional"`
	Postmark    Secret `env:"POSTMARK_SERVER_TOKEN" secret:"optional"`
	SES         Secret `env:"SES_SECRET_ACCESS_KEY" secret:"optional"`
	SMTP        Secret `env:"SMTP_URL" secret:"optional"`
	DKIM        Secret `env:"SMTP_DKIM_KEY" secret:"optional"`
	// EmailWebhook is the signing secret of Resend's webhook.
	EmailWebhook Secret `env:"EMAIL_WEBHOOK_SECRET" secret:"optional"`
	// PostmarkWebhook is the user name and password of Postmark's webhook requests, separated by a
	// colon.
	PostmarkWebhook Secret `env:"POSTMARK_WEBHOOK_LOGIN" secret:"optional"`
	// Database is a PostgreSQL URL, including the password. Without it, all data is in one SQLite
	// file in DATA_DIR.
	Database Secret `env:"DATABASE_URL" secret:"optional"`
	// MediaStore is the secret access key of the media bucket.
	MediaStore Secret `env:"MEDIA_STORE_SECRET" secret:"optional"`
	// Content is a token with read and write access to the content repository, and ContentWebhook
	// the secret with which its host signs push webhooks.
	Content        Secret `env:"CONTENT_TOKEN" secret:"optional"`
	ContentWebhook Secret `env:"CONTENT_WEBHOOK_SECRET" secret:"optional hmac"`
	// EdgeUsage reads the analytics of PlanUsage's account. It defaults to EdgeAnalytics.
	EdgeUsage     Secret `env:"EDGE_USAGE_API_TOKEN" secret:"optional"`
	EdgeAnalytics Secret `env:"EDGE_ANALYTICS_API_TOKEN" secret:"optional"`
}

// MinHMACSecret is the minimum length, in bytes, of a secret that signs tokens: the size of a
// SHA-256 digest.
const MinHMACSecret = 32

// PSPSecretKey returns the processor's secret key for the current mode.
func (c *Config) PSPSecretKey() Secret {
	if c.Mode.App == psp.Live {
		return c.Secrets.PSPKeyLive
	}
	return c.Secrets.PSPKeyTest
}

// PSPRefundKey returns the key that creates refunds in the current mode, "" if PSPSecretKey does.
func (c *Config) PSPRefundKey() Secret {
	if c.Mode.App == psp.Live {
		return c.Secrets.PSPRefundLive
	}
	return c.Secrets.PSPRefundTest
}

// PSPWebhookSecret returns the webhook signing secret for the current mode.
func (c *Config) PSPWebhookSecret() Secret {
	if c.Mode.App == psp.Live {
		return c.Secrets.PSPWebhookLive
	}
	return c.Secrets.PSPWebhookTest
}
