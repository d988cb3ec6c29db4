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
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Life is how long reviewers have access: service.md, L409.
const Life = 24 * time.Hour

// maxReviewers is the maximum number of reviewers, not counting the publisher.
const maxReviewers = 20

// Service publishes previews and checks access to them. All fields are required. It is safe
// for concurrent use.
type Service struct {
	Content     *content.Service // sets preview_enabled in the campaign's file
	Store       kv.Store         // the primary namespace, for copies
	Coordinator kv.Coordinator
	Class       string // a class with the commands of Register
	Outbox      *notify.Outbox
	Links       mailtext.Links
	Now         func() time.Time
}

// Request is a request to publish a preview.
type Request struct {
	CampaignSlug string
	// Base is the SHA of the campaign's file version that the publisher has seen.
	Base string
	// Reviewers are mailed a link. Addresses that were on the previous list and are not on
	// this one lose access.
	Reviewers []string
	Lang      string // of the mails and links, "en" or "es"
}

// Published is a published preview.
type Published struct {
	Link      string    `json:"link"` // the publisher's
	ExpiresAt time.Time `json:"expiresAt"`
	Reviewers []string  `json:"reviewers"` // the reviewers who were mailed a link
	Base      string    `json:"base"`      // the SHA of the file after the change
	// Revision is the commit, "" if previews were already enabled in the file.
	Revision string `json:"revision,omitempty"`
}

// Publish enables previews in the campaign's file, replaces the list of reviewers, and mails
// them their links. A request is executed once per ID. It fails with code Invalid for an
// invalid address or too many reviewers. It fails with code Conflict, and writes nothing, if
// the campaign is archived or its file is not the version that the publisher has seen.
func (s *Service) Publish(ctx context.Context, by content.Author, r Request) (Published, error) {
	c, err := s.campaign(r.CampaignSlug)
	if err != nil {
		return Published{}, err
	}
	publisher, err := pledge.ParseEmail(by.Email)
	if err != nil {
		return Published{}, fault.New(fault.Invalid, "The publisher of a preview needs an email address")
	}
	reviewers, err := normalize(r.Reviewers, publisher)
	if err != nil {
		return Published{}, err
	}
	marked, err := s.enablePreview(ctx, by, c, r.Base)
	if err != nil {
		return Published{}, err
	}
	until := s.Now().UTC().Truncate(time.Second).Add(Life)
	if err := s.replaceReviewers(ctx, c.Slug, by.ID,
		Reviewers{append([]string{publisher}, reviewers...), until}); err != nil {
		return Published{}, err
	}
	for _, to := range reviewers {
		if err := s.queueMail(ctx, by, c, to, r.Lang, until); err != nil {
			return Published{}, err
		}
	}
	link, err := s.Links.Preview(c.Slug, publisher, r.Lang, until)
	return Published{link, until, reviewers, marked.Base, marked.Revision}, err
}

// campaign returns a campaign. It fails with code Conflict if the campaign is archived.
func (s *Service) campaign(slug string) (*campaign.Campaign, error) {
	c, err := s.Content.Catalogue().Campaign(slug)
	if err != nil {
		return nil, err
	}
	if c.Archived() {
		return nil, fault.New(fault.Conflict, "The campaign is archived").In("campaignSlug")
	}
	return c, nil
}

// normalize returns the reviewers' normalized addresses, without duplicates and without the
// publisher's. It fails with code Invalid for an invalid address or too many addresses.
func normalize(addresses []string, publisher string) ([]string, error) {
	if len(addresses) > maxReviewers {
		return nil, fault.New(fault.Invalid, "A preview can have at most %d reviewers", maxReviewers).In("reviewers")
	}
	out := make([]string, 0, len(addresses))
	for i, a := range addresses {
		email, err := pledge.ParseEmail(a)
		if err != nil {
			return nil, fault.New(fault.Invalid, "This is not a valid email address").In("reviewers[" + strconv.Itoa(i) + "]")
		}
		if email != publisher && !slices.Contains(out, email) {
			out = append(out, email)
		}
	}
	return out, nil
}

// enablePreview sets preview_enabled in the campaign's file.
func (s *Service) enablePreview(ctx context.Context, by content.Author, c *campaign.Campaign,
	base string) (content.Published, error) {
	if base == "" {
		return content.Published{}, fault.New(fault.Invalid,
			"base is required: the SHA of the file version you reviewed").In("base")
	}
	d := content.Draft{File: c.File, Base: base,
		Edits: []content.Edit{{Path: "preview_enabled", Value: json.RawMessage("true")}}}
	if c.PreviewEnabled {
		d.Edits[0].Was = d.Edits[0].Value
	}
	return s.Content.Publish(ctx, by, d)
}

func (s *Service) queueMail(ctx context.Context, by content.Author, c *campaign.Campaign, to,
	lang string, until time.Time) error {
	link, err := s.Links.Preview(c.Slug, to, lang, until)
	if err != nil {
		return err
	}
	who := sha256.Sum256([]byte(to))
	m, err := mailtext.PreviewMail(mailtext.SignIn{
		Identity: "preview:" + by.ID + ":" + hex.EncodeToString(who[:12]), To: to, Lang: lang, Link: link, NotAfter: until,
	}, c.Title, s.Links.Platform)
	if err != nil {
		return err
	}
	return s.Outbox.Queue(ctx, m)
}

// Check returns when access with a token ends. It fails with code Unauthorized if the token is not
// one for the campaign's preview or has expired, or if its address is no longer on the list.
func (s *Service) Check(ctx context.Context, tok, slug string) (time.Time, error) {
	claims, err := s.Links.Signer.Verify(tok, token.Preview, s.Now())
	if err != nil {
		return time.Time{}, err
	}
	if claims.CampaignSlug != slug {
		return time.Time{}, invalidToken()
	}
	r, err := s.Reviewers(ctx, slug)
	if err != nil {
		return time.Time{}, err
	}
	if !r.has(claims.Email) {
		return time.Time{}, invalidToken()
	}
	return claims.Expires, nil
}

func invalidToken() error { return fault.New(fault.Unauthorized, "Invalid or expired token") }
