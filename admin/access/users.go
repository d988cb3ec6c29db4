package access

import (
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const userPrefix = "access/user/"

// save creates a user, where the revision is 0, or changes the one of that revision.
type save struct {
	// By is who does it; "" is the platform's host itself, from its command line.
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
	if err := bySuperAdmin(tx, cmd.By); err != nil {
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
		return User{}, fault.New(fault.Conflict, "There is a user with this address").In("email")
	case !known && u.Revision != 0:
		return User{}, fault.New(fault.NotFound, "There is no user with this address").In("email")
	case u.Revision != was.Revision:
		return User{}, fault.New(fault.Conflict, "Somebody has changed this user since you read it").In("revision")
	}
	if known && was.Role == SuperAdmin && u.Role != SuperAdmin {
		if err := dispensable(tx, cmd.By, u.Email); err != nil {
			return User{}, err
		}
	}
	if u.CreatedAt = was.CreatedAt; !known {
		u.CreatedAt = now.UTC()
		if all, err := users(tx); err != nil || len(all) >= maxUsers {
			return User{}, orFull(err)
		}
	}
	u.Invited = was.Invited
	u.UpdatedAt, u.Revision = now.UTC(), was.Revision+1
	if known && was.Role != u.Role {
		if err := endSessions(tx, now, u.Email, cmd.By); err != nil {
			return User{}, err
		}
	}
	return u, kv.Keep(tx, userPrefix+u.Email, u)
}

// invited notes that a user was mailed how to sign in.
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
	return none{}, kv.Keep(tx, userPrefix+u.Email, u)
}

func orFull(err error) error {
	if err != nil {
		return err
	}
	return fault.New(fault.Conflict, "There are %d users, and no more can be kept", maxUsers)
}

func runRemove(tx kv.Tx, now time.Time, cmd remove) (none, error) {
	if err := bySuperAdmin(tx, cmd.By); err != nil {
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
		if err := dispensable(tx, cmd.By, cmd.Email); err != nil {
			return none{}, err
		}
	}
	if err := endSessions(tx, now, cmd.Email, cmd.By); err != nil {
		return none{}, err
	}
	if err := tx.Delete(factorsPrefix + cmd.Email); err != nil {
		return none{}, err
	}
	if err := forgetReader(tx, cmd.Email); err != nil {
		return none{}, err
	}
	return none{}, tx.Delete(userPrefix + cmd.Email)
}

// storedEmail returns the spelling that a user has of an address, or the address
// itself if no user has it.
func storedEmail(tx kv.Tx, email string) (string, error) {
	for _, spelling := range pledge.EmailSpellings(email) {
		if _, known, err := kv.Load[User](tx, userPrefix+spelling); err != nil || known {
			return spelling, err
		}
	}
	return email, nil
}

// bySuperAdmin asks again whether who does something may do it: by now somebody else may
// have deleted them.
func bySuperAdmin(tx kv.Tx, by string) error {
	if by == "" {
		return nil
	}
	u, known, err := kv.Load[User](tx, userPrefix+by)
	if err != nil {
		return err
	}
	if !known || u.Role != SuperAdmin {
		return fault.New(fault.Forbidden, "This takes a super admin")
	}
	return nil
}

// dispensable refuses what would lock people out of the platform: that super admins take
// it from themselves, or anybody from the last one.
func dispensable(tx kv.Tx, by, email string) error {
	if by == email {
		return fault.New(fault.Conflict, "You can't take this from yourself: another super admin has to").In("email")
	}
	all, err := users(tx)
	if err != nil {
		return err
	}
	for _, u := range all {
		if u.Role == SuperAdmin && u.Email != email {
			return nil
		}
	}
	return fault.New(fault.Conflict, "This is the last super admin").In("email")
}

func users(tx kv.Tx) ([]User, error) {
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

func runList(tx kv.Tx, _ time.Time, _ list) ([]User, error) { return users(tx) }
