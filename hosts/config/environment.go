package config

import (
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
)

// EnvFile is the name of a file with variables for local development. Git ignores it.
const EnvFile = ".env"

const fileSuffix = "_FILE"

// Values returns a Lookup that reads from a map.
func Values(m map[string]string) Lookup {
	return func(variable string) (string, bool) {
		v, ok := m[variable]
		return v, ok
	}
}

// SecretFiles returns a Lookup that can read secrets from files: if KEY_FILE is set and KEY is not,
// KEY is the content of that file without trailing line breaks. read is usually os.ReadFile. Load
// reports a file that is empty or cannot be read, and a secret that is set both ways.
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

// WithEnvFile returns a Lookup that adds the variables in dir's .env file to next, which takes
// precedence. The file may be missing.
func WithEnvFile(next Lookup, dir fs.FS) (Lookup, error) {
	text, err := fs.ReadFile(dir, EnvFile)
	if errors.Is(err, fs.ErrNotExist) {
		return next, nil
	}
	if err != nil {
		return nil, SettingErrors{{Name: EnvFile, Problem: "cannot be read: " + err.Error()}}
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

// ParseEnv parses lines of the form KEY=value. A value may be in single or double quotes, which are
// removed without interpreting escapes. Empty lines and lines starting with # are ignored, and so
// is "export " before a key. It fails with SettingErrors that name each invalid line.
func ParseEnv(text string) (map[string]string, error) {
	values, faults := map[string]string{}, SettingErrors(nil)
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name := fmt.Sprintf("%s line %d", EnvFile, i+1)
		key, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !found || !variableName(key) {
			faults.add(name, "is not KEY=value", "fix or remove it")
			continue
		}
		if _, twice := values[key]; twice {
			faults.add(name, "sets "+key+" a second time", "keep one of them")
			continue
		}
		value, ok := unquote(value)
		if !ok {
			faults.add(name, "has an unclosed quote", "close it on the same line")
			continue
		}
		values[key] = value
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return values, nil
}

// FormatEnv formats variables for ParseEnv, sorted by name. It fails with SettingErrors for names and
// values that the format cannot represent.
func FormatEnv(values map[string]string) (string, error) {
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	var faults SettingErrors
	for _, k := range keys {
		line := k + "=" + values[k] + "\n"
		if back, err := ParseEnv(line); err != nil || len(back) != 1 || back[k] != values[k] {
			faults.add(k, "cannot be written as KEY=value",
				"use a name of letters, digits and _, and a single-line value without leading or trailing quotes and spaces")
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
