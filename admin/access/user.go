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

// Role is what somebody is to the platform.
type Role string

// The roles.
const (
	SuperAdmin   Role = "super_admin"   // may do everything, with every campaign
	CampaignUser Role = "campaign_user" // has permissions, for the campaigns that were assigned
)

// Permission is something that a campaign user may do, or may not. None of them implies
// another: who packs parcels sees no money, and who edits sees no supporters.
type Permission string

// The permissions that a campaign user can have.
const (
	Content    Permission = "content"    // read and change what the campaign says
	Supporters Permission = "supporters" // see who they are, and what they have pledged
	Money      Permission = "money"      // see sums, fees and payments
	Fulfilment Permission = "fulfilment" // see what is to be sent where, without any sums
	Mails      Permission = "mails"      // write to the campaign's supporters
)

// Permissions are all that a campaign user can have.
var Permissions = []Permission{Content, Supporters, Money, Fulfilment, Mails}

// Two more say what a caller has to be. Nobody is given them.
const (
	SignedIn Permission = "signed_in" // anybody who is signed in
	Platform Permission = "platform"  // a super admin
)

// User is somebody who may sign in.
type User struct {
	Email string `json:"email"` // as pledge.ParseEmail returns it
	Name  string `json:"name"`
	Role  Role   `json:"role"`
	// Campaigns and Permissions are a campaign user's. A super admin has neither, and needs
	// none.
	Campaigns   []string     `json:"campaigns"`
	Permissions []Permission `json:"permissions"`
	Lang        string       `json:"preferredLang"` // of the mails to them
	// Invited says that they were mailed how to sign in.
	Invited bool `json:"invited"`
	// Revision is 1 for a new user, and grows by one with each change.
	Revision  int       `json:"revision"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Has reports whether the user has a permission, for whichever campaigns.
func (u User) Has(p Permission) bool {
	return p == SignedIn || u.Role == SuperAdmin || u.Role == CampaignUser && slices.Contains(u.Permissions, p)
}

// Sees reports whether the campaign is one of the user's. Of any other a campaign user is
// not even told that there is one.
func (u User) Sees(campaign string) bool {
	return u.Role == SuperAdmin || u.Role == CampaignUser && slices.Contains(u.Campaigns, campaign)
}

// The bounds of a user, in bytes or items.
const (
	maxName      = 100
	maxCampaigns = 200
	maxUsers     = 500
)

// Check looks whether a user could be saved so. It fails with code Invalid and the field's
// name.
func (u User) Check() error {
	_, err := u.checked()
	return err
}

// checked returns the user in its normal form. It fails with code Invalid and the field's
// name.
func (u User) checked() (User, error) {
	var err error
	if u.Email, err = pledge.ParseEmail(u.Email); err != nil {
		return User{}, err
	}
	if u.Name, err = line(u.Name); err != nil {
		return User{}, err
	}
	switch u.Role {
	case SuperAdmin:
		u.Campaigns, u.Permissions = []string{}, []Permission{}
		return u, nil
	case CampaignUser:
		return u.scoped()
	}
	return User{}, fault.New(fault.Invalid, "A role is %s or %s", SuperAdmin, CampaignUser).In("role")
}

// line is a name without what could disguise it. It fails with code Invalid.
func line(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unseen) {
		return "", fault.New(fault.Invalid, "A name is one line of 1 to %d bytes", maxName).In("name")
	}
	return name, nil
}

// scoped checks what a campaign user may do. Where nothing is said, it is everything.
func (u User) scoped() (User, error) {
	u.Campaigns = slices.Compact(slices.Sorted(slices.Values(u.Campaigns)))
	if len(u.Campaigns) == 0 || len(u.Campaigns) > maxCampaigns {
		return User{}, fault.New(fault.Invalid, "A campaign user has 1 to %d campaigns", maxCampaigns).In("campaigns")
	}
	if u.Permissions == nil {
		u.Permissions = Permissions
	}
	for _, p := range u.Permissions {
		if !slices.Contains(Permissions, p) {
			return User{}, fault.New(fault.Invalid, "There is no such permission").In("permissions")
		}
	}
	if len(u.Permissions) == 0 {
		return User{}, fault.New(fault.Invalid, "A campaign user has at least one permission").In("permissions")
	}
	u.Permissions = slices.Compact(slices.Sorted(slices.Values(u.Permissions)))
	return u, nil
}

// unseen reports what could disguise a name, or reach beyond its line.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar || r == '\u2028' || r == '\u2029'
}
