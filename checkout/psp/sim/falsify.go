package sim

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// falsifications maps a fault to the response fields that it rewrites. change gets the field's JSON
// value and returns the false one.
var falsifications = map[FaultKind]struct {
	field  *regexp.Regexp
	change func(value string) string
}{
	Misreport: {regexp.MustCompile(`"amount(_received)?":[0-9]+`), addOne},
	OtherCustomer: {regexp.MustCompile(`"customer":"[^"]*"`),
		func(string) string { return strconv.Quote(OtherCustomerID) }},
	OtherMethod: {regexp.MustCompile(`"payment_method":"[^"]*"`),
		func(string) string { return strconv.Quote(OtherMethodID) }},
	OtherGroup: {regexp.MustCompile(`"` + psp.GroupKey + `":"[^"]*"`),
		func(string) string { return `"settlement-group:other"` }},
	OtherMode: {regexp.MustCompile(`"livemode":(true|false)`),
		func(live string) string { return strconv.FormatBool(live != "true") }},
	ShortCapture: {regexp.MustCompile(`"amount_received":[0-9]+`), half},
}

// falsify rewrites a response's body according to a fault.
func falsify(body []byte, kind FaultKind) []byte {
	f, ok := falsifications[kind]
	if !ok {
		return body
	}
	return f.field.ReplaceAllFunc(body, func(member []byte) []byte {
		name, value, _ := bytes.Cut(member, []byte(":"))
		return []byte(string(name) + ":" + f.change(string(value)))
	})
}

func addOne(value string) string {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return value // out of an amount's range
	}
	return strconv.FormatInt(n+1, 10)
}

func half(value string) string {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return value
	}
	return strconv.FormatInt(n/2, 10)
}
