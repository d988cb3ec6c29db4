package config

import (
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// check checks the rules that parsing does not: rules about several settings, about live mode, and
// about secrets.
func (l *loader) check() {
	l.checkOrigins()
	l.checkPolicies()
	l.cfg.checkSenders(&l.faults)
	l.cfg.checkMail(&l.faults)
	l.cfg.checkSignIn(&l.faults)
	l.cfg.checkProcessor(&l.faults)
	l.cfg.checkSecurityContact(&l.faults)
	l.cfg.checkServer(&l.faults)
	l.cfg.checkContent(&l.faults)
	l.cfg.checkMedia(&l.faults)
	l.cfg.checkDatabase(&l.faults)
	l.cfg.checkSecrets(&l.faults)
}

func (l *loader) checkOrigins() {
	site := l.cfg.Site
	l.checkOrigin("SITE_BASE", site.Base, true)
	l.checkOrigin("WORKER_BASE", site.Worker, true)
	l.checkOrigin("CANONICAL_SITE_BASE", site.CanonicalBase, false)
	l.checkOrigin("CORS_ALLOWED_ORIGIN", site.CORSOrigin, false)
}

func (l *loader) checkOrigin(variable string, o Origin, required bool) {
	switch {
	case l.hasFault(variable):
	case o == "" && required:
		l.faults.add(variable, "is missing", "set it to the public URL, such as https://example.org")
	case o != "" && l.cfg.Mode.App == psp.Live && !o.Secure():
		l.faults.add(variable, "is not https, which live mode requires", "use TLS and set the https URL")
	}
}

func (l *loader) checkPolicies() {
	c := &l.cfg
	if c.Pricing.DefaultTipPercent > c.Pricing.MaxTipPercent {
		l.faults.add("DEFAULT_PLATFORM_TIP_PERCENT", "is above MAX_PLATFORM_TIP_PERCENT",
			"lower the former or raise the latter")
	}
	if c.Tax.Provider == TaxFlat {
		l.require("SALES_TAX_RATE", "TAX_PROVIDER is "+TaxFlat, "set it to a fraction such as 0.07875, or to 0 for no tax")
	}
	if c.Tax.Provider == TaxNMGRT && c.Tax.NMGRTBaseRate.IsZero() && !l.hasFault("NM_GRT_BASE_RATE") {
		l.faults.add("NM_GRT_BASE_RATE", "is missing, but TAX_PROVIDER is "+TaxNMGRT,
			"set it to the state's share of the tax from the current schedule, as a fraction such as 0.04875")
	}
	if c.Tax.Provider == TaxLocal {
		l.require("LOCAL_TAX_API_KEY", "TAX_PROVIDER is "+TaxLocal, "set it")
	}
	if c.Carrier.Enabled {
		for _, variable := range []string{"CARRIER_CLIENT_ID", "CARRIER_CLIENT_SECRET", "SHIPPING_ORIGIN_ZIP"} {
			l.require(variable, "CARRIER_ENABLED is true", "set it")
		}
	}
}

func (l *loader) require(variable, because, remedy string) {
	if l.texts[variable] == "" {
		l.faults.add(variable, "is missing, but "+because, remedy)
	}
}

func (c *Config) checkSenders(faults *SettingErrors) {
	senders := []struct{ variable, value string }{
		{"SUPPORT_EMAIL", c.Site.SupportEmail},
		{"PLEDGES_EMAIL_FROM", c.Site.PledgesFrom},
		{"UPDATES_EMAIL_FROM", c.Site.UpdatesFrom},
	}
	for _, s := range senders {
		if s.value == "" {
			continue
		}
		if !isSender(s.value) {
			faults.add(s.variable, "is not an email address", "use name@example.org or Name <name@example.org>")
		}
	}
}

// checkSecurityContact checks the settings of /.well-known/security.txt.
func (c *Config) checkSecurityContact(faults *SettingErrors) {
	contact, expires := c.Site.SecurityContact, c.Site.SecurityExpires
	at, err := time.Parse(time.RFC3339, expires)
	switch {
	case contact != "" && !isContact(contact):
		faults.add("SECURITY_CONTACT", "is not a valid contact for security.txt",
			"use mailto:security@example.org, https://example.org/security or tel:+1-201-555-0123")
	case expires != "" && err != nil:
		faults.add("SECURITY_EXPIRES", "is not a valid time", "use a time such as 2027-12-31T23:59:00Z")
	case (contact == "") != (expires == ""):
		faults.add("SECURITY_CONTACT", "and SECURITY_EXPIRES must be set together", "set both or neither")
	case contact != "" && !at.After(time.Now()):
		c.Warnings.add("SECURITY_EXPIRES", "is in the past, so /.well-known/security.txt is not served",
			"check that SECURITY_CONTACT is still right, and set a time within the next year")
	}
}

// isContact reports whether a text is a URI that RFC 9116 allows as a contact.
func isContact(text string) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "https":
		return u.Host != ""
	case "mailto", "tel":
		return u.Opaque != ""
	}
	return false
}

// minWebhookPassword is the minimum length in bytes that postmark.NewListener accepts.
const minWebhookPassword = 16

// checkMail checks that at most one mail provider is configured, that its settings are complete,
// and that there is a sender.
func (c *Config) checkMail(faults *SettingErrors) {
	var set []string
	for _, provider := range []struct {
		variable string
		secret   Secret
	}{{"EMAIL_API_KEY", c.Secrets.EmailAPIKey}, {"POSTMARK_SERVER_TOKEN", c.Secrets.Postmark},
		{"SES_SECRET_ACCESS_KEY", c.Secrets.SES}, {"SMTP_URL", c.Secrets.SMTP}} {
		if provider.secret.IsSet() {
			set = append(set, provider.variable)
		}
	}
	switch {
	case c.Mail.API == "":
	case c.Mode.App == psp.Live:
		faults.add("EMAIL_API_BASE", "is not allowed in live mode, because it redirects all mails",
			"remove it, or set APP_MODE=test")
	case !c.Secrets.EmailAPIKey.IsSet():
		faults.add("EMAIL_API_BASE", "is set, but EMAIL_API_KEY is missing", "set it to a key that the fake server accepts")
	}
	if len(set) > 1 {
		faults.add(set[len(set)-1], "conflicts with "+set[0]+": only one mail provider can be used", "remove one of them")
	}
	c.checkSES(faults)
	c.checkDKIM(faults)
	c.checkReports(faults)
	if len(set) > 0 && c.Site.PledgesFrom == "" && c.Site.SupportEmail == "" {
		faults.add("PLEDGES_EMAIL_FROM", "is missing, but a mail provider is configured",
			"set it to an address in a domain that your mail provider has verified")
	}
	if len(set) > 0 && c.Mode.App == psp.Live && c.Site.PostalAddress == "" {
		c.Warnings.add("PLATFORM_POSTAL_ADDRESS", "is missing, but campaigns send updates by email",
			"set it to your postal address: many countries require it at the end of such a mail")
	}
}

// checkSES checks that an access key for Amazon SES has its ID and region.
func (c *Config) checkSES(faults *SettingErrors) {
	if !c.Secrets.SES.IsSet() {
		return
	}
	if c.Mail.SESRegion == "" {
		faults.add("SES_REGION", "is missing, but SES_SECRET_ACCESS_KEY is set",
			"set it to the region in which SES has verified your domain, such as eu-west-1")
	}
	if c.Mail.SESKeyID == "" {
		faults.add("SES_ACCESS_KEY_ID", "is missing, but SES_SECRET_ACCESS_KEY is set",
			"set it to the ID of the same access key")
	}
}

// checkDKIM checks that a DKIM key has a selector and is used.
func (c *Config) checkDKIM(faults *SettingErrors) {
	switch key := c.Secrets.DKIM.IsSet(); {
	case key && !c.Secrets.SMTP.IsSet():
		faults.add("SMTP_DKIM_KEY", "is set, but SMTP_URL is not, and other providers sign mails themselves", "remove it")
	case key && c.Mail.DKIMSelector == "":
		faults.add("SMTP_DKIM_SELECTOR", "is missing, but SMTP_DKIM_KEY is set",
			"set it to a name such as mail2026, and publish the key at mail2026._domainkey of your domain")
	case !key && c.Mail.DKIMSelector != "":
		faults.add("SMTP_DKIM_KEY", "is missing, but SMTP_DKIM_SELECTOR is set",
			"set it to the private key in PEM format, or remove both and let the mail server sign")
	}
}

// checkReports checks that bounce reports come from at most one provider and are authenticated.
func (c *Config) checkReports(faults *SettingErrors) {
	var set []string
	for _, provider := range []struct {
		variable string
		isSet    bool
	}{{"EMAIL_WEBHOOK_SECRET", c.Secrets.EmailWebhook.IsSet()},
		{"POSTMARK_WEBHOOK_LOGIN", c.Secrets.PostmarkWebhook.IsSet()}, {"SES_TOPIC_ARN", c.Mail.SESTopic != ""}} {
		if provider.isSet {
			set = append(set, provider.variable)
		}
	}
	if len(set) > 1 {
		faults.add(set[len(set)-1], "conflicts with "+set[0]+": reports can come from only one provider",
			"remove one of them")
	}
	if _, password, _ := strings.Cut(c.Secrets.PostmarkWebhook.Reveal(), ":"); c.Secrets.PostmarkWebhook.IsSet() &&
		len(password) < minWebhookPassword {
		faults.add("POSTMARK_WEBHOOK_LOGIN", "is not a user name and a password of at least 16 bytes, separated by a colon",
			"set it to pledgeworks: followed by what openssl rand -hex 16 prints, and name both in the webhook's address at Postmark")
	}
	if c.Secrets.EmailWebhook.IsSet() && !strings.HasPrefix(c.Secrets.EmailWebhook.Reveal(), "whsec_") {
		faults.add("EMAIL_WEBHOOK_SECRET", "is not a webhook signing secret", "copy it from Resend, including whsec_")
	}
	if c.Mail.SESTopic != "" && !strings.HasPrefix(c.Mail.SESTopic, "arn:aws") {
		faults.add("SES_TOPIC_ARN", "is not a topic ARN", "copy the ARN from SNS; it starts with arn:aws")
	}
}

// checkSignIn checks that both challenge keys are set, that live mode does not bypass the
// challenge, and that passkeys are possible if they are required.
func (c *Config) checkSignIn(faults *SettingErrors) {
	if c.Reminders.Bypass && c.Mode.App == psp.Live {
		faults.add("LAUNCH_REMINDER_TURNSTILE_BYPASS", "is not allowed in live mode, because bots would get in",
			"remove it, or set APP_MODE=test")
	}
	if c.SignIn.Bypass && c.Mode.App == psp.Live {
		faults.add("ADMIN_TURNSTILE_BYPASS", "is not allowed in live mode, because bots would get in",
			"remove it, or set APP_MODE=test")
	}
	if c.SignIn.ExposeLink && c.Mode.App == psp.Live {
		faults.add("ADMIN_EXPOSE_LOGIN_LINK", "is not allowed in live mode, because anyone could sign in",
			"remove it, or set APP_MODE=test")
	}
	if c.SignIn.Passkeys && !c.Site.Base.Named() {
		faults.add("ADMIN_PASSKEYS_REQUIRED",
			"is set, but SITE_BASE is an IP address, for which browsers do not support passkeys",
			"use a domain name, such as https://example.org")
	}
	switch secret, page := c.Secrets.Challenge.IsSet(), c.Reminders.SiteKey != ""; {
	case secret && !page:
		faults.add("CHALLENGE_SITE_KEY", "is missing, but CHALLENGE_SECRET_KEY is set", "copy the site key from Turnstile")
	case page && !secret:
		faults.add("CHALLENGE_SECRET_KEY", "is missing, but CHALLENGE_SITE_KEY is set", "copy the secret key from Turnstile")
	}
}

// isSender reports whether a text is an address, optionally with a name: "Name <address>".
func isSender(text string) bool {
	name, rest, named := strings.Cut(text, "<")
	if named {
		address, closed := strings.CutSuffix(rest, ">")
		quoted := len(name) > 2 && strings.HasPrefix(name, `"`) && strings.HasSuffix(strings.TrimSpace(name), `"`)
		if !closed || strings.ContainsAny(name, "\r\n") || !quoted && strings.ContainsAny(name, `"(),:;<>@[\]`) {
			return false
		}
		text = address
	}
	_, err := pledge.ParseEmail(text)
	return err == nil && text == strings.TrimSpace(text)
}

func (c *Config) checkProcessor(faults *SettingErrors) {
	if c.Processor.Provider == Sim && c.Mode.App == psp.Live {
		faults.add("PSP_PROVIDER", "is the simulator, which is not allowed in live mode",
			"set APP_MODE=test, or use the real processor")
	}
	if c.Processor.API != "" && c.Mode.App == psp.Live {
		faults.add("PSP_API_BASE", "is not allowed in live mode, because it redirects card data",
			"remove it, or set APP_MODE=test")
	}
	if c.Mode.App == "" { // already reported
		return
	}
	mode := string(c.Mode.App)
	switch key := c.Processor.PublishableKey; {
	case key == "":
		c.Warnings.add("PSP_PUBLISHABLE_KEY", "is missing",
			"set it to accept cards on the site itself; without it, supporters are redirected to the processor's page")
	case !strings.HasPrefix(key, "pk_"):
		faults.add("PSP_PUBLISHABLE_KEY", "is not a publishable key",
			"use the one that starts with pk_"+mode+"_; never use a secret key here")
	case !strings.HasPrefix(key, "pk_"+mode+"_"):
		faults.add("PSP_PUBLISHABLE_KEY", "does not match APP_MODE="+mode, "use the one that starts with pk_"+mode+"_")
	}
}

const maxHeaderName = 64

var headerName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

func (c *Config) checkServer(faults *SettingErrors) {
	colon := strings.LastIndexByte(c.Server.Listen, ':')
	port, err := strconv.Atoi(c.Server.Listen[colon+1:])
	if colon < 0 || err != nil || port < 0 || port > 65535 {
		faults.add("LISTEN", "is not host:port", "use 127.0.0.1:8787, or :8787 to listen on all addresses")
	} else if public := c.Site.Worker.port(); c.Mode.App == psp.Test && c.Site.Worker.Local() &&
		port != 0 && port != public {
		c.Warnings.add("LISTEN",
			fmt.Sprintf("has port %d, but the public address %s has port %d", port, c.Site.Worker, public),
			"set both to the same port, unless a proxy forwards one to the other")
	}
	if m := c.Server.MetricsListen; m != "" {
		if port, err := strconv.Atoi(m[strings.LastIndexByte(m, ':')+1:]); err != nil || !strings.Contains(m, ":") ||
			port < 0 || port > 65535 || m == c.Server.Listen {
			faults.add("METRICS_LISTEN", "is not host:port, or is the same as LISTEN",
				"use an address that only Prometheus can reach, such as 127.0.0.1:9464")
		}
	}
	if c.Server.ClockOffset != 0 && c.Mode.App == psp.Live {
		faults.add("CLOCK_OFFSET_SECONDS", "is not allowed in live mode, because it shifts deadlines",
			"remove it, or set APP_MODE=test")
	}
	if h := c.Server.TrustedProxyHeader; h != "" && (len(h) > maxHeaderName || !headerName.MatchString(h)) {
		faults.add("TRUSTED_PROXY_HEADER", "is not a valid header name", "use a name such as CF-Connecting-IP")
	}
}

func (c *Config) checkDatabase(faults *SettingErrors) {
	if c.Secrets.Database == "" {
		return
	}
	u, err := url.Parse(c.Secrets.Database.Reveal())
	if err != nil || u.Hostname() == "" || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		faults.add("DATABASE_URL", "is not a PostgreSQL URL",
			"use postgres://user:password@host:5432/name?sslmode=verify-full")
		return
	}
	if c.Processor.Provider == Sim {
		c.Warnings.add("PSP_PROVIDER",
			"is the simulator, which keeps its data in this server's memory and cannot be shared by several servers",
			"run a single server, or use a simulator beside them with PSP_API_BASE")
	}
	if c.Mode.App == psp.Live &&
		!slices.Contains([]string{"verify-full", "verify-ca", "require"}, u.Query().Get("sslmode")) {
		c.Warnings.add("DATABASE_URL", "does not require TLS", "append ?sslmode=verify-full unless the network is private")
	}
}

const generateHint = "generate one with: openssl rand -hex 32"

func (c *Config) checkSecrets(faults *SettingErrors) {
	v := reflect.ValueOf(c.Secrets)
	var all []namedSecret
	for _, s := range Settings() {
		if !s.Secret {
			continue
		}
		value := v.FieldByName(s.field).Interface().(Secret)
		all = append(all, namedSecret{s, value})
		unreadable := slices.ContainsFunc(*faults, func(f SettingError) bool { return f.Name == s.Variable+fileSuffix })
		if !unreadable {
			c.checkSecret(s, value, faults)
		}
	}
	for i, s := range all {
		same := slices.IndexFunc(all[:i], func(o namedSecret) bool { return s.value != "" && o.value == s.value })
		if same >= 0 {
			faults.add(s.Variable, "is the same as "+all[same].Variable+", so either one grants the access of both",
				"use a separate secret for each; "+generateHint)
		}
	}
}

type namedSecret struct {
	Setting
	value Secret
}

func (c *Config) checkSecret(s Setting, value Secret, faults *SettingErrors) {
	remedy := "set it; " + generateHint
	switch {
	case s.need == "mode":
		c.checkModeSecret(s.Variable, value, faults)
	case value == "" && s.need == "required":
		faults.add(s.Variable, "is missing", remedy)
	case value == "" && s.need == "recommended":
		c.Warnings.add(s.Variable, "is missing, but recommended", remedy)
	case value != "" && strings.HasPrefix(s.Variable, "PSP_REFUND_KEY"):
		checkKeyMode(s.Variable, value, faults)
	case value != "" && s.hmac && len(value) < MinHMACSecret:
		faults.add(s.Variable, "is shorter than "+strconv.Itoa(MinHMACSecret)+" bytes", generateHint)
	}
}

// checkModeSecret checks one of the processor's secrets, which come in pairs. The secret of the
// current mode must be set, and a key must belong to its own mode.
func (c *Config) checkModeSecret(variable string, value Secret, faults *SettingErrors) {
	mode := "live"
	if strings.HasSuffix(variable, "_TEST") {
		mode = "test"
	}
	isKey := strings.HasPrefix(variable, "PSP_SECRET_KEY")
	needed := mode == string(c.Mode.App) && (c.Processor.Provider != Sim || !isKey)
	switch {
	case value == "" && needed && isKey:
		faults.add(variable, "is missing in "+mode+" mode",
			"set it to the processor's secret key that starts with sk_"+mode+"_")
	case value == "" && needed:
		faults.add(variable, "is missing in "+mode+" mode",
			"set it to the signing secret of the processor's webhook endpoint")
	case value != "" && isKey:
		checkKeyMode(variable, value, faults)
	}
}

// checkKeyMode checks that a key of the processor belongs to the mode in its variable's name.
func checkKeyMode(variable string, value Secret, faults *SettingErrors) {
	mode, other := "live", "test"
	if strings.HasSuffix(variable, "_TEST") {
		mode, other = other, mode
	}
	switch {
	case strings.HasPrefix(value.Reveal(), "sk_"+other+"_"), strings.HasPrefix(value.Reveal(), "rk_"+other+"_"):
		faults.add(variable, "is a key for "+other+" mode", "set it to the key that starts with sk_"+mode+"_")
	case !strings.HasPrefix(value.Reveal(), "sk_"+mode+"_") && !strings.HasPrefix(value.Reveal(), "rk_"+mode+"_"):
		faults.add(variable, "is not a secret key of the processor", "set it to the key that starts with sk_"+mode+"_")
	}
}
