package site_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// claims maps the messages that supporters rely on when they enter a card to the tests that fail if
// a message becomes false. A message without such a test must be reworded.
var claims = map[string][]string{
	"about_2": {"TestDeleteCards_MissedCampaign", "TestDeleteCards_KeepsChargeableCards",
		"TestCron_DeletesCards"},
	"about_3": {"TestSettle_CrashAnywhere", "TestUpdateCard_StatesDeclineReason"},
	"terms_2": {"TestSettle_CrashAnywhere", "TestDeleteCards_SettledCampaign",
		"TestDeleteCards_MissedCampaign"},
	"terms_3":                 {"TestUpdateCard_StatesDeclineReason", "TestRecovery_GracePeriodEnds"},
	"terms_5":                 {"TestUnsubscribe_OneClick", "TestSuppressed_Scopes", "TestWriteFulfillment"},
	"success_lead":            {"TestMails_UseThePledgesLanguage"},
	"js_manage_card_why":      {"TestCardUpdate_BeforeDeadline", "TestCardUpdate"},
	"js_success_sent":         {"TestMails_UseThePledgesLanguage", "TestStories"},
	"js_vote_barred":          {"TestStories"},
	"js_manage_address_fixed": {"TestReaddress_AfterDeadline"},
	"js_manage_due":           {"TestPledgeView_FailedCharge", "TestStories"},
	"js_card_forgotten":       {"TestCron_DeletesCards", "TestDeleteCards_CrashAnywhere"},
	"js_status_missed":        {"TestDeleteCards_MissedCampaign", "TestCron_DeletesCards"},
	"js_status_cancelled":     {"TestModifiedAndCancelled"},
	"js_lane_dropped":         {"TestRecovery_GracePeriodEnds"},
	"js_manage_links_sent":    {"TestStories"},
	"js_mails_pledge":         {"TestUnsubscribe_OneClick", "TestSuppressed_Scopes"},
	"js_mails_no_update":      {"TestUnsubscribe_OneClick", "TestSuppressed_Scopes"},
	"js_mails_no_launch":      {"TestUnsubscribe_LaunchReminder"},
	"js_success_next":         {"TestMails_UseThePledgesLanguage"},
	"js_reason_refused":       {"TestFailure_Reason", "TestUpdateCard_StatesDeclineReason"},
	"js_reason_unknown":       {"TestFailure_Reason", "TestUpdateCard_StatesDeclineReason"},
	"js_supporters":           {"TestSupporters_CountsPeople"},
	"js_checkout_email_why":   {"TestLinks_Manage"},
	"js_history_card_updated": {"TestPledgeView_FailedCharge"},
}

// Every claim exists as a message in each language, and so do its tests.
func TestClaims_HaveTests(t *testing.T) {
	tests := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == ".tools") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(line, "func Test"); ok {
				name, _, _ = strings.Cut(name, "(")
				tests["Test"+name] = true
			}
		}
		return nil
	})
	if err != nil || len(tests) < 500 {
		t.Fatal(len(tests), err)
	}
	for _, lang := range []string{"en", "es"} {
		messages, err := os.ReadFile("messages/" + lang + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for id, proofs := range claims {
			if !strings.Contains(string(messages), "\n"+id+":") {
				t.Errorf("%s has no message %s", lang, id)
			}
			for _, name := range proofs {
				if !tests[name] {
					t.Errorf("%s is proved by %s, which is not a test", id, name)
				}
			}
		}
	}
}
