package access

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Users returns all users, ordered by address.
func (s *Service) Users(ctx context.Context) ([]User, error) {
	return kv.Ask[[]User](ctx, s.Coordinator, s.Object, list{})
}

// User returns the user with the given address, and whether there is one.
func (s *Service) User(ctx context.Context, email string) (User, bool, error) {
	all, err := s.Users(ctx)
	i := slices.IndexFunc(all, func(u User) bool { return u.Email == email })
	if err != nil || i < 0 {
		return User{}, false, err
	}
	return all[i], true, nil
}

// Save creates a user if the revision is 0 and mails them how to sign in; otherwise it updates the
// user with that address and revision. By is the address of the super admin, "" for the host.
//
// It fails with code Invalid and the field's name for an invalid field, Forbidden if by is not
// a super admin, and NotFound if the user to update does not exist. It fails with code
// Conflict if a new user's address is taken or there are too many users, if the user was
// changed since that revision, if a super admin would demote themselves, or if no super admin
// would be left.
func (s *Service) Save(ctx context.Context, by string, u User) (User, error) {
	u, err := u.checked()
	if err != nil {
		return User{}, err
	}
	nonce, err := s.newSecrets(1)
	if err != nil {
		return User{}, err
	}
	saved, err := kv.Send[User](ctx, s.Coordinator, s.Object, "access-save:"+nonce[0], save{by, u})
	if err != nil {
		return User{}, err
	}
	s.logDeferred(ctx, s.invite(ctx, saved))
	s.logDeferred(ctx, s.copyUsers(ctx))
	return saved, nil
}

// logDeferred logs a failed follow-up step. The change itself is saved, and Sweep repeats
// the step.
func (s *Service) logDeferred(ctx context.Context, err error) {
	if err != nil {
		s.Log.WarnContext(ctx, "access: follow-up step failed, will be retried", "error", err.Error())
	}
}

// invite mails a new user how to sign in, once.
func (s *Service) invite(ctx context.Context, u User) error {
	if u.Invited {
		return nil
	}
	m, err := mailtext.InvitationMail(mailtext.SignIn{
		To: u.Email, Name: u.Name, Lang: u.Lang, Link: s.Links.Dashboard(u.Lang),
		Identity: "invitation:" + hash(u.Email) + u.CreatedAt.Format(time.RFC3339Nano),
	}, s.Links.Platform)
	if err != nil {
		return err
	}
	if err := s.Outbox.Queue(ctx, m); err != nil {
		return err
	}
	_, err = kv.Send[none](ctx, s.Coordinator, s.Object, "access-invited:"+m.Identity, invited{u.Email})
	return err
}

// NotifyAccess notifies an existing user that they may now edit a campaign, once per campaign.
func (s *Service) NotifyAccess(ctx context.Context, u User, slug, title string) error {
	m, err := mailtext.CampaignAccessMail(mailtext.SignIn{
		To: u.Email, Name: u.Name, Lang: u.Lang, Link: s.Links.Dashboard(u.Lang), Identity: "given:" + hash(u.Email) + slug,
	}, title, s.Links.Platform)
	if err != nil {
		return err
	}
	return s.Outbox.Queue(ctx, m)
}

// parseTarget parses the address that a command applies to, and generates the nonce of the
// command's ID.
func (s *Service) parseTarget(email string) (parsed, nonce string, err error) {
	if parsed, err = pledge.ParseEmail(email); err != nil {
		return "", "", err
	}
	made, err := s.newSecrets(1)
	if err != nil {
		return "", "", err
	}
	return parsed, made[0], nil
}

// Remove deletes a user with their passkeys and confirmations, and ends their sessions. By is the
// address of the super admin, "" for the host. It fails with code Forbidden if by is not a super
// admin, NotFound if there is no such user, and Conflict if a super admin would remove themselves
// or no super admin would be left.
func (s *Service) Remove(ctx context.Context, by, email string) error {
	email, nonce, err := s.parseTarget(email)
	if err != nil {
		return err
	}
	if _, err := kv.Send[none](ctx, s.Coordinator, s.Object, "access-remove:"+nonce, remove{by, email}); err != nil {
		return err
	}
	s.logDeferred(ctx, s.copyUsers(ctx))
	return nil
}

// usersKey is the Store key of the copy of all users.
const usersKey = "admin-users:v1"

func (s *Service) copyUsers(ctx context.Context) error {
	all, err := s.Users(ctx)
	if err != nil {
		return err
	}
	return kv.Save(ctx, s.Store, usersKey, all)
}
