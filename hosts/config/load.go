package config

import (
	"cmp"
	"fmt"
	"io/fs"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Lookup returns the value of an environment variable, like os.LookupEnv.
type Lookup func(variable string) (value string, ok bool)

// Load reads the configuration: each setting from its environment variable, otherwise from the site
// file at the root of site, otherwise from its default. Empty variables count as unset. site may be
// nil.
//
// If the configuration is invalid, the error is SettingErrors with every problem. The Config must
// then not be used, with one exception: if all errors concern secrets, the other settings are
// valid.
func Load(lookup Lookup, site fs.FS) (Config, error) {
	l := loader{lookup: lookup, texts: map[string]string{}}
	l.inFile = readSite(site, &l.faults, &l.cfg.Warnings)
	l.warnReserved()
	l.gather()
	l.parse()
	l.setDerived()
	l.check()
	if len(l.faults) > 0 {
		return l.cfg, l.faults
	}
	return l.cfg, nil
}

type loader struct {
	lookup Lookup
	inFile map[string]string // texts by site key
	texts  map[string]string // texts by variable, from all sources
	cfg    Config
	faults SettingErrors
}

// gather reads the text of every setting that the environment or the site file sets.
func (l *loader) gather() {
	for _, s := range Settings() {
		text, _ := l.lookup(s.Variable)
		if text == "" && s.Secret {
			if file, _ := l.lookup(s.Variable + fileSuffix); file != "" {
				l.faults.add(s.Variable+fileSuffix,
					"provides no secret: the file is empty or unreadable, or "+s.Variable+" is also set",
					"fix the file, or unset one of the two")
			}
		}
		if text == "" && s.SiteKey != "" {
			text = l.inFile[s.SiteKey]
		}
		if text != "" {
			l.texts[s.Variable] = text
		}
	}
}

// parse sets the typed fields from the texts.
func (l *loader) parse() {
	v := reflect.ValueOf(&l.cfg).Elem()
	for _, s := range Settings() {
		text := l.texts[s.Variable]
		if problem := s.invalidBecause(text); problem != "" {
			l.addFault(s, problem)
			text = ""
		}
		if text = cmp.Or(text, s.Default); text == "" {
			continue
		}
		if err := set(v.Field(s.group).FieldByName(s.field), text, s.unit); err != nil {
			l.addFault(s, problemText(err))
		}
	}
}

// addFault adds a fault, named after the variable, or after the site key if the environment does
// not set the setting.
func (l *loader) addFault(s Setting, problem string) {
	name := s.Variable
	if v, _ := l.lookup(s.Variable); v == "" && s.SiteKey != "" {
		name = s.SiteKey
	}
	l.faults.add(name, problem, "")
}

// hasFault reports whether there is a fault for a setting.
func (l *loader) hasFault(variable string) bool {
	settings := Settings()
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Variable == variable })
	return slices.ContainsFunc(l.faults, func(f SettingError) bool {
		return f.Name == variable || i >= 0 && f.Name == settings[i].SiteKey
	})
}

// setDerived sets settings whose defaults depend on others.
func (l *loader) setDerived() {
	site := &l.cfg.Site
	site.CanonicalBase = cmp.Or(site.CanonicalBase, l.originInFile("platform.site_url"), site.Base)
	site.CORSOrigin = cmp.Or(site.CORSOrigin, site.Base, site.CanonicalBase)
	site.Base = cmp.Or(site.Base, site.CanonicalBase)
	if l.texts["PAYMENT_RECONCILIATION_ENABLED"] == "" {
		l.cfg.Settlement.Reconcile = l.cfg.Mode.App == psp.Live
	}
}

// originInFile returns an origin from the site file, even if the environment overrides it.
func (l *loader) originInFile(key string) Origin {
	var o Origin
	text := l.inFile[key]
	if text == "" {
		return ""
	}
	known := slices.ContainsFunc(l.faults, func(f SettingError) bool { return f.Name == key })
	if err := o.UnmarshalText([]byte(text)); err != nil && !known {
		l.faults.add(key, problemText(err), "")
	}
	return o
}

// invalidBecause returns the problem of a text that is not one of the choices or not in the range,
// or "" if it is valid.
func (s Setting) invalidBecause(text string) string {
	if text == "" {
		return ""
	}
	if len(s.choices) > 0 && !slices.Contains(s.choices, text) {
		return "is not one of: " + strings.Join(s.choices, ", ") + fault.DidYouMean(text, s.choices)
	}
	if s.min == "" {
		return ""
	}
	n, err := strconv.Atoi(text)
	low, _ := strconv.Atoi(s.min)
	high, _ := strconv.Atoi(s.max)
	if err != nil || n < low || n > high {
		return fmt.Sprintf("is not a whole number from %s to %s", s.min, s.max)
	}
	return ""
}

// display formats a field's value as its variable would contain it.
func display(v reflect.Value, unit string) string {
	switch x := v.Interface().(type) {
	case slog.Level:
		return strings.ToLower(x.String())
	case money.Cents:
		return fmt.Sprintf("%d.%02d", x/100, x%100)
	case time.Duration:
		if unit == "ms" {
			return strconv.FormatInt(x.Milliseconds(), 10)
		}
		return strconv.FormatInt(int64(x/time.Second), 10)
	default:
		return fmt.Sprint(x)
	}
}
