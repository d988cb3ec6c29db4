package config

import "slices"

// Reserved lists the settings of parts that are still to come. They are accepted, so
// that a file which holds all of them serves every version, and change nothing; a secret
// among them stays out of the site file like any other.
func Reserved() []Setting {
	return []Setting{
		{Variable: "CANONICAL_WORKER_BASE"},
		{SiteKey: "author"},
		{SiteKey: "platform.footer_logo_path"},
		{SiteKey: "platform.default_social_image_path"},
		{SiteKey: "seo.same_as"},
		{SiteKey: "reports.campaign_runner.daily_pledge_report_enabled"},
		{SiteKey: "reports.campaign_runner.fulfillment_report_enabled"},
		{SiteKey: "reports.campaign_runner.send_minute"},
		{SiteKey: "reports.campaign_runner.include_stats_summary"},
		{SiteKey: "reports.campaign_runner.include_csv_attachment"},
		{SiteKey: "reports.campaign_runner.email_subject_prefix"},
		{SiteKey: "add_ons"},
		{SiteKey: "admin"},
		{SiteKey: "debug"},
	}
}

const (
	unreadYet = "is set, but nothing reads it yet"
	mayStay   = "it may stay for the version that does"
)

func reservedKey(path string) bool {
	return slices.ContainsFunc(Reserved(), func(s Setting) bool { return s.SiteKey == path })
}

// noteReserved tells whoever has set what is still to come.
func (l *loader) noteReserved() {
	for _, s := range Reserved() {
		variables := []string{s.Variable}
		if s.Secret {
			variables = append(variables, s.Variable+fileSuffix)
		}
		for _, v := range variables {
			if value, _ := l.lookup(v); value != "" {
				l.cfg.Warnings.add(v, unreadYet, mayStay)
			}
		}
	}
}
