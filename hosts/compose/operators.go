package compose

import "github.com/pledgeworks/pledgeworks/pledge/fault"

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
