package access

import (
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const userPrefix = "access/user/"

// save creates a user if the revision is 0, otherwise it updates the user of that revision.
type save struct {
	// By is the super admin's address, "" for the host's command line.
	By   string `json:"by"`
	User User   `json:"user"`
}

func (save) Kind() string { return "access-save" }

type remove struct {
	By    string `json:"by"`
	Email string `json:"email"`
}

func (remove) Kind() string { return "access-remove" }

type list struct{}

func (list) Kind() string { return "access-users" }

type none struct{}

func runSave(tx kv.Tx, now time.Time, cmd save) (User, error) {
	if err := requireSuperAdmin(tx, cmd.By); err != nil {
		return User{}, err
	}
	u := cmd.User
	var err error
	if u.Email, err = storedEmail(tx, u.Email); err != nil {
		return User{}, err
	}
	was, known, err := kv.Load[User](tx, userPrefix+u.Email)
	switch {
	case err != nil:
		return User{}, err
	case known && u.Revision == 0:
		return User{}, fault.New(fault.Conflict, "There is already a user with this address").In("email")
	case !known && u.Revision != 0:
		return User{}, fault.New(fault.NotFound, "There is no user with this address").In("email")
	case u.Revision != was.Revision:
		return User{}, fault.New(fault.Conflict,
			"This user was changed since you loaded it: reload and try again").In("revision")
	}
	if known && was.Role == SuperAdmin && u.Role != SuperAdmin {
		if err := checkRemovable(tx, cmd.By, u.Email); err != nil {
			return User{}, err
		}
	}
	if u.CreatedAt = was.CreatedAt; !known {
		u.CreatedAt = now.UTC()
		if all, err := loadUsers(tx); err != nil || len(all) >= maxUsers {
			return User{}, userLimitError(err)
		}
	}
	u.Invited = was.Invited
	u.UpdatedAt, u.Revision = now.UTC(), was.Revision+1
	if known && was.Role != u.Role {
		if err := endSessions(tx, now, u.Email, cmd.By); err != nil {
			return User{}, err
		}
	}
	return u, kv.PutValue(tx, userPrefix+u.Email, u)
}

// invited records that a user's invitation was mailed.
type invited struct {
	Email string `json:"email"`
}

func (invited) Kind() string { return "access-invited" }

func runInvited(tx kv.Tx, _ time.Time, cmd invited) (none, error) {
	u, known, err := kv.Load[User](tx, userPrefix+cmd.Email)
	if err != nil || !known || u.Invited {
		return none{}, err
	}
	u.Invited = true
	return none{}, kv.PutValue(tx, userPrefix+u.Email, u)
}

func userLimitError(err error) error {
	if err != nil {
		return err
	}
	return fault.New(fault.Conflict, "There are already %d users, the maximum", maxUsers)
}

func runRemove(tx kv.Tx, now time.Time, cmd remove) (none, error) {
	if err := requireSuperAdmin(tx, cmd.By); err != nil {
		return none{}, err
	}
	var err error
	if cmd.Email, err = storedEmail(tx, cmd.Email); err != nil {
		return none{}, err
	}
	was, known, err := kv.Load[User](tx, userPrefix+cmd.Email)
	if err != nil {
		return none{}, err
	}
	if !known {
		return none{}, fault.New(fault.NotFound, "There is no user with this address").In("email")
	}
	if was.Role == SuperAdmin {
		if err := checkRemovable(tx, cmd.By, cmd.Email); err != nil {
			return none{}, err
		}
	}
	if err := endSessions(tx, now, cmd.Email, cmd.By); err != nil {
		return none{}, err
	}
	if err := tx.Delete(factorsPrefix + cmd.Email); err != nil {
		return none{}, err
	}
	if err := deleteConfirmations(tx, cmd.Email); err != nil {
		return none{}, err
	}
	return none{}, tx.Delete(userPrefix + cmd.Email)
}

// storedEmail returns the spelling under which a user's address is stored, or the address
// itself if there is no such user.
func storedEmail(tx kv.Tx, email string) (string, error) {
	for _, spelling := range pledge.EmailSpellings(email) {
		if _, known, err := kv.Load[User](tx, userPrefix+spelling); err != nil || known {
			return spelling, err
		}
	}
	return email, nil
}

// requireSuperAdmin checks again that the caller is a super admin, who may have been
// removed or demoted since the request was admitted.
func requireSuperAdmin(tx kv.Tx, by string) error {
	if by == "" {
		return nil
	}
	u, known, err := kv.Load[User](tx, userPrefix+by)
	if err != nil {
		return err
	}
	if !known || u.Role != SuperAdmin {
		return fault.New(fault.Forbidden, "Only a super admin can do this")
	}
	return nil
}

// checkRemovable returns an error if a super admin would remove or demote themselves, or if
// the last super admin would be removed or demoted, which would lock everyone out.
func checkRemovable(tx kv.Tx, by, email string) error {
	if by == email {
		return fault.New(fault.Conflict, "You can't remove or demote yourself: ask another super admin").In("email")
	}
	all, err := loadUsers(tx)
	if err != nil {
		return err
	}
	for _, u := range all {
		if u.Role == SuperAdmin && u.Email != email {
			return nil
		}
	}
	return fault.New(fault.Conflict, "This is the last super admin: make another user a super admin first").In("email")
}

func loadUsers(tx kv.Tx) ([]User, error) {
	entries, err := tx.List(userPrefix, "", maxUsers)
	if err != nil {
		return nil, err
	}
	all := make([]User, 0, len(entries))
	for _, e := range entries {
		u, err := kv.Decode[User](e.Key, e.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, u)
	}
	return all, nil
}

func runList(tx kv.Tx, _ time.Time, _ list) ([]User, error) { return loadUsers(tx) }
