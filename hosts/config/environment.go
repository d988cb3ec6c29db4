package config

import (
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
)

// EnvFile is the name of the file of variables that local development may
// keep beside its work; version control ignores it.
const EnvFile = ".env"

const fileSuffix = "_FILE"

// Values returns a Lookup in a map.
func Values(m map[string]string) Lookup {
	return func(variable string) (string, bool) {
		v, ok := m[variable]
		return v, ok
	}
}

// SecretFiles lets each secret be given as a file: where KEY_FILE is set and
// KEY is not, KEY is the content of that file without the line break at its
// end. read is os.ReadFile or the like. Load reports a file that cannot be
// read, and a secret that is given both ways.
func SecretFiles(next Lookup, read func(name string) ([]byte, error)) Lookup {
	secrets := map[string]bool{}
	for _, s := range Settings() {
		secrets[s.Variable] = s.Secret
	}
	return func(variable string) (string, bool) {
		value, ok := next(variable)
		if !secrets[variable] {
			return value, ok
		}
		name, _ := next(variable + fileSuffix)
		if name == "" {
			return value, ok
		}
		if value != "" {
			return "", false
		}
		text, err := read(name)
		if err != nil {
			return "", false
		}
		return strings.TrimRight(string(text), "\r\n"), true
	}
}

// WithEnvFile lets the file .env at the root of dir supply variables that next
// does not set. A missing file supplies none.
func WithEnvFile(next Lookup, dir fs.FS) (Lookup, error) {
	text, err := fs.ReadFile(dir, EnvFile)
	if errors.Is(err, fs.ErrNotExist) {
		return next, nil
	}
	if err != nil {
		return nil, Faults{{Name: EnvFile, Problem: "cannot be read: " + err.Error()}}
	}
	file, err := ParseEnv(string(text))
	if err != nil {
		return nil, err
	}
	return func(variable string) (string, bool) {
		if value, ok := next(variable); ok {
			return value, true
		}
		value, ok := file[variable]
		return value, ok
	}, nil
}

// ParseEnv reads lines of the form KEY=value. A value may stand in single or
// double quotes, which are taken off and change nothing inside; a line that is
// empty or begins with # says nothing, and an "export " before the key is
// skipped. It fails with Faults that name each line it cannot read.
func ParseEnv(text string) (map[string]string, error) {
	values, faults := map[string]string{}, Faults(nil)
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name := fmt.Sprintf("%s line %d", EnvFile, i+1)
		key, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !found || !variableName(key) {
			faults.add(name, "is not KEY=value", "mend or remove it")
			continue
		}
		if _, twice := values[key]; twice {
			faults.add(name, "sets "+key+" a second time", "keep one of them")
			continue
		}
		value, ok := unquote(value)
		if !ok {
			faults.add(name, "opens a quote that it does not close", "close it on the same line")
			continue
		}
		values[key] = value
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return values, nil
}

// FormatEnv writes variables in the form that ParseEnv reads, sorted by name.
// It fails with Faults for a name or a value that the form cannot hold.
func FormatEnv(values map[string]string) (string, error) {
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	var faults Faults
	for _, k := range keys {
		line := k + "=" + values[k] + "\n"
		if back, err := ParseEnv(line); err != nil || len(back) != 1 || back[k] != values[k] {
			faults.add(k, "cannot be written as KEY=value", "use a name of letters, digits and _, and one line without quotes or spaces at its ends")
			continue
		}
		b.WriteString(line)
	}
	if len(faults) > 0 {
		return "", faults
	}
	return b.String(), nil
}

func variableName(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func unquote(s string) (string, bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return s, true
	}
	if len(s) < 2 || s[len(s)-1] != s[0] {
		return "", false
	}
	return s[1 : len(s)-1], true
}
