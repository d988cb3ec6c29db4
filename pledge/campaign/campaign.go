package campaign

import (
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Campaign is one campaign as its file states it. It is never changed: a
// change is an edit of the file, which is read anew.
type Campaign struct {
	// Slug names the campaign everywhere: lower-case letters, digits and
	// hyphens, at most MaxSlug characters. It is derived from the title where
	// the file states none.
	Slug  string `json:"slug"`
	Title string `json:"title"`
	// Revision identifies the file's exact bytes: 16 hex digits of their SHA-256.
	Revision string `json:"revision"`
	// Start and Deadline are zero only in a campaign that is not public.
	Start    Moment      `json:"startDate"`
	Deadline Moment      `json:"goalDeadline"`
	Goal     money.Cents `json:"goalAmount"` // cents
	// Charged says that the campaign was settled. It takes no more pledges. It is
	// never set through Edit.
	Charged  bool    `json:"charged"`
	Creator  Creator `json:"creator"`
	Category string  `json:"category,omitempty"` // one of Categories, or ""
	Blurb    string  `json:"blurb,omitempty"`    // plain text
	// Content is the campaign's page; Body is the Markdown below the front matter.
	Content []Block `json:"content,omitempty"`
	Body    string  `json:"body,omitempty"`
	Media   Media   `json:"media"`
	// Risks say what can go wrong, and Questions are those that are often asked.
	Risks     string     `json:"risks,omitempty"` // rich text
	Questions []Question `json:"faq,omitempty"`

	Tiers         []Tier        `json:"tiers"`
	FeaturedTier  string        `json:"featuredTierId,omitempty"`
	SupportItems  []SupportItem `json:"supportItems,omitempty"`
	AddOns        []AddOn       `json:"addOns,omitempty"`
	StretchGoals  []StretchGoal `json:"stretchGoals,omitempty"`
	StretchHidden bool          `json:"stretchHidden"` // a stretch goal is hidden until the one before it is reached
	OngoingItems  []OngoingItem `json:"ongoingItems,omitempty"`
	ShowOngoing   bool          `json:"showOngoing"`
	Diary         []DiaryEntry  `json:"diary,omitempty"` // newest first
	Decisions     []Decision    `json:"decisions,omitempty"`
	Custom        CustomAmount  `json:"customAmount"`
	// SingleTierOnly limits a pledge to one tier.
	SingleTierOnly bool     `json:"singleTierOnly"`
	Shipping       Shipping `json:"shipping"`
	// Recovery is what is done about charges that fail.
	Recovery Recovery `json:"recovery"`

	// ReportEmails are the addresses that get the campaign's reports, if they may see them,
	// except those in ReportExcluded.
	ReportEmails   []string `json:"-"`
	ReportExcluded []string `json:"-"`

	Published   bool `json:"published"`
	PreviewOnly bool `json:"previewOnly"`
	TestOnly    bool `json:"testOnly"` // shown only where the service runs in test mode
	// PreviewEnabled says that signed preview links may show the campaign. There
	// are none yet.
	PreviewEnabled bool `json:"-"`

	// File is the name its text was read under, and Lines the line of each field in it,
	// by path such as "tiers[0].price". Warnings are what its author should know
	// and nothing depends on, such as keys that are derived. References are the files
	// of the content repository that it names.
	File       string         `json:"-"`
	Lines      map[string]int `json:"-"`
	Warnings   Problems       `json:"-"`
	References []Reference    `json:"-"`
}

// Public reports whether everybody may see the campaign.
func (c *Campaign) Public() bool { return c.Published && !c.PreviewOnly && !c.Archived() }

// Tier returns the tier with the ID.
func (c *Campaign) Tier(id string) (Tier, bool) {
	return find(c.Tiers, func(t Tier) bool { return t.ID == id })
}

// SupportItem returns the support item with the ID.
func (c *Campaign) SupportItem(id string) (SupportItem, bool) {
	return find(c.SupportItems, func(s SupportItem) bool { return s.ID == id })
}

// AddOn returns the campaign's own add-on with the ID.
func (c *Campaign) AddOn(id string) (AddOn, bool) {
	return find(c.AddOns, func(a AddOn) bool { return a.ID == id })
}

// Decision returns the decision with the ID.
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

// Creator is who runs the campaign.
type Creator struct {
	Name      string `json:"name,omitempty"`
	Image     string `json:"image,omitempty"`
	Instagram string `json:"instagram,omitempty"` // the account's name, without "@"
	About     string `json:"about,omitempty"`     // rich text
	Links     []Link `json:"links,omitempty"`
}

// Link leads to another page.
type Link struct {
	Label string `json:"label,omitempty"` // "" is the name of the site that it leads to
	URL   string `json:"url"`
}

// Question is one that is often asked.
type Question struct {
	Question string `json:"question"` // plain text
	Answer   string `json:"answer"`   // rich text
}

// Media are the pictures and the film of a campaign's page: root-relative paths
// or absolute URLs, "" where there is none.
type Media struct {
	Hero string `json:"heroImage,omitempty"`
	// HeroWide takes the hero's place where the page is wide enough for it.
	HeroWide   string `json:"heroImageWide,omitempty"`
	HeroAlt    string `json:"heroImageAlt"` // the title where the file states none
	HeroVideo  string `json:"heroVideo,omitempty"`
	Background string `json:"campaignBackground,omitempty"` // decoration behind the page's head
}

// CustomAmount says whether a supporter may add an amount of their own choice.
type CustomAmount struct {
	Enabled bool        `json:"enabled"`
	Min     money.Cents `json:"min"` // cents, whole dollars
	Max     money.Cents `json:"max"` // cents, whole dollars
}

// StretchGoal is something that happens when more than the goal comes together.
type StretchGoal struct {
	Threshold   money.Cents `json:"threshold"` // cents
	Title       string      `json:"title"`
	Description string      `json:"description,omitempty"`
	Status      string      `json:"status,omitempty"` // as it is displayed; plain text
}

// OngoingItem is something the campaign still needs after its deadline.
type OngoingItem struct {
	Label     string      `json:"label"`
	Remaining money.Cents `json:"remaining"` // cents
}

// Categories are the kinds of campaign.
func Categories() []string {
	return []string{
		"Short Film", "Feature Film", "Documentary", "Web Series", "Music Video", "Album",
		"Board Game", "Book", "Other",
	}
}
