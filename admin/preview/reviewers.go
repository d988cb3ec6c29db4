package preview

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Register adds the commands to a class.
func Register(c *kv.Class) {
	kv.OnRepeatable(c, runAllow)
	kv.OnQuery(c, runList)
}

// ReviewersKey is the key of the copy of a campaign's reviewers.
func ReviewersKey(campaign string) string { return "campaign-preview-reviewers:" + campaign }

// reviewersKey is the key of the list in the object.
const reviewersKey = "reviewers"

// Reviewers are the addresses that have access to a campaign's preview, and when it ends.
type Reviewers struct {
	Emails []string  `json:"emails"` // normalized and sorted
	Until  time.Time `json:"until,omitzero"`
}

// allow replaces the list.
type allow struct{ Reviewers }

func (allow) Kind() string { return "allow reviewers" }

func runAllow(tx kv.Tx, _ time.Time, cmd allow) (none, error) {
	return none{}, kv.PutValue(tx, reviewersKey, cmd.Reviewers)
}

type none struct{}

type list struct{}

func (list) Kind() string { return "list reviewers" }

// runList returns the reviewers, or the zero value if there are none or their access has ended.
func runList(tx kv.Tx, now time.Time, _ list) (Reviewers, error) {
	r, there, err := kv.Load[Reviewers](tx, reviewersKey)
	if err != nil || !there || !now.Before(r.Until) {
		return Reviewers{}, err
	}
	return r, nil
}

// object returns the object of a campaign. Slugs contain no asterisk, so that the name is unique.
func (s *Service) object(campaign string) kv.Object {
	return kv.Object{Class: s.Class, Name: "*preview:" + campaign}
}

// Reviewers returns the current reviewers of a campaign. It writes nothing.
func (s *Service) Reviewers(ctx context.Context, campaign string) (Reviewers, error) {
	r, err := kv.Ask[Reviewers](ctx, s.Coordinator, s.object(campaign), list{})
	r.Emails = append([]string{}, r.Emails...)
	return r, err
}

// replaceReviewers replaces the list, first in the object and then in the copy.
func (s *Service) replaceReviewers(ctx context.Context, campaign, id string, r Reviewers) error {
	if _, err := kv.Send[none](ctx, s.Coordinator, s.object(campaign), "preview-allow:"+id, allow{r}); err != nil {
		return err
	}
	copied, err := kv.Record(ReviewersKey(campaign), r.Emails, r.Until)
	if err != nil {
		return err
	}
	return s.Store.Apply(ctx, []kv.Write{copied})
}

// has reports whether an address is on the list.
func (r Reviewers) has(email string) bool { return slices.Contains(r.Emails, email) }
