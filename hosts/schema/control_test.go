package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/schema"
)

// fieldsByPath returns all fields of a description by path, such as "tiers[].price".
func fieldsByPath(t *testing.T, of string) map[string]schema.Field {
	t.Helper()
	all := map[string]schema.Field{}
	forEachField(describe(t, of, "en"), func(above string, f schema.Field) { all[above+f.Path] = f })
	return all
}

func TestDescribe_Controls(t *testing.T) {
	got := map[string]string{}
	for of, paths := range map[string][]string{
		schema.OfCampaign: {
			"title", "slug", "short_blurb", "goal_amount", "goal_deadline", "visibility", "published",
			"recovery.grace_days", "recovery.retry_days", "runner_report_emails",
			"hero_image", "hero_video", "long_content", "risks", "featured_tier_id", "tiers", "tiers[].id",
			"tiers[].includes", "campaign_add_ons[].variants", "tiers[].shipping.weight_oz", "diary[].body",
		},
		schema.OfSettings: {"pricing.sales_tax_rate", "pricing.default_tip_percent", "design.color_text", "design.radius_lg",
			"shipping.carrier.timeout_ms", "tax.collect", "shipping.excluded_countries", "platform.timezone"},
	} {
		all := fieldsByPath(t, of)
		for _, path := range paths {
			got[path] = all[path].Control
		}
	}
	want := map[string]string{
		"title": "text", "slug": "slug", "short_blurb": "longtext", "goal_amount": "money",
		"goal_deadline": "datetime", "visibility": "choice", "published": "hidden",
		"recovery.grace_days": "duration", "recovery.retry_days": "days", "runner_report_emails": "emails",
		"hero_image": "image", "hero_video": "media",
		"long_content": "blocks", "risks": "richtext", "featured_tier_id": "choice", "tiers": "list",
		"tiers[].id": "hidden", "tiers[].includes": "lines", "campaign_add_ons[].variants": "variants",
		"tiers[].shipping.weight_oz": "decimal", "diary[].body": "hidden",
		"pricing.sales_tax_rate": "percent", "pricing.default_tip_percent": "percent",
		"design.color_text": "color", "design.radius_lg": "length",
		"shipping.carrier.timeout_ms": "duration", "tax.collect": "countries",
		"shipping.excluded_countries": "countries", "platform.timezone": "timezone",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDescribe_Locks(t *testing.T) {
	type lock struct {
		Rule   schema.Rule
		Reason bool
	}
	all := fieldsByPath(t, schema.OfCampaign)
	for path, want := range map[string]lock{
		"title": {}, "slug": {schema.ReadOnly, false}, "charged": {schema.Computed, false},
		"published": {schema.Computed, false}, "start_date": {schema.Started, false},
		"goal_amount": {schema.Pledged, true}, "goal_deadline": {schema.Pledged, true},
		"tiers[].price": {schema.Claimed, true}, "tiers[].id": {schema.ReadOnly, false},
		"tiers[].image": {}, "tiers[].limit_total": {}, "campaign_add_ons[].variants[].price": {schema.Claimed, true},
	} {
		var got lock
		if l := all[path].Locked; l != nil {
			got = lock{l.Rule, l.Reason}
		}
		if got != want {
			t.Errorf("lock of %s = %+v, want %+v", path, got, want)
		}
	}
}

// Every condition names a field of the same object, every group is declared and used, and every
// field has a control.
func TestDescribe_ConditionsAndGroups(t *testing.T) {
	for _, of := range schema.Kinds() {
		for _, language := range []string{"en", "es"} {
			d := describe(t, of, language)
			for _, s := range d.Sections {
				used := map[string]bool{"": true}
				var walk func([]schema.Field)
				walk = func(fields []schema.Field) {
					for _, f := range fields {
						used[f.Section] = true
						for _, c := range f.OnlyIf {
							if of != schema.OfSettings &&
								!slices.ContainsFunc(fields, func(o schema.Field) bool { return o.Path == c.Field }) {
								t.Errorf("%s depends on %s", f.Path, c.Field)
							}
						}
						if f.Control == "" || f.Locked != nil && f.Locked.Words == "" {
							t.Errorf("%s has no control, or a lock without an explanation", f.Path)
						}
						if f.Help != "" && strings.EqualFold(strings.Trim(f.Help, "."), f.Label) {
							t.Errorf("%s: the hint repeats the label %q", f.Path, f.Label)
						}
						walk(f.Fields)
					}
				}
				walk(s.Fields)
				declared := map[string]bool{"": true}
				for _, g := range s.Groups {
					declared[g.Key] = true
				}
				if diff := cmp.Diff(declared, used); diff != "" {
					t.Errorf("%s %s: declared (-), used (+)\n%s", of, s.Key, diff)
				}
			}
		}
	}
}
