package config

import (
	"slices"
	"strings"
)

// Fault is one problem in the configuration.
type Fault struct {
	Name    string // the environment variable or, if the value is in the site file, its key
	Problem string // description of the problem
	Remedy  string // how to fix it
}

// Error returns the problem and the remedy in one line.
func (f Fault) Error() string {
	s := f.Name + " " + f.Problem
	if f.Remedy != "" {
		s += "; " + f.Remedy
	}
	return s
}

// Faults lists the problems in the order of docs/configuration.md.
type Faults []Fault

// Error returns the faults, one per line.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// WithoutSecrets returns the faults that do not concern secrets, for callers that do not need
// secrets, such as a build of the site.
func (fs Faults) WithoutSecrets() Faults {
	secrets := map[string]bool{}
	for _, s := range Settings() {
		if s.Secret {
			secrets[s.Variable], secrets[s.Variable+fileSuffix] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(fs), func(f Fault) bool { return secrets[f.Name] })
}

func (fs *Faults) add(name, problem, remedy string) {
	*fs = append(*fs, Fault{Name: name, Problem: problem, Remedy: remedy})
}
