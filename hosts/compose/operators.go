package compose

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Operator returns the name of the operator with a key. It fails with code Forbidden if fewer than
// two operators are configured, and with code Unauthorized if the key is unknown.
func (s *Services) Operator(key string) (string, error) {
	all := s.Config.Settlement.Operators
	if !all.Enough() {
		return "", fault.New(fault.Forbidden, "This requires two operators in ADMIN_OPERATORS")
	}
	name := all.Name(key)
	if name == "" {
		return "", fault.New(fault.Unauthorized, "Unknown operator key")
	}
	return name, nil
}

// CheckTwoSuperAdmins fails with code Forbidden unless two super admins may decide together about a
// charge. There must be at least two of them, and ADMIN_OPERATORS must not name two operators:
// otherwise one person could act as two, once with a key and once with a session.
func (s *Services) CheckTwoSuperAdmins(ctx context.Context) error {
	if s.Config.Settlement.Operators.Enough() {
		return fault.New(fault.Forbidden, "This requires the keys of two operators in ADMIN_OPERATORS")
	}
	n, err := s.superAdmins(ctx)
	if err != nil {
		return err
	}
	if n < 2 {
		return fault.New(fault.Forbidden, "This requires two super admins")
	}
	return nil
}
