package access

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Reader is an address that a super admin confirmed as a recipient of a campaign's reports. It
// need not belong to a user.
type Reader struct {
	Campaign string `json:"campaignSlug"`
	Email    string `json:"email"`
	// ConfirmedBy is the super admin's address, "" for the host's admin secret.
	ConfirmedBy string    `json:"confirmedBy"`
	ConfirmedAt time.Time `json:"confirmedAt"`
}

// maxReaders is the maximum number of confirmations of all campaigns together.
const maxReaders = 500

// Readers returns the addresses that were confirmed for a campaign's reports.
func (s *Service) Readers(ctx context.Context, campaign string) ([]Reader, error) {
	return kv.Ask[[]Reader](ctx, s.Coordinator, s.Object, listReaders{campaign})
}

// ConfirmReader allows an address to receive a campaign's reports. If it is already confirmed,
// ConfirmReader changes nothing and returns the existing confirmation. By is the address of
// the super admin, "" for the host.
//
// It fails with code Invalid and the field's name if the address is invalid, Forbidden if by
// is not a super admin, and Conflict if there are already maxReaders confirmations.
func (s *Service) ConfirmReader(ctx context.Context, by, campaign, email string) (Reader, error) {
	email, nonce, err := s.parseTarget(email)
	if err != nil {
		return Reader{}, err
	}
	return kv.Send[Reader](ctx, s.Coordinator, s.Object, "access-confirm-reader:"+nonce,
		confirmReader{by, campaign, email})
}

// RevokeReader removes a confirmation. By is the address of the super admin, "" for the host. It
// fails with code Invalid if the address is invalid, Forbidden if by is not a super admin, and
// NotFound if the address is not confirmed for the campaign.
func (s *Service) RevokeReader(ctx context.Context, by, campaign, email string) error {
	email, nonce, err := s.parseTarget(email)
	if err != nil {
		return err
	}
	_, err = kv.Send[none](ctx, s.Coordinator, s.Object, "access-revoke-reader:"+nonce,
		revokeReader{by, campaign, email})
	return err
}

func registerReaders(c *kv.Class) {
	kv.OnRepeatable(c, runConfirmReader)
	kv.OnRepeatable(c, runRevokeReader)
	kv.OnQuery(c, runListReaders)
}

type confirmReader struct {
	By       string `json:"by"`
	Campaign string `json:"campaign"`
	Email    string `json:"email"`
}

func (confirmReader) Kind() string { return "access-confirm-reader" }

type revokeReader struct {
	By       string `json:"by"`
	Campaign string `json:"campaign"`
	Email    string `json:"email"`
}

func (revokeReader) Kind() string { return "access-revoke-reader" }

type listReaders struct {
	Campaign string `json:"campaign"`
}

func (listReaders) Kind() string { return "access-readers" }

const readerPrefix = "access/reader/"

func readerKey(campaign, email string) string { return readerPrefix + campaign + "/" + email }

func runConfirmReader(tx kv.Tx, now time.Time, cmd confirmReader) (Reader, error) {
	if err := requireSuperAdmin(tx, cmd.By); err != nil {
		return Reader{}, err
	}
	was, known, err := kv.Load[Reader](tx, readerKey(cmd.Campaign, cmd.Email))
	if err != nil || known {
		return was, err
	}
	all, err := loadReaders(tx)
	if err != nil {
		return Reader{}, err
	}
	if len(all) >= maxReaders {
		return Reader{}, fault.New(fault.Conflict,
			"There are already %d confirmed addresses, the maximum: revoke those of finished campaigns",
			maxReaders).In("email")
	}
	r := Reader{cmd.Campaign, cmd.Email, cmd.By, now.UTC()}
	return r, kv.PutValue(tx, readerKey(cmd.Campaign, cmd.Email), r)
}

func runRevokeReader(tx kv.Tx, _ time.Time, cmd revokeReader) (none, error) {
	if err := requireSuperAdmin(tx, cmd.By); err != nil {
		return none{}, err
	}
	key := readerKey(cmd.Campaign, cmd.Email)
	_, known, err := kv.Load[Reader](tx, key)
	if err != nil {
		return none{}, err
	}
	if !known {
		return none{}, fault.New(fault.NotFound, "The address is not confirmed for the campaign").In("email")
	}
	return none{}, tx.Delete(key)
}

func runListReaders(tx kv.Tx, _ time.Time, cmd listReaders) ([]Reader, error) {
	all, err := loadReaders(tx)
	return slices.DeleteFunc(all, func(r Reader) bool { return r.Campaign != cmd.Campaign }), err
}

func loadReaders(tx kv.Tx) ([]Reader, error) {
	entries, err := tx.List(readerPrefix, "", maxReaders)
	if err != nil {
		return nil, err
	}
	all := make([]Reader, 0, len(entries))
	for _, e := range entries {
		r, err := kv.Decode[Reader](e.Key, e.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// deleteConfirmations deletes the confirmations of a removed user's address.
func deleteConfirmations(tx kv.Tx, email string) error {
	all, err := loadReaders(tx)
	if err != nil {
		return err
	}
	for _, r := range all {
		if !slices.Contains(pledge.EmailSpellings(r.Email), email) {
			continue
		}
		if err := tx.Delete(readerKey(r.Campaign, r.Email)); err != nil {
			return err
		}
	}
	return nil
}
