package preview

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Life is how long reviewers may look: service.md, L409.
const Life = 24 * time.Hour

// maxReviewers bounds a list, without the publisher.
const maxReviewers = 20

// Service publishes previews, and says who may look. All fields are required. It is safe for
// concurrent use.
type Service struct {
	Content     *content.Service // which marks the campaign's file
	Store       kv.Store         // the primary namespace, for copies
	Coordinator kv.Coordinator
	Class       string // of the objects, with the commands of Register
	Outbox      *notify.Outbox
	Links       notify.Links
	Now         func() time.Time
}

// Request asks that a campaign can be looked at.
type Request struct {
	CampaignSlug string
	// Base is the SHA of the campaign's file as its publisher has seen it.
	Base string
	// Reviewers are mailed a link. Whoever was on the list before and is not on this one may
	// look no more.
	Reviewers []string
	Lang      string // of the mails and links, "en" or "es"
}

// Published is a preview that can be looked at.
type Published struct {
	Link      string    `json:"link"` // the publisher's
	ExpiresAt time.Time `json:"expiresAt"`
	Reviewers []string  `json:"reviewers"` // those who were mailed a link
	Base      string    `json:"base"`      // the SHA of the file as it is now
	// Revision is the commit, "" where the file said already that there are previews.
	Revision string `json:"revision,omitempty"`
}

// Publish marks the campaign's file, takes down who may look, and mails them their links. A
// file that is another one than its publisher has seen is code Conflict, and nothing is
// written. What comes twice under one identity is done once.
func (s *Service) Publish(ctx context.Context, by content.Author, r Request) (Published, error) {
	c, err := s.campaign(r.CampaignSlug)
	if err != nil {
		return Published{}, err
	}
	publisher, err := pledge.ParseEmail(by.Email)
	if err != nil {
		return Published{}, fault.New(fault.Invalid, "Whoever publishes a preview has an address")
	}
	reviewers, err := invited(r.Reviewers, publisher)
	if err != nil {
		return Published{}, err
	}
	marked, err := s.mark(ctx, by, c, r.Base)
	if err != nil {
		return Published{}, err
	}
	until := s.Now().UTC().Truncate(time.Second).Add(Life)
	if err := s.let(ctx, c.Slug, by.ID, Reviewers{append([]string{publisher}, reviewers...), until}); err != nil {
		return Published{}, err
	}
	for _, to := range reviewers {
		if err := s.mail(ctx, by, c, to, r.Lang, until); err != nil {
			return Published{}, err
		}
	}
	link, err := s.Links.Preview(c.Slug, publisher, r.Lang, until)
	return Published{link, until, reviewers, marked.Base, marked.Revision}, err
}

// campaign is one that is not in the archive.
func (s *Service) campaign(slug string) (*campaign.Campaign, error) {
	c, err := s.Content.Catalogue().Campaign(slug)
	if err != nil {
		return nil, err
	}
	if c.Archived() {
		return nil, fault.New(fault.Conflict, "The campaign is in the archive").In("campaignSlug")
	}
	return c, nil
}

// invited are the reviewers' addresses, each once and without the publisher's.
func invited(addresses []string, publisher string) ([]string, error) {
	if len(addresses) > maxReviewers {
		return nil, fault.New(fault.Invalid, "A preview has at most %d reviewers", maxReviewers).In("reviewers")
	}
	out := make([]string, 0, len(addresses))
	for i, a := range addresses {
		email, err := pledge.ParseEmail(a)
		if err != nil {
			return nil, fault.New(fault.Invalid, "This is no address").In("reviewers[" + strconv.Itoa(i) + "]")
		}
		if email != publisher && !slices.Contains(out, email) {
			out = append(out, email)
		}
	}
	return out, nil
}

// mark has the file say that there are previews. Nothing else of it is written.
func (s *Service) mark(ctx context.Context, by content.Author, c *campaign.Campaign, base string) (content.Published, error) {
	if base == "" {
		return content.Published{}, fault.New(fault.Invalid, "Say which version of the campaign's file you have seen").In("base")
	}
	d := content.Draft{File: c.File, Base: base, Edits: []content.Edit{{Path: "preview_enabled", Value: json.RawMessage("true")}}}
	if c.PreviewEnabled {
		d.Edits[0].Was = d.Edits[0].Value
	}
	return s.Content.Publish(ctx, by, d)
}

func (s *Service) mail(ctx context.Context, by content.Author, c *campaign.Campaign, to, lang string, until time.Time) error {
	link, err := s.Links.Preview(c.Slug, to, lang, until)
	if err != nil {
		return err
	}
	who := sha256.Sum256([]byte(to))
	m, err := notify.PreviewOf(notify.SignIn{
		Identity: "preview:" + by.ID + ":" + hex.EncodeToString(who[:12]), To: to, Lang: lang, Link: link, NotAfter: until,
	}, c.Title, s.Links.Platform)
	if err != nil {
		return err
	}
	return s.Outbox.Queue(ctx, m)
}

// Check reports until when a token shows a campaign. It fails with code Unauthorized for a
// token of something else, one that is too old, and that of somebody who is not on the list
// any more.
func (s *Service) Check(ctx context.Context, tok, slug string) (time.Time, error) {
	claims, err := s.Links.Signer.Verify(tok, token.Preview, s.Now())
	if err != nil {
		return time.Time{}, err
	}
	if claims.CampaignSlug != slug {
		return time.Time{}, refused()
	}
	r, err := s.Reviewers(ctx, slug)
	if err != nil {
		return time.Time{}, err
	}
	if !r.has(claims.Email) {
		return time.Time{}, refused()
	}
	return claims.Expires, nil
}

func refused() error { return fault.New(fault.Unauthorized, "Invalid or expired token") }
