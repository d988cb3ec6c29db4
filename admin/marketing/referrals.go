package marketing

import (
	"context"
	"encoding/hex"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Limits of referrals.
const (
	maxReferrals = 200 // per campaign
	maxName      = 100 // bytes
)

// Referral is a person who promotes a campaign, with the code in their link.
type Referral struct {
	Code string `json:"code"` // the link's "ref" parameter
	Name string `json:"name"` // of the referrer
	// The link's other parameters, "" for none.
	UTMSource   string `json:"utmSource,omitempty"`
	UTMMedium   string `json:"utmMedium,omitempty"`
	UTMCampaign string `json:"utmCampaign,omitempty"`
	UTMContent  string `json:"utmContent,omitempty"`
	// Links and QR are set by Save. QR is the text to encode as a QR code.
	Links Links  `json:"links"`
	QR    string `json:"qr"`
	// Revision is 1 for a new referral and increases by one with each change.
	Revision  int       `json:"revision"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

func (r Referral) attribution() pledge.Attribution {
	return pledge.Attribution{Referral: r.Code, UTMSource: r.UTMSource, UTMMedium: r.UTMMedium,
		UTMCampaign: r.UTMCampaign, UTMContent: r.UTMContent}
}

// Referrals manages the referrals of campaigns. One object per campaign serializes the
// changes; a copy for reading is in the Store. All fields are required.
type Referrals struct {
	Store       kv.Store // the primary namespace
	Coordinator kv.Coordinator
	Class       string // a class with the commands of Register
	SiteBase    string // the site's address
	Rand        io.Reader
}

// Register adds the commands to a class.
func Register(c *kv.Class) {
	kv.OnRepeatable(c, runSave)
	kv.OnRepeatable(c, runRemove)
	kv.OnQuery(c, runList)
}

// ReferralsKey is the key of the copy of a campaign's referrals.
func ReferralsKey(campaign string) string { return "admin-marketing-referrals:" + campaign }

// object returns the object of a campaign. Slugs contain no asterisk, so that the name is unique.
func (s *Referrals) object(campaign string) kv.Object {
	return kv.Object{Class: s.Class, Name: "*referrals:" + campaign}
}

// List returns a campaign's referrals, ordered by code. It writes nothing.
func (s *Referrals) List(ctx context.Context, campaign string) ([]Referral, error) {
	return kv.Ask[[]Referral](ctx, s.Coordinator, s.object(campaign), list{})
}

// Save creates a referral if the revision is 0, otherwise it updates the referral with the code and
// revision.
//
// It fails with code Invalid and the field for an invalid value, and NotFound if the referral to
// update does not exist. It fails with code Conflict if it was changed since that revision, if a
// new referral's code is taken, or if the campaign has maxReferrals.
func (s *Referrals) Save(ctx context.Context, campaign string, r Referral) (Referral, error) {
	var err error
	if r.Name, err = cleanName(r.Name); err != nil {
		return Referral{}, err
	}
	if r.Code == "" {
		return Referral{}, fault.New(fault.Invalid, "A referral needs a code").In("code")
	}
	if r.Links, err = Link(s.SiteBase, campaign, r.attribution()); err != nil {
		return Referral{}, referralError(err)
	}
	r.QR = r.Links.English
	nonce, err := s.nonce()
	if err != nil {
		return Referral{}, err
	}
	saved, err := kv.Send[Referral](ctx, s.Coordinator, s.object(campaign), "referral-save:"+nonce, save{r})
	if err != nil {
		return Referral{}, err
	}
	return saved, s.updateCopy(ctx, campaign)
}

// Remove deletes the referral with the code and revision. Pledges keep its code. It fails with code
// NotFound if there is no such referral, and Conflict if it was changed since that revision.
func (s *Referrals) Remove(ctx context.Context, campaign, code string, revision int) error {
	nonce, err := s.nonce()
	if err != nil {
		return err
	}
	if _, err := kv.Send[none](ctx, s.Coordinator, s.object(campaign), "referral-remove:"+nonce,
		remove{code, revision}); err != nil {
		return err
	}
	return s.updateCopy(ctx, campaign)
}

// updateCopy rewrites the Store's copy from the object's current state.
func (s *Referrals) updateCopy(ctx context.Context, campaign string) error {
	all, err := s.List(ctx, campaign)
	if err != nil {
		return err
	}
	return kv.Save(ctx, s.Store, ReferralsKey(campaign), all)
}

func (s *Referrals) nonce() (string, error) {
	b := make([]byte, 16)
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "Could not generate a command ID")
	}
	return hex.EncodeToString(b), nil
}

// fieldOf maps a link's parameters to the fields of a referral.
var fieldOf = map[string]string{
	Ref: "code", UTMSource: "utmSource", UTMMedium: "utmMedium", UTMCampaign: "utmCampaign", UTMContent: "utmContent",
}

func referralError(err error) error {
	f := fault.Of(err)
	if f == nil {
		return err
	}
	return f.In(fieldOf[f.Field])
}

// cleanName trims and validates a name. It fails with code Invalid.
func cleanName(name string) (string, error) {
	name = strings.TrimSpace(name)
	unseen := func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar ||
			r == '\u2028' || r == '\u2029'
	}
	if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unseen) ||
		strings.ContainsAny(name, "<>") {
		return "", fault.New(fault.Invalid, "The name must be one line of 1 to %d bytes, without < and >", maxName).In("name")
	}
	return name, nil
}

const referralPrefix = "referral/"

type save struct {
	Referral Referral `json:"referral"`
}

func (save) Kind() string { return "referral-save" }

type remove struct {
	Code     string `json:"code"`
	Revision int    `json:"revision"`
}

func (remove) Kind() string { return "referral-remove" }

type list struct{}

func (list) Kind() string { return "referrals" }

type none struct{}

func runSave(tx kv.Tx, now time.Time, cmd save) (Referral, error) {
	r := cmd.Referral
	was, known, err := kv.Load[Referral](tx, referralPrefix+r.Code)
	switch {
	case err != nil:
		return Referral{}, err
	case known && r.Revision == 0:
		return Referral{}, fault.New(fault.Conflict, "There is already a referral with this code").In("code")
	case !known && r.Revision != 0:
		return Referral{}, fault.New(fault.NotFound, "There is no referral with this code").In("code")
	case r.Revision != was.Revision:
		return Referral{}, staleRevision()
	}
	if r.CreatedAt = was.CreatedAt; !known {
		r.CreatedAt = now.UTC()
		if all, err := loadReferrals(tx); err != nil || len(all) >= maxReferrals {
			return Referral{}, referralLimitError(err)
		}
	}
	r.UpdatedAt, r.Revision = now.UTC(), was.Revision+1
	return r, kv.PutValue(tx, referralPrefix+r.Code, r)
}

func referralLimitError(err error) error {
	if err != nil {
		return err
	}
	return fault.New(fault.Conflict, "There are already %d referrals, the maximum", maxReferrals)
}

func staleRevision() error {
	return fault.New(fault.Conflict, "This referral was changed since you loaded it: reload and try again").In("revision")
}

func runRemove(tx kv.Tx, _ time.Time, cmd remove) (none, error) {
	was, known, err := kv.Load[Referral](tx, referralPrefix+cmd.Code)
	switch {
	case err != nil:
		return none{}, err
	case !known:
		return none{}, fault.New(fault.NotFound, "There is no referral with this code").In("code")
	case was.Revision != cmd.Revision:
		return none{}, staleRevision()
	}
	return none{}, tx.Delete(referralPrefix + cmd.Code)
}

func runList(tx kv.Tx, _ time.Time, _ list) ([]Referral, error) { return loadReferrals(tx) }

func loadReferrals(tx kv.Tx) ([]Referral, error) {
	entries, err := tx.List(referralPrefix, "", maxReferrals)
	if err != nil {
		return nil, err
	}
	all := make([]Referral, 0, len(entries))
	for _, e := range entries {
		r, err := kv.Decode[Referral](e.Key, e.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
