package access_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Only a super admin can confirm. A confirmation applies to one campaign, and a repetition
// keeps the first time and author.
func TestConfirmReader(t *testing.T) {
	o := newFixtureWithUsers(t)
	confirmed := func(campaign string) []access.Reader {
		t.Helper()
		all, err := o.Readers(ctx, campaign)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, by := range []string{ben, "nobody@example.org"} {
		if _, err := o.ConfirmReader(ctx, by, "film", "x@example.net"); !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s confirms: %v", by, err)
		}
		if err := o.RevokeReader(ctx, by, "film", "x@example.net"); !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s revokes: %v", by, err)
		}
	}
	if _, err := o.ConfirmReader(ctx, ada, "film", "x@"); fault.Of(err).Field != "email" {
		t.Errorf("invalid address: %v", err)
	}
	at := o.now
	for _, by := range []string{ada, ""} {
		if _, err := o.ConfirmReader(ctx, by, "film", " Auditor@Example.net"); err != nil {
			t.Fatal(err)
		}
		o.now = o.now.AddDate(0, 0, 1)
	}
	if _, err := o.ConfirmReader(ctx, "", "film-two", "host@example.net"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]access.Reader{{Campaign: "film", Email: "auditor@example.net", ConfirmedBy: ada,
		ConfirmedAt: at}}, confirmed("film")); diff != "" {
		t.Error(diff)
	}
	if got := confirmed("film-two"); len(got) != 1 || got[0].ConfirmedBy != "" || len(confirmed("fil")) > 0 {
		t.Errorf("other campaigns: %+v, %+v", got, confirmed("fil"))
	}
	if err := o.RevokeReader(ctx, ada, "film", "auditor@example.net"); err != nil ||
		len(confirmed("film")) > 0 || len(confirmed("film-two")) != 1 {
		t.Errorf("revoked: %v, %+v", err, confirmed("film"))
	}
	if err := o.RevokeReader(ctx, ada, "film", "auditor@example.net"); !fault.Is(err, fault.NotFound) {
		t.Errorf("revoked again: %v", err)
	}
}

// Removing a user also deletes the confirmations of the address.
func TestRemove_ForgetsConfirmations(t *testing.T) {
	o := newFixtureWithUsers(t)
	for _, campaign := range []string{"film", "game"} {
		for _, email := range []string{ben, "other@example.org"} {
			if _, err := o.ConfirmReader(ctx, ada, campaign, email); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := o.Remove(ctx, ada, ben); err != nil {
		t.Fatal(err)
	}
	for _, campaign := range []string{"film", "game"} {
		if all, err := o.Readers(ctx, campaign); err != nil || len(all) != 1 || all[0].Email != "other@example.org" {
			t.Errorf("%s has %+v, %v", campaign, all, err)
		}
	}
}
