package config

import (
	"encoding"
	"errors"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// problem is an error message that continues a sentence starting with the setting's name.
type problem string

func (p problem) Error() string { return string(p) }

// problemText returns an error as a message that continues such a sentence.
func problemText(err error) string {
	if p, ok := errors.AsType[problem](err); ok {
		return string(p)
	}
	return "is invalid: " + err.Error()
}

// Origin is a normalized web origin: scheme and host in lower case, no default port and no path,
// such as "https://example.org".
type Origin string

// UnmarshalText normalizes an absolute http or https URL to its origin.
func (o *Origin) UnmarshalText(b []byte) error {
	u, err := absolute(string(b))
	if err != nil {
		return err
	}
	if u.Path != "" && u.Path != "/" {
		return problem("must be an origin without a path")
	}
	*o = Origin(u.Scheme + "://" + u.Host)
	return nil
}

// Secure reports whether the origin uses TLS.
func (o Origin) Secure() bool { return strings.HasPrefix(string(o), "https://") }

// Local reports whether the origin's host is localhost or a loopback address.
func (o Origin) Local() bool {
	u, err := url.Parse(string(o))
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// port returns the origin's port, by default 443 for https and 80 for http.
func (o Origin) port() int {
	u, err := url.Parse(string(o))
	if err != nil {
		return 0
	}
	port, err := strconv.Atoi(u.Port())
	switch {
	case err == nil:
		return port
	case o.Secure():
		return 443
	}
	return 80
}

// Named reports whether the origin's host is a name and not an IP address.
func (o Origin) Named() bool {
	u, err := url.Parse(string(o))
	if err != nil {
		return false
	}
	_, err = netip.ParseAddr(u.Hostname())
	return err != nil
}

// URL is the absolute URL of an API, without a trailing slash.
type URL string

// UnmarshalText parses an absolute http or https URL without a query, a fragment or credentials.
func (u *URL) UnmarshalText(b []byte) error {
	v, err := absolute(string(b))
	if err != nil {
		return err
	}
	*u = URL(v.Scheme + "://" + v.Host + strings.TrimRight(v.EscapedPath(), "/"))
	return nil
}

func absolute(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, problem("is not an absolute URL such as https://example.org")
	}
	if u.User != nil {
		return nil, problem("must not contain a user name or password")
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, problem("must not contain a query or a fragment")
	}
	if strings.ContainsAny(u.Host, " \t\"'<>\\^`{|}%*,;") {
		return nil, problem("has an invalid host name")
	}
	u.Host = strings.ToLower(u.Host)
	if u.Scheme == "https" {
		u.Host = strings.TrimSuffix(u.Host, ":443")
	} else {
		u.Host = strings.TrimSuffix(u.Host, ":80")
	}
	u.Host = strings.TrimSuffix(u.Host, ":")
	return u, nil
}

// Zone is an IANA time zone. The zero Zone is UTC.
type Zone struct{ loc *time.Location }

// UnmarshalText loads a zone by name, such as America/Denver.
func (z *Zone) UnmarshalText(b []byte) error {
	name := string(b)
	if name == "" || name == "Local" {
		return problem("is not an IANA time zone such as America/Denver")
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return problem("is not an IANA time zone such as America/Denver")
	}
	z.loc = loc
	return nil
}

// Location returns the zone for use with package time.
func (z Zone) Location() *time.Location {
	if z.loc == nil {
		return time.UTC
	}
	return z.loc
}

// String returns the zone's IANA name.
func (z Zone) String() string { return z.Location().String() }

// Equal reports whether both zones have the same name.
func (z Zone) Equal(other Zone) bool { return z.String() == other.String() }

// Country is an ISO 3166-1 alpha-2 code in upper case.
type Country string

// UnmarshalText accepts the code of an existing country in upper or lower case.
func (c *Country) UnmarshalText(b []byte) error {
	code := strings.ToUpper(string(b))
	if !pledge.IsCountry(code) {
		return problem("is not a two-letter country code such as US")
	}
	*c = Country(code)
	return nil
}

// Places is a list such as "US-NM, CA, EU", or "everywhere".
type Places string

var place = regexp.MustCompile(`^([A-Z]{2}|(US|CA)-[A-Z]{2}|EVERYWHERE)$`)

// UnmarshalText parses a comma-separated list.
func (p *Places) UnmarshalText(b []byte) error {
	list := Places(b)
	for _, one := range list.List() {
		if one = strings.ToUpper(one); !place.MatchString(one) || len(one) == 2 && one != "EU" && !pledge.IsCountry(one) {
			return problem("is not a list of places such as US-NM, CA, EU, or everywhere")
		}
	}
	*p = list
	return nil
}

// List returns the individual places.
func (p Places) List() []string {
	return strings.FieldsFunc(string(p), func(r rune) bool { return r == ',' || r == ' ' })
}

// Countries is a list of country codes such as "CU,IR", or "none" for an empty list.
type Countries string

const noCountries = "none"

// UnmarshalText parses a comma-separated list, in upper or lower case.
func (c *Countries) UnmarshalText(b []byte) error {
	if strings.EqualFold(string(b), noCountries) {
		*c = noCountries
		return nil
	}
	all := Places(strings.ToUpper(string(b))).List()
	for _, code := range all {
		if !pledge.IsCountry(code) {
			return problem("is not a list of two-letter country codes such as CU,IR, or none")
		}
	}
	*c = Countries(strings.Join(all, ","))
	return nil
}

// List returns the individual countries.
func (c Countries) List() []string {
	if c == noCountries {
		return nil
	}
	return Places(c).List()
}

// set parses a text into a field according to the field's type.
func set(field reflect.Value, text, unit string) (err error) {
	switch p := field.Addr().Interface().(type) {
	case *money.Cents:
		*p, err = dollars(text)
	case *time.Duration:
		*p, err = time.ParseDuration(text + unit)
	case *bool:
		if text != "true" && text != "false" {
			return problem("is not true or false")
		}
		*p = text == "true"
	case *int:
		*p, err = strconv.Atoi(text)
	case encoding.TextUnmarshaler:
		err = p.UnmarshalText([]byte(text))
	default:
		field.SetString(text)
	}
	return err
}

var dollarAmount = regexp.MustCompile(`^[0-9]{1,7}(\.[0-9]{1,2})?$`)

const errNotDollars problem = "is not an amount in dollars such as 3.00, up to 1000000"

// dollars parses an amount such as 3, 3.5 or 3.00 exactly.
func dollars(s string) (money.Cents, error) {
	if !dollarAmount.MatchString(s) {
		return 0, errNotDollars
	}
	d, err := decimal.NewFromString(s)
	if err != nil {
		return 0, errNotDollars
	}
	c := money.Cents(d.Shift(2).IntPart())
	if c.Check() != nil {
		return 0, errNotDollars
	}
	return c, nil
}
