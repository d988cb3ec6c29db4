package config

import (
	"slices"
	"strings"
)

// Fault is one thing that is wrong with the configuration.
type Fault struct {
	Name    string // the environment variable or, where the site file is meant, its key
	Problem string // what is wrong with it
	Remedy  string // what to do
}

// Error says all of it in one line.
func (f Fault) Error() string {
	s := f.Name + " " + f.Problem
	if f.Remedy != "" {
		s += "; " + f.Remedy
	}
	return s
}

// Faults is everything that is wrong, in the order of docs/configuration.md.
type Faults []Fault

// Error lists the faults, one a line.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// WithoutSecrets leaves out what is wrong with secrets: for those who need none, such
// as who builds the site.
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
