package campaign

import (
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Campaign is one campaign, as defined by its file. It is immutable; changes are made
// by editing the file.
type Campaign struct {
	// Slug identifies the campaign: lower-case letters, digits and hyphens, at most MaxSlug
	// characters. If the file has none, it is derived from the title.
	Slug  string `json:"slug"`
	Title string `json:"title"`
	// Revision identifies the file's exact content: the first 16 hex digits of its SHA-256.
	Revision string `json:"revision"`
	// Start and Deadline can be zero only in a campaign that is not public.
	Start    Moment      `json:"startDate"`
	Deadline Moment      `json:"goalDeadline"`
	Goal     money.Cents `json:"goalAmount"` // cents
	// Charged marks a settled campaign, which accepts no more pledges. campaignfile.Document.Apply
	// rejects changes to it.
	Charged  bool    `json:"charged"`
	Creator  Creator `json:"creator"`
	Category string  `json:"category,omitempty"` // one of Categories, or ""
	Blurb    string  `json:"blurb,omitempty"`    // plain text
	// Content is the campaign's page; Body is the Markdown after the front matter.
	Content []Block `json:"content,omitempty"`
	Body    string  `json:"body,omitempty"`
	Media   Media   `json:"media"`
	// Risks is the section about risks, and Questions the FAQ.
	Risks     string     `json:"risks,omitempty"` // rich text
	Questions []Question `json:"faq,omitempty"`

	Tiers         []Tier        `json:"tiers"`
	FeaturedTier  string        `json:"featuredTierId,omitempty"`
	SupportItems  []SupportItem `json:"supportItems,omitempty"`
	AddOns        []AddOn       `json:"addOns,omitempty"`
	StretchGoals  []StretchGoal `json:"stretchGoals,omitempty"`
	StretchHidden bool          `json:"stretchHidden"` // each stretch goal is hidden until the previous one is reached
	OngoingItems  []OngoingItem `json:"ongoingItems,omitempty"`
	ShowOngoing   bool          `json:"showOngoing"`
	Diary         []DiaryEntry  `json:"diary,omitempty"` // newest first
	Decisions     []Decision    `json:"decisions,omitempty"`
	Custom        CustomAmount  `json:"customAmount"`
	// SingleTierOnly limits a pledge to one tier.
	SingleTierOnly bool     `json:"singleTierOnly"`
	Shipping       Shipping `json:"shipping"`
	// Recovery is the policy for failed charges.
	Recovery Recovery `json:"recovery"`

	// ReportEmails are the addresses that receive the campaign's reports, except those in
	// ReportExcluded and those without access to the reports.
	ReportEmails   []string `json:"-"`
	ReportExcluded []string `json:"-"`

	Published   bool `json:"published"`
	PreviewOnly bool `json:"previewOnly"`
	TestOnly    bool `json:"testOnly"` // only shown in test mode
	// PreviewEnabled allows signed preview links to show the campaign.
	PreviewEnabled bool `json:"-"`

	// File is the path of the campaign's file, and Lines has the line of each field by its path,
	// such as "tiers[0].price". Warnings do not make the file invalid; they report, for example,
	// keys that the service calculates. References are the files of the content repository that the
	// campaign refers to.
	File       string         `json:"-"`
	Lines      map[string]int `json:"-"`
	Warnings   Problems       `json:"-"`
	References []Reference    `json:"-"`
}

// Public reports whether the campaign is published, not only a preview, and not archived.
func (c *Campaign) Public() bool { return c.Published && !c.PreviewOnly && !c.Archived() }

// Tier returns the tier with the ID, and whether there is one.
func (c *Campaign) Tier(id string) (Tier, bool) {
	return find(c.Tiers, func(t Tier) bool { return t.ID == id })
}

// SupportItem returns the support item with the ID, and whether there is one.
func (c *Campaign) SupportItem(id string) (SupportItem, bool) {
	return find(c.SupportItems, func(s SupportItem) bool { return s.ID == id })
}

// AddOn returns the campaign's add-on with the ID, and whether there is one.
func (c *Campaign) AddOn(id string) (AddOn, bool) {
	return find(c.AddOns, func(a AddOn) bool { return a.ID == id })
}

// Decision returns the decision with the ID, and whether there is one.
func (c *Campaign) Decision(id string) (Decision, bool) {
	return find(c.Decisions, func(d Decision) bool { return d.ID == id })
}

func find[T any](list []T, is func(T) bool) (T, bool) {
	for _, v := range list {
		if is(v) {
			return v, true
		}
	}
	var zero T
	return zero, false
}

// Creator is the person or group that runs the campaign.
type Creator struct {
	Name      string `json:"name,omitempty"`
	Image     string `json:"image,omitempty"`
	Instagram string `json:"instagram,omitempty"` // account name without "@"
	About     string `json:"about,omitempty"`     // rich text
	Links     []Link `json:"links,omitempty"`
}

// Link is a link to one of the creator's other pages.
type Link struct {
	Label string `json:"label,omitempty"` // "" means the name of the linked site
	URL   string `json:"url"`
}

// Question is an entry of the FAQ.
type Question struct {
	Question string `json:"question"` // plain text
	Answer   string `json:"answer"`   // rich text
}

// Media has the addresses of the images and the video of a campaign's page. Each is a root-relative
// path, an absolute URL, or "".
type Media struct {
	Hero string `json:"heroImage,omitempty"`
	// HeroWide replaces the hero image on wide pages.
	HeroWide   string `json:"heroImageWide,omitempty"`
	HeroAlt    string `json:"heroImageAlt"` // defaults to the title
	HeroVideo  string `json:"heroVideo,omitempty"`
	Background string `json:"campaignBackground,omitempty"` // decoration behind the page header
}

// CustomAmount specifies whether supporters can add an amount of their choice, and its limits.
type CustomAmount struct {
	Enabled bool        `json:"enabled"`
	Min     money.Cents `json:"min"` // cents, whole dollars
	Max     money.Cents `json:"max"` // cents, whole dollars
}

// StretchGoal is an extra that is unlocked when the pledged amount reaches a threshold.
type StretchGoal struct {
	Threshold   money.Cents `json:"threshold"` // cents
	Title       string      `json:"title"`
	Description string      `json:"description,omitempty"`
	Status      string      `json:"status,omitempty"` // as displayed; plain text
}

// OngoingItem is an item for which the campaign still needs money after its deadline.
type OngoingItem struct {
	Label     string      `json:"label"`
	Remaining money.Cents `json:"remaining"` // cents
}

// Categories returns the categories of campaigns.
func Categories() []string {
	return []string{
		"Short Film", "Feature Film", "Documentary", "Web Series", "Music Video", "Album",
		"Board Game", "Book", "Other",
	}
}
