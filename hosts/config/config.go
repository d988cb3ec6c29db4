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

// Config is everything the service can be told from outside. The tags name
// the environment variable, the key in the site file and the default.
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

	// Warnings are what Load noticed and can run with: a recommended secret
	// that is missing, a key in the site file that nothing reads.
	Warnings Faults
}

// Mode decides between tests and real money, and with it which of the
// processor's keys are used.
type Mode struct {
	// App is psp.Test, which also enables test-only routes, or psp.Live.
	App psp.Mode `env:"APP_MODE" envDefault:"live" oneof:"test live"`
}

// StrictTransport is the Strict-Transport-Security of every response: in live mode, where
// every address is https, nobody asks otherwise for a year. It is "" in test mode. Other
// names of the domain are not ours to speak for.
func (m Mode) StrictTransport() string {
	if m.App == psp.Live {
		return "max-age=31536000"
	}
	return ""
}

// Site names the public addresses and the people behind them.
type Site struct {
	// Base is the origin of the public site, Worker that of this service.
	Base   Origin `env:"SITE_BASE" site:"platform.site_url"`
	Worker Origin `env:"WORKER_BASE" site:"platform.worker_url"`
	// CanonicalBase is the production origin, by which a copy of the site tells
	// machines where the original is: it stays at the site file's value while
	// Base is overridden locally.
	CanonicalBase Origin `env:"CANONICAL_SITE_BASE"`
	// CORSOrigin is the one origin that protected endpoints allow.
	CORSOrigin Origin `env:"CORS_ALLOWED_ORIGIN"`
	// Timezone decides when a campaign starts and ends.
	Timezone Zone   `env:"PLATFORM_TIMEZONE" site:"platform.timezone" envDefault:"America/Denver"`
	Name     string `env:"PLATFORM_NAME" site:"platform.name" envDefault:"Pledgeworks"`
	// Company is who is answerable for the platform, and PostalAddress where the post
	// reaches them: both stand at the end of every mail.
	Company       string `env:"PLATFORM_COMPANY_NAME" site:"platform.company_name"`
	PostalAddress string `env:"PLATFORM_POSTAL_ADDRESS" site:"platform.postal_address"`
	// SupportEmail is shown to supporters; PledgesFrom and UpdatesFrom are senders, as
	// "Name <address>" or a bare address.
	SupportEmail string `env:"SUPPORT_EMAIL" site:"platform.support_email"`
	PledgesFrom  string `env:"PLEDGES_EMAIL_FROM" site:"platform.pledges_email_from"`
	UpdatesFrom  string `env:"UPDATES_EMAIL_FROM" site:"platform.updates_email_from"`
	// SecurityContact is where finders of a vulnerability write: a mailto:, https: or tel:
	// address. SecurityExpires is until when it holds (RFC 9116).
	SecurityContact string `env:"SECURITY_CONTACT"`
	SecurityExpires string `env:"SECURITY_EXPIRES"`
}

// SecurityExpiry returns the time of SecurityExpires, the zero time if it is not set.
func (s Site) SecurityExpiry() time.Time {
	at, err := time.Parse(time.RFC3339, s.SecurityExpires)
	if err != nil {
		return time.Time{}
	}
	return at
}

// PledgesSender is who mails about pledges are from.
func (s Site) PledgesSender() string { return cmp.Or(s.PledgesFrom, s.SupportEmail) }

// UpdatesSender is the sender of campaigns' news and of reminders: that of pledges where
// they have none of their own.
func (s Site) UpdatesSender() string { return cmp.Or(s.UpdatesFrom, s.PledgesFrom, s.SupportEmail) }

// The processors that PSP_PROVIDER can name.
const (
	Stripe = "stripe" // the real processor, in test or live mode
	Sim    = "sim"    // the built-in simulator, in test mode only
)

// Processor says which payment processor is used.
type Processor struct {
	Provider string `env:"PSP_PROVIDER" envDefault:"stripe" oneof:"stripe sim"`
	// PublishableKey is shown to the browser. Without it checkout falls back
	// to the processor's own page.
	PublishableKey string `env:"PSP_PUBLISHABLE_KEY" site:"checkout.psp_publishable_key"`
	// API replaces the processor's own address, in test mode only: a simulator
	// that runs beside the service.
	API URL `env:"PSP_API_BASE"`
	// RequestsPerSecond is the rate that the account was given; 0 is the published one.
	RequestsPerSecond int `env:"PSP_REQUESTS_PER_SECOND" envDefault:"0" range:"0 10000"`
}

// Pricing holds the flat tax rate and the bounds of the platform tip.
type Pricing struct {
	SalesTaxRate      money.Rate `env:"SALES_TAX_RATE" site:"pricing.sales_tax_rate"` // used by the flat tax provider alone
	DefaultTipPercent int        `env:"DEFAULT_PLATFORM_TIP_PERCENT" site:"pricing.default_tip_percent" envDefault:"5" range:"0 100"`
	MaxTipPercent     int        `env:"MAX_PLATFORM_TIP_PERCENT" site:"pricing.max_tip_percent" envDefault:"15" range:"0 100"`
}

// The tax providers that TAX_PROVIDER can name.
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
	// Collect is where tax is collected; empty is the origin.
	Collect  Places `env:"TAX_COLLECT" site:"tax.collect"`
	NMGRTAPI URL    `env:"NM_GRT_API_BASE" site:"tax.nm_grt_api_base"`
	// NMGRTBaseRate is taken in New Mexico where no place is known.
	NMGRTBaseRate money.Rate `env:"NM_GRT_BASE_RATE" site:"tax.nm_grt_base_rate"`
	LocalAPI      URL        `env:"LOCAL_TAX_API_BASE" site:"tax.local_tax_api_base"`
}

// Shipping is the platform's shipping policy.
type Shipping struct {
	OriginZIP     string  `env:"SHIPPING_ORIGIN_ZIP" site:"shipping.origin_zip"`
	OriginCountry Country `env:"SHIPPING_ORIGIN_COUNTRY" site:"shipping.origin_country" envDefault:"US"`
	// FallbackFlatRate is charged per package where no better quote is to be
	// had, in dollars outside and cents in here.
	FallbackFlatRate money.Cents `env:"SHIPPING_FALLBACK_FLAT_RATE" site:"shipping.fallback_flat_rate" envDefault:"3.00"`
	FreeByDefault    bool        `env:"SHIPPING_FREE_SHIPPING_DEFAULT" site:"shipping.free_shipping_default" envDefault:"false"`
	DefaultOption    string      `env:"SHIPPING_DEFAULT_OPTION" site:"shipping.default_option" envDefault:"standard" oneof:"standard signature_required adult_signature_required"`
}

// CommercialPrices is the CARRIER_PRICE_TYPE of those who print their postage; the
// other is the counter's.
const CommercialPrices = "commercial"

// Carrier is the account with the carrier whose rates are asked for.
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

// Performance tunes what the public pages prefetch and how long a browser may
// keep a public read.
type Performance struct {
	PrefetchEnabled bool          `env:"INTENT_PREFETCH_ENABLED" site:"performance.intent_prefetch_enabled" envDefault:"true"`
	PrefetchDelay   time.Duration `env:"INTENT_PREFETCH_DELAY_MS" site:"performance.intent_prefetch_delay_ms" envDefault:"90" unit:"ms" range:"0 10000"`
	PrefetchLimit   int           `env:"INTENT_PREFETCH_LIMIT" site:"performance.intent_prefetch_limit" envDefault:"3" range:"0 100"`
	StatsTTL        time.Duration `env:"LIVE_STATS_TTL_SECONDS" site:"cache.live_stats_ttl_seconds" envDefault:"300" unit:"s" range:"0 86400"`
	InventoryTTL    time.Duration `env:"LIVE_INVENTORY_TTL_SECONDS" site:"cache.live_inventory_ttl_seconds" envDefault:"300" unit:"s" range:"0 86400"`
}

// Server says where the process listens and where its files are.
type Server struct {
	Listen     string `env:"LISTEN" envDefault:"127.0.0.1:8787"` // host:port; an empty host is every address
	DataDir    string `env:"DATA_DIR" envDefault:"pledgeworks-data"`
	ContentDir string `env:"CONTENT_DIR" envDefault:"."`
	// TrustedProxyHeader is the header in which a proxy in front of the server
	// puts the client's address, such as CF-Connecting-IP. "" trusts none and
	// takes the address of the connection.
	TrustedProxyHeader string        `env:"TRUSTED_PROXY_HEADER"`
	LogLevel           slog.Level    `env:"LOG_LEVEL" envDefault:"info" oneof:"debug info warn error"`
	LogFormat          string        `env:"LOG_FORMAT" envDefault:"json" oneof:"json text"`
	ShutdownTimeout    time.Duration `env:"SHUTDOWN_TIMEOUT_SECONDS" envDefault:"30" unit:"s" range:"1 3600"`
	// DrainTimeout is how long a server that was told to stop goes on as before, but
	// for /readyz, which says 503: a proxy in front has seen it by then.
	DrainTimeout time.Duration `env:"DRAIN_TIMEOUT_SECONDS" envDefault:"0" unit:"s" range:"0 600"`
	// MetricsListen is where Prometheus finds the metrics, at /metrics, apart from the
	// service; "" offers none.
	MetricsListen string `env:"METRICS_LISTEN"`
	// BodyBudget bounds the request bodies in flight, in MiB, without operators' uploads.
	BodyBudget int `env:"BODY_BUDGET_MB" envDefault:"64" range:"8 65536"`
	// RequestsPerClient bounds the requests in progress for one client network.
	RequestsPerClient int `env:"REQUESTS_PER_CLIENT" envDefault:"64" range:"4 100000"`
	// Connections bounds the open connections, and ConnectionsPerClient those of one client
	// network that no proxy stands in front of.
	Connections          int `env:"CONNECTIONS" envDefault:"8192" range:"16 1000000"`
	ConnectionsPerClient int `env:"CONNECTIONS_PER_CLIENT" envDefault:"256" range:"4 1000000"`
	// ClockOffset moves the service's clock, in test mode only: what happens
	// after a deadline can be tried before it.
	ClockOffset time.Duration `env:"CLOCK_OFFSET_SECONDS" envDefault:"0" unit:"s" range:"-31536000 31536000"`
	// DatabaseConnections bounds the connections of this process to PostgreSQL.
	DatabaseConnections int `env:"DATABASE_CONNECTIONS" envDefault:"16" range:"2 1000"`
}

// The kinds of place that CONTENT_REPOSITORY can name.
const (
	ContentGit    = "git"    // the Git repository that CONTENT_DIR is of
	ContentPlain  = "folder" // CONTENT_DIR by itself
	ContentGitHub = "github" // a repository at GitHub
	ContentGitea  = "gitea"  // a repository at a host that runs Gitea or Forgejo
)

// Content says where the files of campaigns are kept, for operators to change them. Without
// a repository nobody changes them here.
type Content struct {
	Repository string `env:"CONTENT_REPOSITORY"`
	Branch     string `env:"CONTENT_BRANCH" envDefault:"main"`
	// Folder is where the content lies in a repository at a host; "" is its root.
	Folder string `env:"CONTENT_FOLDER"`
	// LocalWrites has the folder of the content be a ContentPlain, where no repository is named.
	LocalWrites bool `env:"ADMIN_LOCAL_REPO_WRITES_ENABLED" envDefault:"false"`
}

// Media says where films and recordings are kept instead of in the repository: in a bucket
// that speaks S3's API. Without one they are files of the repository.
type Media struct {
	Bucket string `env:"MEDIA_STORE_URL"`
	Region string `env:"MEDIA_STORE_REGION" envDefault:"auto"`
	KeyID  string `env:"MEDIA_STORE_KEY_ID"`
	// Public is the address below which everybody reads the bucket.
	Public string `env:"MEDIA_PUBLIC_URL"`
}

// Place is the kind of repository, "" for none, and where it is: "owner/name" at GitHub, and
// the address of one at a host that runs Gitea.
func (c Content) Place() (kind, where string) {
	kind, where, _ = strings.Cut(c.Repository, ":")
	if kind == "" && c.LocalWrites {
		kind = ContentPlain
	}
	return kind, where
}

// Remote reports whether the repository is at a host.
func (c Content) Remote() bool {
	kind, _ := c.Place()
	return kind == ContentGitHub || kind == ContentGitea
}

// Settlement says what the scheduled work does by itself.
type Settlement struct {
	// Enabled lets charges be made. Without it nobody is charged, whoever asks.
	Enabled bool `env:"SETTLEMENT_ENABLED" envDefault:"true"`
	// Grouping says which pledges of an address to a campaign are charged together.
	Grouping pledge.Grouping `env:"SETTLEMENT_GROUPING" envDefault:"confirmed" oneof:"confirmed email"`
	// Reconcile lets the daily comparison with the processor run. Where it is
	// not set, it is on in live mode and off in test mode.
	Reconcile bool `env:"PAYMENT_RECONCILIATION_ENABLED"`
	// Operators may say what became of a charge that needs attention, two of them together.
	Operators Operators `env:"ADMIN_OPERATORS"`
}

// Reminders say how people are reminded by mail of what they asked for.
type Reminders struct {
	// Unconfirmed reminds addresses of a launch whose owners were not asked.
	Unconfirmed bool `env:"LAUNCH_REMINDER_UNCONFIRMED" site:"reminders.launch_unconfirmed" envDefault:"false"`
	// SiteKey is the public half of the challenge's keys; Secrets.Challenge is the other.
	SiteKey string `env:"CHALLENGE_SITE_KEY" site:"reminders.challenge_site_key"`
	// Bypass leaves the challenge out, in test mode only.
	Bypass bool `env:"LAUNCH_REMINDER_TURNSTILE_BYPASS" envDefault:"false"`
	// CartDelay is how long after its start a checkout counts as left.
	CartDelay time.Duration `env:"ABANDONED_CART_DELAY_SECONDS" site:"reminders.abandoned_cart_delay_seconds" envDefault:"21600" unit:"s" range:"3600 604800"`
}

// SignIn says how those who run campaigns sign in.
type SignIn struct {
	// Bypass leaves the challenge out, in test mode only.
	Bypass bool `env:"ADMIN_TURNSTILE_BYPASS" envDefault:"false"`
	// Passkeys demands one of everybody, beside the mail.
	Passkeys bool `env:"ADMIN_PASSKEYS_REQUIRED" envDefault:"false"`
	// ExposeLink shows the mail's link to whoever asks for it, in test mode only.
	ExposeLink bool `env:"ADMIN_EXPOSE_LOGIN_LINK" envDefault:"false"`
}

// ShowsSignInLink reports whether developers are shown the link that is mailed: on their own
// machine, or where they want it in test mode.
func (c Config) ShowsSignInLink() bool {
	local := c.Site.Base.Local() && c.Site.Worker.Local()
	return c.Mode.App == psp.Test && (local || c.SignIn.ExposeLink)
}

// SignInChallenged reports whether people who sign in show that they are no robots.
func (c Config) SignInChallenged() bool { return c.Secrets.Challenge.IsSet() && !c.SignIn.Bypass }

// Reports say when those who run campaigns are told of their pledges, at the addresses that
// the campaigns' files name.
type Reports struct {
	Enabled bool `env:"RUNNER_REPORTS_ENABLED" site:"reports.campaign_runner.enabled" envDefault:"true"`
	// Hour is the first of the day, on the platform's clock, at which they leave.
	Hour int `env:"RUNNER_REPORT_HOUR" site:"reports.campaign_runner.send_hour" envDefault:"7" range:"0 23"`
}

// Mail is what goes with the secrets by which mails leave.
type Mail struct {
	// API replaces Resend's own address, in test mode only: a stand-in that runs beside the
	// service, which then gets the mails instead of the folder.
	API URL `env:"EMAIL_API_BASE"`
	// SESRegion and SESKeyID are the region of Amazon SES and the ID of the access key.
	SESRegion string `env:"SES_REGION"`
	SESKeyID  string `env:"SES_ACCESS_KEY_ID"`
	// SESConfigurationSet publishes what becomes of mails, to the topic SESTopic of SNS.
	SESConfigurationSet string `env:"SES_CONFIGURATION_SET"`
	SESTopic            string `env:"SES_TOPIC_ARN"`
	// DKIMSelector is where the public half of the key stands that signs what leaves by SMTP.
	DKIMSelector string `env:"SMTP_DKIM_SELECTOR"`
}

// PlanUsage is the account whose use of its plan super admins see. Secrets has the token.
type PlanUsage struct {
	Account string `env:"EDGE_ACCOUNT_ID"`
	Plan    string `env:"PLAN_USAGE_EDGE_PLAN" envDefault:"free" oneof:"free paid"`
}

// UsageToken reads the analytics of the account.
func (s Secrets) UsageToken() Secret { return cmp.Or(s.EdgeUsage, s.EdgeAnalytics) }

// Challenged reports whether people who ask for a reminder show that they are no robots.
func (c Config) Challenged() bool { return c.Secrets.Challenge.IsSet() && !c.Reminders.Bypass }

// Secrets are read from the environment only. The tag says how badly each is
// missed; "hmac" asks for at least MinHMACSecret bytes.
type Secrets struct {
	PSPKeyLive     Secret `env:"PSP_SECRET_KEY_LIVE" secret:"mode"`
	PSPKeyTest     Secret `env:"PSP_SECRET_KEY_TEST" secret:"mode"`
	PSPWebhookLive Secret `env:"PSP_WEBHOOK_SECRET_LIVE" secret:"mode"`
	PSPWebhookTest Secret `env:"PSP_WEBHOOK_SECRET_TEST" secret:"mode"`
	CheckoutIntent Secret `env:"CHECKOUT_INTENT_SECRET" secret:"required hmac"`
	MagicLink      Secret `env:"MAGIC_LINK_SECRET" secret:"required hmac"`
	// EmailHash is the key of the hashes by which suppressed addresses are known, and
	// FormerEmailHash the one before it. Without it there is one made of MagicLink.
	EmailHash       Secret `env:"EMAIL_HASH_SECRET" secret:"optional hmac"`
	FormerEmailHash Secret `env:"EMAIL_HASH_SECRET_FORMER" secret:"optional hmac"`
	Admin           Secret `env:"ADMIN_SECRET" secret:"required"`
	// AdminSession signs the cookies of those who are signed in; without it MagicLink does.
	AdminSession    Secret `env:"ADMIN_SESSION_SECRET" secret:"optional hmac"`
	AdminSettlement Secret `env:"ADMIN_SETTLEMENT_SECRET" secret:"recommended"`
	AdminBroadcast  Secret `env:"ADMIN_BROADCAST_SECRET" secret:"optional"`
	// AbandonedCart signs the links that take a cart up again; without it MagicLink does.
	AbandonedCart Secret `env:"ABANDONED_CART_TOKEN_SECRET" secret:"optional hmac"`
	// Challenge is Cloudflare Turnstile's, which checks that people are no robots.
	Challenge      Secret `env:"CHALLENGE_SECRET_KEY" secret:"optional"`
	CarrierClient  Secret `env:"CARRIER_CLIENT_SECRET" secret:"optional"`
	LocalTaxAPIKey Secret `env:"LOCAL_TAX_API_KEY" secret:"optional"`
	// EmailAPIKey is Resend's, Postmark the token of a server of Postmark's, SES belongs to
	// the access key of Mail, and SMTP is the address of a mail server, password included.
	// Live mode sends mails by the one that is set.
	EmailAPIKey Secret `env:"EMAIL_API_KEY" secret:"optional"`
	Postmark    Secret `env:"POSTMARK_SERVER_TOKEN" secret:"optional"`
	SES         Secret `env:"SES_SECRET_ACCESS_KEY" secret:"optional"`
	SMTP        Secret `env:"SMTP_URL" secret:"optional"`
	DKIM        Secret `env:"SMTP_DKIM_KEY" secret:"optional"`
	// EmailWebhook signs what Resend reports of mails.
	EmailWebhook Secret `env:"EMAIL_WEBHOOK_SECRET" secret:"optional"`
	// PostmarkWebhook is the user name and the password that Postmark's reports show, with a
	// colon between.
	PostmarkWebhook Secret `env:"POSTMARK_WEBHOOK_LOGIN" secret:"optional"`
	// Database is the address of a PostgreSQL database, password included. Without it
	// everything is in one SQLite file in DATA_DIR.
	Database Secret `env:"DATABASE_URL" secret:"optional"`
	// MediaStore is the secret of the key that reads and writes the films' bucket.
	MediaStore Secret `env:"MEDIA_STORE_SECRET" secret:"optional"`
	// Content is a token that reads and writes the repository of the content, and
	// ContentWebhook signs what its host tells of pushes.
	Content        Secret `env:"CONTENT_TOKEN" secret:"optional"`
	ContentWebhook Secret `env:"CONTENT_WEBHOOK_SECRET" secret:"optional hmac"`
	// EdgeUsage reads the analytics of PlanUsage's account; without it EdgeAnalytics does.
	EdgeUsage     Secret `env:"EDGE_USAGE_API_TOKEN" secret:"optional"`
	EdgeAnalytics Secret `env:"EDGE_ANALYTICS_API_TOKEN" secret:"optional"`
}

// MinHMACSecret is the least length, in bytes, of a secret that signs tokens:
// the size of a SHA-256 digest.
const MinHMACSecret = 32

// PSPSecretKey returns the processor's key of the mode the service runs in.
func (c Config) PSPSecretKey() Secret {
	if c.Mode.App == psp.Live {
		return c.Secrets.PSPKeyLive
	}
	return c.Secrets.PSPKeyTest
}

// PSPWebhookSecret returns the webhook signing secret of the mode the service
// runs in.
func (c Config) PSPWebhookSecret() Secret {
	if c.Mode.App == psp.Live {
		return c.Secrets.PSPWebhookLive
	}
	return c.Secrets.PSPWebhookTest
}
