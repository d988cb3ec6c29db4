package config

import "slices"

// Reserved lists planned settings. They are accepted without effect, so that one file works with
// all versions. Reserved secrets are rejected in the site file, as other secrets are.
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
	reservedProblem = "is reserved and has no effect yet"
	reservedRemedy  = "you can keep it for a later version"
)

func reservedKey(path string) bool {
	return slices.ContainsFunc(Reserved(), func(s Setting) bool { return s.SiteKey == path })
}

// warnReserved warns about reserved settings that are set.
func (l *loader) warnReserved() {
	for _, s := range Reserved() {
		variables := []string{s.Variable}
		if s.Secret {
			variables = append(variables, s.Variable+fileSuffix)
		}
		for _, v := range variables {
			if value, _ := l.lookup(v); value != "" {
				l.cfg.Warnings.add(v, reservedProblem, reservedRemedy)
			}
		}
	}
}
