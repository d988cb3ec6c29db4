package access

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Role is a user's role on the platform.
type Role string

// The roles.
const (
	SuperAdmin   Role = "super_admin"   // may do everything, with every campaign
	CampaignUser Role = "campaign_user" // has permissions for the assigned campaigns
)

// Permission is a right of a campaign user. No permission implies another: a user who ships parcels
// cannot see amounts, and one who edits content cannot see supporters.
type Permission string

// The permissions that a campaign user can have.
const (
	Content    Permission = "content"    // read and change the campaign's content
	Supporters Permission = "supporters" // see supporters and their pledges
	Money      Permission = "money"      // see amounts, fees and payments
	Fulfilment Permission = "fulfilment" // see parcels and addresses, but no amounts
	Mails      Permission = "mails"      // write to the campaign's supporters
	Refunds    Permission = "refunds"    // refund charged pledges
)

// Permissions lists all permissions that a campaign user can have.
var Permissions = []Permission{Content, Supporters, Money, Fulfilment, Mails, Refunds}

// Pseudo-permissions that routes require. They cannot be assigned.
const (
	SignedIn Permission = "signed_in" // any signed-in user
	Platform Permission = "platform"  // a super admin
)

// User is a person who may sign in.
type User struct {
	Email string `json:"email"` // as pledge.ParseEmail returns it
	Name  string `json:"name"`
	Role  Role   `json:"role"`
	// Campaigns and Permissions are empty for a super admin, who needs neither.
	Campaigns   []string     `json:"campaigns"`
	Permissions []Permission `json:"permissions"`
	Lang        string       `json:"preferredLang"` // language of mails to the user
	// Invited is set once the invitation was mailed.
	Invited bool `json:"invited"`
	// Revision is 1 for a new user and increases by one with each change.
	Revision  int       `json:"revision"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Has reports whether the user has a permission, regardless of the campaign.
func (u User) Has(p Permission) bool {
	return p == SignedIn || u.Role == SuperAdmin || u.Role == CampaignUser && slices.Contains(u.Permissions, p)
}

// HasAccess reports whether the user has access to the campaign. Other campaigns are reported to a
// campaign user as not found.
func (u User) HasAccess(campaign string) bool {
	return u.Role == SuperAdmin || u.Role == CampaignUser && slices.Contains(u.Campaigns, campaign)
}

// Limits of users.
const (
	maxName      = 100 // bytes of a name
	maxCampaigns = 200 // campaigns of a user
	maxUsers     = 500
)

// Check validates a user without saving it. It fails with code Invalid and the field's
// name.
func (u User) Check() error {
	_, err := u.checked()
	return err
}

// checked validates a user and returns it in normal form. It fails with code Invalid and the
// field's name.
func (u User) checked() (User, error) {
	var err error
	if u.Email, err = pledge.ParseEmail(u.Email); err != nil {
		return User{}, err
	}
	if u.Name, err = cleanName(u.Name); err != nil {
		return User{}, err
	}
	switch u.Role {
	case SuperAdmin:
		u.Campaigns, u.Permissions = []string{}, []Permission{}
		return u, nil
	case CampaignUser:
		return u.checkScope()
	}
	return User{}, fault.New(fault.Invalid, "The role must be %s or %s", SuperAdmin, CampaignUser).In("role")
}

// cleanName trims and validates a name. It fails with code Invalid.
func cleanName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, isInvisible) {
		return "", fault.New(fault.Invalid, "The name must be one line of 1 to %d bytes", maxName).In("name")
	}
	return name, nil
}

// checkScope validates a campaign user's campaigns and permissions. Nil Permissions mean
// all.
func (u User) checkScope() (User, error) {
	u.Campaigns = slices.Compact(slices.Sorted(slices.Values(u.Campaigns)))
	if len(u.Campaigns) == 0 || len(u.Campaigns) > maxCampaigns {
		return User{}, fault.New(fault.Invalid, "A campaign user needs 1 to %d campaigns", maxCampaigns).In("campaigns")
	}
	if u.Permissions == nil {
		u.Permissions = Permissions
	}
	for _, p := range u.Permissions {
		if !slices.Contains(Permissions, p) {
			return User{}, fault.New(fault.Invalid, "Unknown permission %q", p).In("permissions")
		}
	}
	if len(u.Permissions) == 0 {
		return User{}, fault.New(fault.Invalid, "A campaign user needs at least one permission").In("permissions")
	}
	u.Permissions = slices.Compact(slices.Sorted(slices.Values(u.Permissions)))
	return u, nil
}

// isInvisible reports whether a character could disguise a name or start a new line.
func isInvisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar ||
		r == '\u2028' || r == '\u2029'
}
