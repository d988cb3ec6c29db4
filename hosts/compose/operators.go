package compose

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Operator returns whose key it is. It fails with code Forbidden while there are not two
// operators, and with Unauthorized for a key that is nobody's.
func (s *Services) Operator(key string) (string, error) {
	all := s.Config.Settlement.Operators
	if !all.Enough() {
		return "", fault.New(fault.Forbidden, "This takes two operators, whom ADMIN_OPERATORS names")
	}
	name := all.Name(key)
	if name == "" {
		return "", fault.New(fault.Unauthorized, "The key is no operator's")
	}
	return name, nil
}

// TwoSuperAdmins fails with code Forbidden where super admins can't say together what became
// of a charge: there is only one of them, or it takes the keys that ADMIN_OPERATORS names.
// One person could have both, a key and a session, and would be two.
func (s *Services) TwoSuperAdmins(ctx context.Context) error {
	if s.Config.Settlement.Operators.Enough() {
		return fault.New(fault.Forbidden, "This takes the keys of two operators, whom ADMIN_OPERATORS names")
	}
	n, err := s.superAdmins(ctx)
	if err != nil {
		return err
	}
	if n < 2 {
		return fault.New(fault.Forbidden, "This takes two super admins")
	}
	return nil
}
