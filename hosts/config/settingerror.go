package config

import (
	"slices"
	"strings"
)

// SettingError is one problem in the configuration.
type SettingError struct {
	Name    string // the environment variable or, if the value is in the site file, its key
	Problem string // description of the problem
	Remedy  string // how to fix it
}

// Error returns the problem and the remedy in one line.
func (f SettingError) Error() string {
	s := f.Name + " " + f.Problem
	if f.Remedy != "" {
		s += "; " + f.Remedy
	}
	return s
}

// SettingErrors lists problems in the order in which Load finds them.
type SettingErrors []SettingError //nolint:recvcheck // an error is a value, and add appends

// Error returns the errors, one per line.
func (fs SettingErrors) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// WithoutSecrets returns the errors that do not concern secrets, for callers that do not need
// secrets, such as a build of the site.
func (fs SettingErrors) WithoutSecrets() SettingErrors {
	secrets := map[string]bool{}
	for _, s := range Settings() {
		if s.Secret {
			secrets[s.Variable], secrets[s.Variable+fileSuffix] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(fs), func(f SettingError) bool { return secrets[f.Name] })
}

func (fs *SettingErrors) add(name, problem, remedy string) {
	*fs = append(*fs, SettingError{Name: name, Problem: problem, Remedy: remedy})
}
