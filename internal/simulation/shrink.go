package simulation

// Shrink removes faults from a plan as long as its history still violates a property, and
// returns the remaining plan. It ends after about the given number of simulation steps. It
// does not count histories, because that of a crowd has a hundred times the steps of a small
// one.
func Shrink(p Plan, steps int) (Plan, error) {
	r, err := Run(p)
	if err != nil || len(r.Violations) == 0 {
		return p, err
	}
	for part := (len(r.Faults) + 1) / 2; part > 0 && steps > 0; {
		smaller := false
		all := chancesOf(r.Faults)
		for from := 0; from < len(all) && steps > 0; from += part {
			only := append(append([]int{}, all[:from]...), all[min(from+part, len(all)):]...)
			next, err := Run(Plan{Seed: p.Seed, Only: only})
			if err != nil {
				return p, err
			}
			steps -= next.Steps
			if len(next.Violations) > 0 {
				r, smaller = next, true
				break
			}
		}
		if !smaller {
			part /= 2
		}
		part = min(part, (len(r.Faults)+1)/2)
	}
	return Plan{Seed: p.Seed, Only: chancesOf(r.Faults)}, nil
}

func chancesOf(faults []Fault) []int {
	out := make([]int, 0, len(faults))
	for _, f := range faults {
		out = append(out, f.Chance)
	}
	return out
}
